import { bearer } from '../auth.ts'
import type { Vendor } from '../vendor.ts'
import { withSystemRole } from './messages.ts'

/**
 * Source: platform.lingyiwanwu.com as two clients describe it, 2026-04-23 and 2026-11-22. The platform is partly closed: only yi-lightning, behind
 * which it chooses a model itself, and yi-vision-v2 are still named. No page shows the body of its errors.
 */
export const lingyiwanwu: Vendor = {
  type: 31,
  name: '01.AI',
  nameZh: '零一万物',
  color: 'green',
  docs: { page: 'https://platform.lingyiwanwu.com' },
  group: 'china',
  dialects: { chat: 'openai' },
  baseUrl: 'https://api.lingyiwanwu.com',
  auth: bearer,
  keyHint: '...',
  drop: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'reasoning_effort', 'reasoning'],
  rename: { max_completion_tokens: 'max_tokens' },
  streamUsage: true,
  models: ['yi-lightning', 'yi-vision-v2'],
  patch: withSystemRole,
}
