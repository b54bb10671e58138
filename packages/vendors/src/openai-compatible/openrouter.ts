import { bearer } from '../auth.ts'
import { balances } from '../balances/balances.ts'
import { isWebSearch } from '../responses/web-search.ts'
import type { Vendor } from '../vendor.ts'
import { openrouterChat } from './openrouter-chat.ts'
import { openrouterResponses } from './openrouter-responses.ts'

/**
 * This request could cost more than what is left, and a smaller one could not: so a client with a high limit of output does not disable the
 * channel (QwenLM/qwen-code #73, can1357/oh-my-pi #9569, continuedev/continue #11227, tailcallhq/forgecode #571, read 2026-11-23).
 */
const isDear = /\bcan only afford [1-9]|\blimit exceeded: \d+ > [1-9]|\bcapacity required, [1-9]\d* available/i

/**
 * Source: OpenRouter, "API reference", "Errors and debugging" and "Streaming", stored copies read 2026-11-22. Its list of models is longer than
 * this one; "fetch models" has it whole. It ignores fields that the model's provider does not have, so nothing is dropped here.
 */
export const openrouter: Vendor = {
  type: 20,
  name: 'proxy OpenRouter',
  nameZh: '代理 OpenRouter',
  color: 'violet',
  docs: { page: 'https://openrouter.ai/docs/api/reference/overview' },
  group: 'proxies',
  dialects: { chat: 'openai-searching', completions: 'openai', embeddings: 'openai' },
  baseUrl: 'https://openrouter.ai/api',
  auth: bearer,
  keyHint: 'sk-or-v1-...',
  askBalance: balances[20],
  chatExtras: ['cache_control', 'reasoning_content', 'top_k'],
  streamUsage: true,
  responses: openrouterResponses,
  models: [
    'openai/gpt-5.5',
    'openai/gpt-5.4',
    'openai/gpt-5.4-mini',
    'openai/gpt-5.4-nano',
    'openai/gpt-4o-mini',
    'anthropic/claude-fable-5',
    'anthropic/claude-opus-4.8',
    'anthropic/claude-sonnet-4.6',
    'anthropic/claude-haiku-4.5',
    'google/gemini-3.5-flash',
    'google/gemini-3.1-pro-preview',
    'x-ai/grok-4.3',
    'deepseek/deepseek-v4-flash:free',
    'mistralai/mistral-large-2512',
    'mistralai/mistral-medium-3-5',
    'mistralai/mistral-small-2603',
    'qwen/qwen3.7-plus',
    'qwen/qwen3.6-flash',
    'z-ai/glm-5',
    'perplexity/sonar-pro',
  ],
  // Types of errors: its SDK, "APIErrorType", a stored copy read 2026-11-23.
  failures: {
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
  },
  // The model decides whether it searches.
  refuses: ({ tool_choice: choice }) => (isWebSearch(choice ?? null) ? 'tool_choice' : null),
  patch: openrouterChat,
}
