import type { FailureRules } from '../../core/failure-rules.ts'

/**
 * This request could cost more than what is left, and a smaller one could not: so a client with a high limit of output does not disable the
 * channel (QwenLM/qwen-code #73, can1357/oh-my-pi #9569, continuedev/continue #11227, tailcallhq/forgecode #571, read 2026-11-23).
 */
const isDear = /\bcan only afford [1-9]|\blimit exceeded: \d+ > [1-9]|\bcapacity required, [1-9]\d* available/i

/** Types of errors: its SDK, "APIErrorType", a stored copy read 2026-11-23. */
export const openrouterFailures: FailureRules = {
  openrouter_in_flight_budget: 'rate_limited',
  // The free models of a day (Avarok-Cybersecurity/atlas #543, Gitlawb/openclaude #936 and #1549, read 2026-11-23).
  openrouter_free_tier_daily: 'plan_used_up',
  '429': [[/^rate limit exceeded: free-models-per-day/i, 'plan_used_up']],
  insufficient_quota: 'rate_limited',
  context_length_exceeded: 'context_length',
  content_policy_violation: 'content_filter',
  refusal: 'content_filter',
  not_found: 'model_not_found',
  provider_overloaded: 'unavailable',
  provider_unavailable: 'unavailable',
  server: 'unavailable',
  '402': [[isDear, 'forbidden']],
  '408': 'unavailable',
}
