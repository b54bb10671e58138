import { bearer } from '../auth.ts'
import type { Vendor } from '../vendor.ts'

/**
 * Source: docs.coze.cn, "Chat V3", "Retrieve chat", "Call local plugins", stored copies of October 2026, read 2026-11-23; codes of errors as
 * clients have met them, of which 4013 and 4028 are confirmed by no page. The model names the bot (`bot-<id>`), and the bot decides about its
 * model, sampling, limits and thinking, so those settings are left out; its workflows may be silent for minutes. Accounts of coze.cn and coze.com are separate.
 */
export const cozeVendor: Vendor = {
  type: 34,
  name: 'Coze',
  nameZh: '扣子',
  color: 'purple',
  docs: { page: 'https://docs.coze.cn', untranslated: ['speech', 'transcripts', 'realtime'] },
  group: 'china',
  dialects: { chat: 'coze' },
  baseUrl: 'https://api.coze.com',
  addressFor: ({ config }) => (/^cn\b/i.test(config.region ?? '') ? 'https://api.coze.cn' : 'https://api.coze.com'),
  auth: bearer,
  keyHint: 'pat_... (region: cn for coze.cn)',
  configFields: ['region', 'user_id'],
  otherLabel: { en: 'Bot id (for models that do not name one)', zh: '智能体 ID（模型名不含时使用）' },
  failures: {
    4013: 'rate_limited',
    // The bot is not published for calls.
    4015: 'model_not_found',
    4028: 'no_quota',
    4100: 'bad_key',
    4101: 'bad_key',
    700012006: 'bad_key',
    5000: 'unavailable',
  },
  streamUsage: false,
  timeouts: { firstByteMs: 300_000, idleMs: 300_000 },
  models: [],
}
