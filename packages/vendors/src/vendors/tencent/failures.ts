import type { FailureMeaning, FailureRules } from '../../core/failure-rules.ts'

const all = (codes: readonly string[], meaning: FailureMeaning): FailureRules => Object.fromEntries(codes.map((code) => [code, meaning]))

const failedOperation = (...names: readonly string[]): readonly string[] => names.map((name) => `FailedOperation.${name}`)

/**
 * cloud.tencent.com, "Hunyuan: error codes", a stored copy read 2026-11-22, and "TokenHub: errors" (1823/131595), read 2026-11-23. A code without its
 * second part stands for its whole group.
 */
export const tencentFailures: FailureRules = {
  AuthFailure: 'bad_key',
  'AuthFailure.UnauthorizedOperation': 'forbidden',
  ...all(failedOperation('FreeResourcePackExhausted', 'ResourcePackExhausted', 'ServiceStopArrears', 'ServiceNotActivated'), 'no_quota'),
  ...all(['FailedOperation.ServiceStop', 'ResourceInsufficient.ChargeResourceExhaust'], 'no_quota'),
  ResourceUnavailable: 'no_quota',
  // Reported for a model that has no such call (a client of its images shows the response, read 2026-11-28).
  'ResourceUnavailable.InterfaceNotExist': 'model_not_found',
  ...all(['FailedOperation.EngineServerLimitExceeded', 'LimitExceeded', 'RequestLimitExceeded'], 'rate_limited'),
  FailedOperation: 'unavailable',
  InternalError: 'unavailable',
  OperationDenied: 'content_filter',
  'FailedOperation.UserUnAuthError': 'forbidden',
  'InvalidParameterValue.Model': 'model_not_found',
  ...all(['InvalidParameter', 'InvalidParameterValue', 'UnsupportedOperation', 'UnknownParameter', 'MissingParameter'], 'bad_request'),
  // The model was not switched on for the account, or its free quota is used up; others still respond.
  402: 'forbidden',
  451: 'content_filter',
  4000: 'unavailable',
  4001: 'unavailable',
}
