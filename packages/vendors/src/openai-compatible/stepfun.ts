import { bearer } from '../auth.ts'
import { balances } from '../balances/balances.ts'
import { isObject } from '../is-object.ts'
import type { Vendor } from '../vendor.ts'
import { lowToHigh, withEffort, withoutFields } from './fields.ts'
import { withSystemRole } from './messages.ts'

/**
 * Source: platform.stepfun.com, "Chat completion", "Error codes" and "Pricing" of 2026-10-07, stored copies read 2026-11-22. Keys of the
 * international site belong to https://api.stepfun.ai.
 */
export const stepfun: Vendor = {
  type: 32,
  name: 'StepFun',
  nameZh: '阶跃星辰',
  color: 'teal',
  docs: {
    page: 'https://platform.stepfun.com/docs/zh/api-reference/chat/chat-completion-create',
    pages: { realtime: 'https://platform.stepfun.com/docs/zh/api-reference/realtime/chat' },
    untranslated: ['realtime'],
  },
  group: 'china',
  dialects: { chat: 'openai', images: 'openai', speech: 'openai', transcriptions: 'openai' },
  baseUrl: 'https://api.stepfun.com',
  auth: bearer,
  keyHint: '...',
  askBalance: balances[32],
  drop: ['logprobs', 'top_logprobs', 'logit_bias', 'top_k', 'seed'],
  rename: { max_completion_tokens: 'max_tokens' },
  streamUsage: true,
  lacks: ['files in'],
  // Its own tool of that name has another form, and is passed on.
  refuses: ({ web_search_options: options }) => (isObject(options) ? 'web_search_options' : null),
  // A picture is one, as its own choice of quality and background makes it.
  patches: { images: (body) => withoutFields(body, ['n', 'style', 'quality', 'background']) },
  refusals: {
    images: ({ n, background }) => (Number(n) > 1 ? 'n' : background === 'transparent' ? 'background' : null),
    speech: ({ instructions }) => (typeof instructions === 'string' && instructions !== '' ? 'instructions' : null),
  },
  models: ['step-5-preview', 'step-3.7-flash', 'step-3.5-flash', 'step-3.5-flash-2603', 'step-1o-turbo-vision'],
  failures: {
    invalid_api_key: 'bad_key',
    '402': 'no_quota',
    '451': 'content_filter',
    '400': [[/model\b.{0,80}\b(?:not (?:found|exist|supported)|does not exist|invalid)|invalid model/i, 'model_not_found']],
  },
  patch: (body) => {
    const chat = withSystemRole(body)
    return reasons.test(String(body['model'])) ? withEffort(chat, lowToHigh) : withoutFields(chat, ['reasoning_effort', 'reasoning'])
  },
}

/** The models that take a level of reasoning. */
const reasons = /^step-(?:3\.[7-9]|[4-9])/
