import type { FailureRules } from '../../core/failure-rules.ts'

const tooLong = [[/range of input length|maximum context length|input length/i, 'context_length']] as const

/**
 * Alibaba Cloud Model Studio, "Error codes", a stored copy read 2026-11-22: the codes of the native and of the compatible interface. A quota
 * that is exceeded is a rate here, unless it is the free one.
 */
export const alibabaFailures: FailureRules = {
  InvalidApiKey: 'bad_key',
  invalid_api_key: 'bad_key',
  Arrearage: 'no_quota',
  AccessDenied: [
    [/overdue|arrear/i, 'no_quota'],
    [/^/, 'forbidden'],
  ],
  'AccessDenied.Unpurchased': 'no_quota',
  access_denied: [
    [/overdue|arrear/i, 'no_quota'],
    [/^/, 'forbidden'],
  ],
  'AllocationQuota.FreeTierOnly': 'no_quota',
  Throttling: [
    [/free (?:allocated )?quota|free tier/i, 'no_quota'],
    [/^/, 'rate_limited'],
  ],
  insufficient_quota: [
    [/free (?:allocated )?quota|free tier|overdue|arrear/i, 'no_quota'],
    [/^/, 'rate_limited'],
  ],
  limit_requests: 'rate_limited',
  ModelNotFound: 'model_not_found',
  NotFound: 'model_not_found',
  DataInspectionFailed: 'content_filter',
  data_inspection_failed: 'content_filter',
  InvalidParameter: [...tooLong, [/^/, 'bad_request']],
  invalid_parameter_error: tooLong,
  invalid_request_error: tooLong,
  InternalError: 'unavailable',
  ServiceUnavailable: 'unavailable',
  RequestTimeOut: 'unavailable',
}
