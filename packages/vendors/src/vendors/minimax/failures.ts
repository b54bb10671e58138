import type { FailureRules } from '../../core/failure-rules.ts'

/** platform.minimax.io, "Error codes", a copy of September 2026 read 2026-11-22. They come in `base_resp`, with status 200 too. */
export const minimaxFailures: FailureRules = {
  1000: 'unavailable',
  1001: 'unavailable',
  1002: 'rate_limited',
  1004: 'bad_key',
  1008: 'no_quota',
  1013: 'unavailable',
  1024: 'unavailable',
  1026: 'content_filter',
  1027: 'content_filter',
  1033: 'unavailable',
  1039: 'rate_limited',
  1041: 'rate_limited',
  1042: 'bad_request',
  2013: [
    [/context window|too long|exceeds? .{0,200}token/i, 'context_length'],
    [/model/i, 'model_not_found'],
    [/^/, 'bad_request'],
  ],
  // In OpenAI's form the code is in the text only.
  bad_request_error: [[/context window exceeds/i, 'context_length']],
  2049: 'bad_key',
  // The quota of a plan for some hours.
  2056: 'plan_used_up',
}
