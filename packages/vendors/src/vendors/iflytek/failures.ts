import type { FailureMeaning, FailureRules } from '../../core/failure-rules.ts'

const all = (codes: readonly number[], meaning: FailureMeaning): FailureRules => Object.fromEntries(codes.map((code) => [code, meaning]))

/** xfyun.cn, "Spark: interface, error codes", a stored copy read 2026-11-22. They come with status 200, or in the first message. */
export const iflytekFailures: FailureRules = {
  ...all([10003, 10004, 10005, 10163], 'bad_request'),
  ...all([10006, 10007, 11201, 11202, 11203], 'rate_limited'),
  ...all([10008, 10009, 10010, 10011, 10012, 10110, 10222], 'unavailable'),
  ...all([10013, 10014, 10019, 10021], 'content_filter'),
  ...all([10015, 10016], 'bad_key'),
  10404: 'model_not_found',
  10907: 'context_length',
  11200: 'no_quota',
  // The handshake of a WebSocket. Other refusals of it are about the clock.
  403: [[/signature does not match/i, 'bad_key']],
}
