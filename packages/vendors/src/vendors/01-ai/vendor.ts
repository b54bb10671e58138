import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { withPlainResults, withSystemRole } from '../../protocols/compat/messages.ts'
import { formatAsInstruction } from '../../protocols/compat/schema-as-instruction.ts'
import { openai } from '../../protocols/openai/dialect.ts'

/**
 * Source: platform.lingyiwanwu.com, "API reference", a stored copy of 2025 read 2026-11-23, and two clients of 2026. The platform is partly
 * closed: only yi-lightning, behind which it chooses a model itself, and yi-vision-v2, which sees images, are still named. No page shows
 * the body of its errors. Chats have no form of responses there.
 */
export const lingyiwanwu: Vendor = {
  type: 31,
  name: '01.AI',
  nameZh: '零一万物',
  color: 'green',
  docs: { page: 'https://platform.lingyiwanwu.com/docs/api-reference', without: ['cache usage'] },
  group: 'china',
  dialects: { chat: openai },
  routes: { baseUrl: 'https://api.lingyiwanwu.com' },
  auth: bearer,
  key: { hint: 'API key' },
  chat: {
    drop: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'reasoning_effort', 'reasoning'],
    rename: { max_completion_tokens: 'max_tokens' },
    streamUsage: true,
    lacks: ['files in', 'audio in', 'web search'],
    patch: (body) => formatAsInstruction(withPlainResults(withSystemRole(body))),
  },
  models: { names: ['yi-lightning', 'yi-vision-v2'] },
  failures: { '400': [[/context|max_tokens|too long/i, 'context_length']] },
}
