import { bearer } from '../auth.ts'
import type { FailureRules } from '../failure-rules.ts'
import type { Vendor } from '../vendor.ts'
import { effortIn, withEffort } from './fields.ts'
import { withSystemRole } from './messages.ts'

/** Source: Volcano Engine Ark, "错误码" (1099476), "公共错误码" (1299023) and the chat API (82379), stored copies read 2026-11-22. */
const refusals = ['SensitiveContentDetected', 'RiskDetection', ...['Input', 'Output'].flatMap((side) => sensitive(side))]

function sensitive(side: string): readonly string[] {
  const kinds = ['Text', 'Image', 'Video', 'Audio'].flatMap((kind) => [`${kind}SensitiveContentDetected`, `${kind}RiskDetection`])
  return kinds.map((kind) => side + kind)
}

const failures: FailureRules = {
  ...Object.fromEntries(refusals.map((code) => [code, 'content_filter'])),
  OutofContextError: 'context_length',
  ContentSecurityDetectionError: 'unavailable',
  'InvalidEndpoint.ClosedEndpoint': 'model_not_found',
  InvalidSubscription: 'no_quota',
  AuthenticationError: 'bad_key',
  InvalidAccountStatus: 'bad_key',
  AccountOverdueError: 'no_quota',
  'OperationDenied.ServiceOverdue': 'no_quota',
  OperationDenied: 'forbidden',
  UnsupportedModel: 'model_not_found',
  ServerOverloaded: 'unavailable',
  QuotaExceeded: [[/free|trial|免费/i, 'no_quota']],
  SetLimitExceeded: 'no_quota',
}

/** Endpoint ids (`ep-...`) and bots (`bot-...`) may stand in the place of a model. BytePlus: https://ark.ap-southeast.bytepluses.com/api/v3. */
export const doubao: Vendor = {
  type: 40,
  name: 'ByteDance Doubao',
  nameZh: '字节跳动豆包',
  color: 'blue',
  group: 'china',
  dialects: { chat: 'openai', embeddings: 'openai', images: 'openai' },
  baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
  pathFor: (path, { model, channel: { baseUrl } }) => {
    const own = model.startsWith('bot') ? path.replace('/chat/', '/bots/chat/') : path
    return /\/v\d+$/.test(baseUrl) ? own : own.replace(/^\/v1/, '/api/v3')
  },
  auth: bearer,
  keyHint: '00000000-0000-0000-0000-000000000000',
  drop: ['n', 'seed', 'top_k'],
  streamUsage: true,
  models: [
    'doubao-seed-2-1-pro-260628',
    'doubao-seed-2-1-turbo-260628',
    'doubao-seed-1-8-251228',
    'doubao-seed-1-6-251015',
    'doubao-seed-1-6-flash-250828',
    'doubao-seed-1-6-vision-250815',
    'doubao-seedream-5-0-260128',
    'doubao-seedream-4-5-251128',
    'doubao-seedream-4-0-250828',
  ],
  failures,
  patch: (body) => {
    const rest = withEffort(withSystemRole(body), {
      minimal: 'minimal',
      low: 'low',
      medium: 'medium',
      high: 'high',
      xhigh: 'high',
      max: 'high',
    })
    return effortIn(body) === 'none' ? { ...rest, thinking: { type: 'disabled' } } : rest
  },
}
