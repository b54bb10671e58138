import { bearer } from '../../core/auth.ts'
import type { JsonObject } from '../../core/json.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { askField } from '../../protocols/balances/shapes.ts'
import { oneModelBatches } from '../../protocols/batches/openai-forms.ts'
import { kimiSchemas } from '../../protocols/calls/tool-schemas.ts'
import { effortIn, lowHighMax, modelOf, withAtMost, withEffort, withoutFields, withoutThinking } from '../../protocols/compat/fields.ts'
import { withReasoningOfTurns, withSystemRole } from '../../protocols/compat/messages.ts'
import { forcesTool, withSomeTool } from '../../protocols/compat/tool-choice.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'

/** Names begin with a letter, or are those of its own tools, and a schema has a type beside or a union, not both (MoonshotAI/kimi-cli 1773 and 2531, read 2026-11-30). */
const kimiCalls = { names: /^(?:[a-zA-Z][a-zA-Z0-9_-]{0,63}|\$[a-z_]{1,63})$/, schemas: kimiSchemas }

/**
 * Source: platform.kimi.com, "Chat", "Errors" and "Pricing", stored copies read 2026-11-22. Keys of the international site belong to
 * https://api.moonshot.ai. Not offered: log probabilities and several choices; sampling settings are fixed, so they are dropped. The choice of a
 * tool is as its guide says and callers report (UKGovernmentBEIS/inspect_ai 5152, 2026-08-31).
 */
export const moonshot: Vendor = {
  type: 25,
  name: 'Moonshot AI',
  nameZh: '月之暗面',
  color: 'black',
  docs: {
    page: 'https://platform.kimi.com/docs/api/overview',
    chat: 'https://platform.kimi.com/docs/api/chat',
    pages: { batches: 'https://platform.kimi.com/docs/api/batch-create' },
  },
  group: 'china',
  dialects: { chat: openai },
  // "Batch API", a stored copy read 2026-11-27.
  // 60 percent of the usual price ("Pricing of batches", a stored copy read 2026-11-27).
  batches: { factor: 0.6, form: oneModelBatches, models: /^kimi-k2\.[56]$/ },
  routes: { baseUrl: 'https://api.moonshot.cn' },
  auth: bearer,
  key: { hint: 'sk-...' },
  askBalance: askField('/v1/users/me/balance', 'data', 'available_balance'),
  chat: {
    drop: ['logprobs', 'top_logprobs', 'logit_bias', 'top_k', 'n', 'seed'],

    // Its search is a call of its own tool (`$web_search`) that the client has to return; that is passed on.
    lacks: ['files in', 'audio in', 'web search'],
    needsImageBytes: true,
    extras: ['reasoning_content'],
    streamUsage: true,
    calls: kimiCalls,
    patch: (body) => ofGeneration(modelOf(body), withSystemRole(body)),
  },
  models: {
    names: ['kimi-k3.1-pro', 'kimi-k3.1-pro-highspeed', 'kimi-k3', 'kimi-k2.7-code', 'kimi-k2.7-code-highspeed', 'kimi-k2.6'],
  },
  failures: {
    exceeded_current_quota_error: 'no_quota',
    rate_limit_reached_error: 'rate_limited',
    engine_overloaded_error: 'unavailable',
    invalid_authentication_error: 'bad_key',
    incorrect_api_key_error: 'bad_key',
    resource_not_found_error: 'model_not_found',
    content_filter: 'content_filter',
    invalid_request_error: [[/token length too long|exceeded model token limit/i, 'context_length']],
  },
  unsupported: unsupportedByKind({ chat: (chat) => (forcesTool(chat) && alwaysThinks.test(modelOf(chat)) ? 'tool_choice' : null) }),
  // "Use Kimi in Claude Code", a stored copy read 2026-11-24. Sampling is fixed there as for chats.
  messages: { hosts: /^api\.moonshot\.(?:cn|ai)$/, path: '/anthropic/v1/messages', models: /^kimi-/ },
  patches: { messages: (body) => withoutFields(body, fixed) },
}

/** While a model before K3 thinks, it cannot be forced to call a tool, and this one always thinks. */
const alwaysThinks = /^kimi-k2\.7/
const fixed = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty']

/** While a model before K3 thinks, it cannot search ("Use web search", read 2026-11-23). */
const searches = ({ tools }: JsonObject): boolean => objectsIn(tools).some(({ type }) => type === 'builtin_function')

/** From K3 on, models always reason, at a level; those before reason or not; older ones do not. */
function ofGeneration(model: string, body: JsonObject): JsonObject {
  if (!model.startsWith('kimi-')) return withAtMost(withoutFields(body, ['reasoning_effort', 'reasoning', 'thinking']), 'temperature', 1)
  const turns = withSomeTool(withReasoningOfTurns(withoutFields(body, fixed), ' '), 'required')
  if (/^kimi-k[3-9]/.test(model)) return withEffort(withoutFields(turns, ['thinking']), lowHighMax)
  const rest = withoutFields(turns, ['reasoning_effort', 'reasoning'])
  const isOff = (effortIn(body) === 'none' || forcesTool(body) || searches(body)) && !alwaysThinks.test(model)
  return isOff ? withoutThinking(rest) : rest
}
