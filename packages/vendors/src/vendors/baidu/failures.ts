import type { FailureRules } from '../../core/failure-rules.ts'

/** cloud.baidu.com, "Qianfan: error codes", a copy of 2026-11-11 read 2026-11-22; numbers are those of the interface of 2023. */
export const baiduFailures: FailureRules = {
  invalid_iam_token: 'bad_key',
  account_overdue: 'no_quota',
  invalid_model: 'model_not_found',
  model_offline: 'model_not_found',
  method_not_supported: 'bad_request',
  invalid_appid: 'forbidden',
  no_parameter_permission: 'forbidden',
  characters_too_long: 'context_length',
  tokens_too_long: 'context_length',
  unsafe_request: 'content_filter',
  rate_limit_exceeded: 'rate_limited',
  Offline_batch_reasoning_refused: 'rate_limited',
  coding_plan_subscription_expired: 'no_quota',
  coding_plan_not_subscribed: 'no_quota',
  coding_plan_hour_quota_exceeded: 'plan_used_up',
  coding_plan_week_quota_exceeded: 'plan_used_up',
  coding_plan_month_quota_exceeded: 'plan_used_up',
  coding_plan_api_key_required: 'bad_key',
  coding_plan_api_key_not_allowed: 'bad_key',
  coding_plan_model_not_supported: 'model_not_found',
  coding_plan_rate_limit_exceeded: 'rate_limited',
  coding_plan_cluster_rate_limited: 'rate_limited',
  Internal_error: 'unavailable',
  ...Object.fromEntries(
    ['rpm', 'tpm', 'input_tpm', 'output_tpm', 'preemptible', 'user', 'cluster', 'cluster_rpm', 'cluster_tpm'].map((name) => [
      `${name}_rate_limit_exceeded`,
      'rate_limited',
    ]),
  ),
  ...{ 1: 'unavailable', 2: 'unavailable', 3: 'model_not_found', 4: 'rate_limited', 6: 'forbidden', 13: 'bad_key', 14: 'bad_key' },
  ...{ 15: 'bad_key', 17: 'no_quota', 18: 'rate_limited', 19: 'no_quota', 100: 'bad_key', 110: 'bad_key', 111: 'bad_key' },
  ...{ 336000: 'unavailable', 336001: 'bad_request', 336002: 'bad_request', 336003: 'bad_request', 336007: 'context_length' },
  ...{ 336100: 'unavailable', 336103: 'context_length', 336501: 'rate_limited', 336502: 'rate_limited' },
}
