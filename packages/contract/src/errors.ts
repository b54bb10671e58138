/** Error types of OpenAI's error objects. */
export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'insufficient_quota'
  | 'rate_limit_error'
  | 'server_error'
  | 'api_error'

interface ErrorRow {
  /** HTTP status on the relay (`/v1`). */
  readonly status: number
  readonly type: ErrorType
  /** HTTP status under `/api`; missing = 200 with `success: false`. */
  readonly api?: number
  /** Sends `x-should-retry: false`: official clients retry this status, and a retry would fail again. */
  readonly final?: boolean
  /** The member of the input that it is about, so that forms can show it there. */
  readonly field?: string
  /** Whether the server or a vendor caused it; missing: if its type says so. */
  readonly isFault?: boolean
}

const refused = { status: 400, type: 'invalid_request_error' } as const satisfies ErrorRow
const upstream = { status: 502, type: 'server_error' } as const satisfies ErrorRow

/**
 * Every error that the server sends, by its code. Its text is in `messages/` under the same name.
 * `/api` sends the text in its envelope, the relay in the error object of the client's API.
 */
export const errors = {
  // Authentication and access
  not_logged_in: { status: 401, type: 'authentication_error', api: 401 },
  access_token_invalid: { status: 401, type: 'authentication_error', api: 401 },
  session_and_token_invalid: { status: 401, type: 'authentication_error' },
  permission_denied: { status: 403, type: 'permission_error' },
  user_banned: { status: 403, type: 'permission_error' },
  account_changed: { status: 412, type: 'permission_error', api: 412 },
  host_unknown: { status: 421, type: 'permission_error', api: 421 },
  cross_site_request: { status: 403, type: 'permission_error', api: 403 },
  /** Also sent for an unknown name, so that it does not reveal which names exist. */
  login_failed: { status: 401, type: 'authentication_error', field: 'password' },
  login_disabled: { status: 403, type: 'permission_error' },
  login_throttled: { status: 429, type: 'rate_limit_error', api: 429 },
  rate_limited: { status: 429, type: 'rate_limit_error', api: 429 },
  login_busy: { status: 503, type: 'api_error' },
  body_capacity_exceeded: { status: 503, type: 'api_error' },
  default_password_refused: { status: 403, type: 'permission_error' },
  setup_link_invalid: { status: 403, type: 'authentication_error' },
  reauthentication_required: { status: 403, type: 'permission_error' },
  reauthentication_with_factor_required: { status: 403, type: 'permission_error' },
  session_required: { status: 403, type: 'permission_error' },
  current_password_wrong: { status: 403, type: 'permission_error', field: 'current_password' },
  login_method_unconfirmed: { status: 403, type: 'permission_error' },
  scope_missing: { status: 403, type: 'permission_error' },
  two_factor_login_required: { status: 403, type: 'authentication_error' },
  two_factor_login_expired: { status: 403, type: 'authentication_error' },
  two_factor_code_invalid: { status: 403, type: 'authentication_error', field: 'code' },
  second_factor_unreadable: { status: 403, type: 'authentication_error', field: 'code' },
  second_factor_required: { status: 403, type: 'permission_error' },
  second_factor_missing: refused,
  authenticator_already_set_up: refused,
  authenticator_setup_not_started: refused,
  notification_unreadable: refused,
  passkey_rejected: { status: 403, type: 'authentication_error' },
  passkey_unknown: { status: 403, type: 'authentication_error' },
  passkey_unverified: { status: 403, type: 'authentication_error' },
  passkey_already_registered: refused,
  passkey_counter: { status: 403, type: 'authentication_error' },
  passkey_host: refused,
  passkeys_too_many: refused,
  access_tokens_too_many: refused,
  tokens_too_many: refused,
  notification_rules_too_many: refused,
  notification_threshold_invalid: { ...refused, field: 'threshold' },
  notification_limit_invalid: { ...refused, field: 'channel' },
  notification_url_invalid: { ...refused, field: 'url' },
  notification_url_private: { ...refused, field: 'url' },
  access_token_scopes_invalid: { ...refused, field: 'scopes' },

  // Requests that cannot be read
  invalid_json: refused,
  invalid_input: refused,
  invalid_parameter: refused,
  invalid_text: refused,
  body_too_large: { status: 413, type: 'invalid_request_error', api: 413 },
  body_timeout: { status: 408, type: 'invalid_request_error', api: 408 },
  unsupported_encoding: { status: 415, type: 'invalid_request_error', api: 415 },
  encoding_invalid: refused,
  body_interrupted: refused,
  unsupported_media_type: { status: 415, type: 'invalid_request_error', api: 415 },
  multipart_invalid: refused,
  /** What the id of the input names is gone, or was never there. */
  not_found: { status: 404, type: 'invalid_request_error', field: 'id' },
  api_not_implemented: { status: 501, type: 'invalid_request_error', final: true },
  unknown_url: { status: 404, type: 'invalid_request_error', api: 404 },

  // Validation of forms
  token_expired_edit: refused,
  token_exhausted_edit: refused,
  subnet_invalid: { ...refused, field: 'subnet' },
  quota_too_large: refused,
  username_taken: { ...refused, field: 'username' },
  /** `usernameProblem` says which message applies. */
  username_invalid: { ...refused, field: 'username' },
  password_common: { ...refused, field: 'password' },
  email_taken: { ...refused, field: 'email' },
  identity_taken: refused,
  email_code_wrong: { ...refused, field: 'verification_code' },
  email_code_required: refused,
  password_needs_code: { ...refused, field: 'verification_code' },
  password_needs_email: refused,
  identity_not_linked: refused,
  last_login_method: refused,
  register_disabled: { status: 403, type: 'permission_error' },
  password_register_disabled: { status: 403, type: 'permission_error' },
  user_not_manageable: { status: 403, type: 'permission_error' },
  user_is_yourself: { status: 403, type: 'permission_error' },
  user_is_root: { status: 403, type: 'permission_error' },
  promote_needs_root: { status: 403, type: 'permission_error' },
  already_admin: refused,
  already_user: refused,
  user_changed_meanwhile: refused,
  changed_elsewhere: refused,
  channel_type_unknown: { ...refused, field: 'type' },
  channel_base_url_required: refused,
  channel_config_incomplete: refused,
  channel_key_word: refused,
  channel_key_own: refused,
  channel_key_shape: refused,
  channel_key_incomplete: refused,
  channel_other_required: refused,
  channel_models_required: { ...refused, field: 'models' },
  base_url_forbidden: refused,
  base_url_private: { ...refused, field: 'base_url' },
  proxy_private: { ...refused, field: 'proxy' },
  raw_proxy_needs_root: { status: 403, type: 'permission_error' },
  raw_proxy_rules_required: { ...refused, field: 'proxy_paths' },
  raw_proxy_refused: { status: 403, type: 'permission_error' },
  channel_key_reentry_required: refused,
  expiry_past: { ...refused, field: 'expired_time' },
  proxy_forbidden: refused,
  channel_keys_too_many: refused,
  channels_request_too_large: refused,
  channels_too_many: refused,
  channels_models_too_many: refused,
  channels_models_too_long: refused,
  channels_settings_too_long: refused,
  channel_export_too_many: refused,
  channel_file_unknown: { ...refused, field: 'file' },
  channel_file_version: { ...refused, field: 'file' },
  channel_file_too_many: { ...refused, field: 'file' },
  price_source_not_found: refused,
  channel_test_failed: upstream,
  redemption_invalid: { ...refused, field: 'key' },
  redemption_used: { ...refused, field: 'key' },
  redemption_expired: { ...refused, field: 'key' },
  redemption_used_edit: refused,
  redeem_throttled: { status: 429, type: 'rate_limit_error', api: 429 },
  channel_unusable: refused,
  channel_job_running: refused,
  balance_unsupported: refused,
  model_list_unsupported: refused,
  option_unknown: refused,
  option_value_invalid: refused,
  ratio_invalid: refused,
  ratio_type_unknown: refused,
  option_incomplete: refused,
  option_in_use: refused,
  pending_options_changed: refused,
  option_needs_root: refused,
  option_needs_own_factor: refused,
  releases_not_set: refused,

  // Mail, bot check and login by other services
  email_domain_forbidden: { ...refused, field: 'email' },
  reset_link_invalid: { ...refused, field: 'token' },
  send_throttled: { status: 429, type: 'rate_limit_error', api: 429 },
  server_address_missing: { status: 503, type: 'api_error' },
  mail_not_set: { status: 503, type: 'api_error' },
  mail_failed: upstream,
  mail_test_failed: upstream,
  mail_login_unsupported: upstream,
  mail_own_missing: refused,
  pusher_not_set: refused,
  turnstile_missing: { ...refused, field: 'turnstile' },
  turnstile_failed: { ...refused, field: 'turnstile' },
  oauth_state_invalid: { status: 403, type: 'permission_error', api: 403 },
  oauth_disabled: { status: 403, type: 'permission_error' },
  oauth_refused: refused,
  oauth_register_disabled: { status: 403, type: 'permission_error' },
  oauth_mail_not_allowed: { status: 403, type: 'permission_error' },
  oauth_domain_not_allowed: { status: 403, type: 'permission_error' },
  oauth_organization_not_allowed: { status: 403, type: 'permission_error' },
  oauth_group_not_allowed: { status: 403, type: 'permission_error' },
  message_pusher_rejected: upstream,
  service_unreachable: upstream,
  service_address_private: refused,
  webhook_rejected: upstream,
  service_response_invalid: upstream,

  // Admission of a relayed request
  token_missing: { status: 401, type: 'authentication_error' },
  token_invalid: { status: 401, type: 'authentication_error' },
  token_disabled: { status: 401, type: 'authentication_error' },
  token_expired: { status: 401, type: 'authentication_error' },
  token_exhausted: { status: 403, type: 'insufficient_quota', final: true },
  subnet_forbidden: { status: 403, type: 'permission_error' },
  model_forbidden: { status: 403, type: 'permission_error' },
  channel_pin_forbidden: { status: 403, type: 'permission_error' },
  channel_pin_unknown: refused,
  channel_pin_disabled: { status: 403, type: 'permission_error', final: true },
  token_requests_limited: { status: 429, type: 'rate_limit_error' },
  token_tokens_limited: { status: 429, type: 'rate_limit_error' },
  token_busy: { status: 429, type: 'rate_limit_error' },
  task_streams_limited: { status: 429, type: 'rate_limit_error' },
  unbounded_requests_limited: { status: 429, type: 'rate_limit_error' },
  token_day_quota: { status: 429, type: 'insufficient_quota', final: true },
  token_month_quota: { status: 429, type: 'insufficient_quota', final: true },
  model_required: refused,
  messages_required: refused,
  too_many_entries: refused,
  too_many_values: refused,
  inner_json_too_large: refused,
  parameter_not_offered: refused,
  named_model_refused: refused,
  allowed_members_root: { status: 403, type: 'permission_error', field: 'allowed_members' },
  content_of_key_root: { status: 403, type: 'permission_error', field: 'content_of_key' },
  channel_type_root: { status: 403, type: 'permission_error', field: 'type' },
  image_fetch_failed: refused,
  websocket_required: { status: 426, type: 'invalid_request_error' },
  post_required: { status: 426, type: 'invalid_request_error', final: true },
  proxy_not_found: { status: 404, type: 'invalid_request_error' },
  response_not_found: { status: 404, type: 'invalid_request_error' },
  response_unreachable: { status: 409, type: 'invalid_request_error', final: true },
  idempotency_key_in_use: { status: 409, type: 'invalid_request_error' },
  idempotency_key_reused: { status: 409, type: 'invalid_request_error', final: true },
  batch_unsupported: refused,
  batch_models_mixed: refused,
  task_not_found: { status: 404, type: 'invalid_request_error', field: 'id' },
  task_unreachable: { status: 409, type: 'invalid_request_error', final: true },
  task_unreadable: { status: 409, type: 'invalid_request_error', final: true },
  task_not_completed: { status: 409, type: 'invalid_request_error', final: true },
  task_running: { status: 409, type: 'invalid_request_error', final: true },
  task_wait_timeout: { status: 504, type: 'server_error', final: true },
  task_not_cancellable: { status: 409, type: 'invalid_request_error', final: true },
  task_result_unknown: { status: 404, type: 'invalid_request_error' },
  task_result_expired: { status: 410, type: 'invalid_request_error', final: true },
  task_result_gone: { status: 410, type: 'invalid_request_error', final: true },
  stream_invalid: refused,
  max_tokens_invalid: refused,
  model_not_found: { status: 404, type: 'invalid_request_error' },
  model_price_not_set: { status: 503, type: 'api_error', final: true },
  insufficient_user_quota: { status: 403, type: 'insufficient_quota', final: true },
  insufficient_token_quota: { status: 403, type: 'insufficient_quota', final: true },
  no_channel: { status: 503, type: 'api_error' },
  channels_busy: { status: 503, type: 'api_error' },
  channels_down: { status: 503, type: 'api_error' },

  // What the ledger has set aside
  set_aside_ended: { status: 409, type: 'invalid_request_error', final: true },
  set_aside_incomplete: { status: 409, type: 'invalid_request_error', final: true },
  set_aside_refused: { status: 409, type: 'invalid_request_error', final: true },
  set_aside_charge_too_large: { ...refused, field: 'charge' },

  // Failures of vendors
  upstream_unreachable: upstream,
  upstream_tls: upstream,
  upstream_reset: upstream,
  upstream_timeout: { status: 504, type: 'server_error' },
  upstream_invalid_response: upstream,
  upstream_redirect: upstream,
  upstream_failed: upstream,
  upstream_rate_limited: { status: 429, type: 'rate_limit_error', isFault: true },
  upstream_stream_interrupted: upstream,
  upstream_line_too_long: upstream,
  upstream_answer_too_long: upstream,
  channel_auth_failed: upstream,
  channel_out_of_quota: upstream,

  // Failures of this server
  database_unavailable: { status: 503, type: 'api_error', api: 503 },
  query_too_slow: { status: 503, type: 'api_error' },
  storage_full: { status: 503, type: 'api_error', api: 503 },
  temporary_files_unavailable: { status: 503, type: 'api_error', api: 503 },
  loop_detected: { status: 508, type: 'api_error', final: true },
  shutting_down: { status: 503, type: 'api_error', api: 503 },
  internal_error: { status: 500, type: 'api_error', api: 500 },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof errors

export function errorRow(code: ErrorCode): ErrorRow {
  return errors[code]
}

/** Whether the server or a vendor caused an error. Every other one is caused by what the client sent. */
export function isFault(code: ErrorCode): boolean {
  const { type, isFault: isMarked = type === 'server_error' || type === 'api_error' } = errorRow(code)
  return isMarked
}
