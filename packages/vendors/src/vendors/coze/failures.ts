import type { FailureMeaning, FailureRules } from '../../core/failure-rules.ts'

const all = (codes: readonly number[], meaning: FailureMeaning): FailureRules => Object.fromEntries(codes.map((code) => [code, meaning]))

/**
 * coze.cn, "错误码" (open/docs/developer_guides/coze_error_codes), a stored copy read 2026-11-23. They come with status 200, or in the last event
 * of a stream. Only clients name 4028 (a free quota that is used up) and 700012006, of which the page has an example.
 */
export const cozeFailures: FailureRules = {
  ...all([4001, 4002, 4003, 4004, 4005, 4007, 4014], 'bad_request'),
  // The bot does not exist, its model or workflow does not, or it is not published for calls.
  ...all([4006, 4012, 4015, 4021, 4200], 'model_not_found'),
  // The uses of the bot for a day.
  4008: 'plan_used_up',
  ...all([4009, 4020], 'rate_limited'),
  4010: 'context_length',
  ...all([4011, 4019, 4022, 4028], 'no_quota'),
  ...all([4016, 5000], 'unavailable'),
  // An error of the model; clients have met it for too many requests, too.
  4013: [
    [/rate limit|too many requests|slow down/i, 'rate_limited'],
    [/^/, 'unavailable'],
  ],
  4100: 'bad_key',
  // The token has no right to this bot; or, in another message, it is no token.
  4101: [
    [/token\b.{0,40}\b(?:incorrect|invalid|expired)|incorrect token|invalid token/i, 'bad_key'],
    [/^/, 'forbidden'],
  ],
  4102: 'forbidden',
  4105: 'content_filter',
  700012006: 'bad_key',
}
