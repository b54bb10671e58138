import type { FailureRules } from '../../core/failure-rules.ts'

/** Each has a code for each kind of content; what is behind a point (`.PolicyViolation`) is a case of it. */
const refusals = ['SensitiveContentDetected', 'RiskDetection', ...['Input', 'Output'].flatMap((side) => sensitive(side))]

function sensitive(side: string): readonly string[] {
  const kinds = ['Text', 'Image', 'Video', 'Audio'].flatMap((kind) => [`${kind}SensitiveContentDetected`, `${kind}RiskDetection`])
  return kinds.map((kind) => side + kind)
}

/** Source: Volcano Engine Ark, "错误码" (1099476) and "公共错误码" (1299023), stored copies read 2026-11-22. */
export const bytedanceFailures: FailureRules = {
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
  QuotaExceeded: [
    [/free|trial|免费/i, 'no_quota'],
    [/plan\b|hour|week|month|套餐|小时|每周|每月/i, 'plan_used_up'],
  ],
  SetLimitExceeded: 'no_quota',
}
