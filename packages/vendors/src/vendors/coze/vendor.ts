import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { cozeSpeech, cozeTranscriptions } from './audio.ts'
import { coze } from './chat.ts'
import { cozeFailures } from './failures.ts'

/**
 * Source: docs.coze.cn, "Chat V3", "Retrieve chat", "Call local plugins", stored copies of October 2026, read 2026-11-23. The model
 * names the bot (`bot-<id>`), and the bot decides about its model, sampling and thinking, so those settings are left out; output is cut at the
 * client's limit. Models of speech and transcripts have names of the operator's own. Its workflows may be silent for minutes. Accounts of coze.cn and coze.com are separate.
 */
export const cozeVendor: Vendor = {
  type: 34,
  hasOwnPrompts: true,
  name: 'Coze',
  nameZh: '扣子',
  color: 'purple',
  docs: {
    page: 'https://www.coze.cn/open/docs/developer_guides/coze_api_overview',
    chat: 'https://www.coze.cn/open/docs/developer_guides/chat_v3',
    pages: { realtime: 'https://www.coze.cn/open/docs/developer_guides/streaming_chat_api' },
    untranslated: ['realtime'],
  },
  group: 'china',
  dialects: { chat: coze, speech: cozeSpeech, transcriptions: cozeTranscriptions },
  routes: {
    baseUrl: 'https://api.coze.com',
    addressFor: ({ config }) => (/^cn\b/i.test(config.region ?? '') ? 'https://api.coze.cn' : 'https://api.coze.com'),
  },
  auth: bearer,
  key: { hint: 'pat_... (region: cn for coze.cn)', hintZh: 'pat_...（使用 coze.cn 时 region 填 cn）' },
  configFields: ['region', 'user_id'],
  otherLabel: { en: 'Bot id (for models that do not name one)', zh: '智能体 ID（模型名不含时使用）' },
  failures: cozeFailures,
  chat: {
    // The bot searches if it has a tool for that.
    lacks: ['web search'],
  },
  timeouts: { firstByteMs: 300_000, idleMs: 300_000 },
  models: { names: [] },
}
