import { bearer } from '../auth.ts'
import { balances } from '../balances/balances.ts'
import { isObject, textOr } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import type { Vendor } from '../vendor.ts'
import { effortIn, lowHighMax, withEffort } from './fields.ts'
import { developerToSystem, withMessages, withReasoningOfTurns } from './messages.ts'
import { schemaAsInstruction } from './schema-as-instruction.ts'

/**
 * Source: DeepSeek API docs, "Create chat completion", "JSON output", "Thinking mode", "Error codes" and "Models & pricing" of October 2026,
 * stored copies read 2026-11-22. `deepseek-chat` and `deepseek-reasoner` ended on 2026-07-24. Only the flash models see pictures. Its own
 * Responses API stores nothing, so responses are translated to chats as for vendors without one.
 */
export const deepseek: Vendor = {
  type: 36,
  name: 'DeepSeek',
  color: 'blue',
  docs: { page: 'https://api-docs.deepseek.com' },
  group: 'china',
  dialects: { chat: 'openai' },
  baseUrl: 'https://api.deepseek.com',
  auth: bearer,
  keyHint: 'sk-...',
  askBalance: balances[36],
  drop: ['top_k', 'seed', 'n', 'logit_bias'],
  rename: { max_completion_tokens: 'max_tokens' },
  streamUsage: true,
  models: ['deepseek-flash', 'deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp'],
  failures: {
    '402': 'no_quota',
    invalid_request_error: [
      [/maximum context length/i, 'context_length'],
      [/model (?:not exist|does not exist)/i, 'model_not_found'],
      [/insufficient balance/i, 'no_quota'],
    ],
  },
  refuses: (chat) => (chat['logprobs'] === true && isThinking(chat) ? 'logprobs' : null),
  patch: (body) => schemaAsInstruction(reasoned(withMessages(body, (message) => developerToSystem(plainToolResult(message))))),
}

/** It thinks unless it is told not to. */
function isThinking(body: JsonObject): boolean {
  const { thinking } = body
  return effortIn(body) !== 'none' && !(isObject(thinking) && thinking['type'] === 'disabled')
}

/** The vendor accepts a tool result only as a string. */
function plainToolResult(message: JsonObject): JsonObject {
  const { role, content } = message
  if (role !== 'tool' || !Array.isArray(content)) return message
  return { ...message, content: content.map((part) => (isObject(part) ? textOr(part['text'], '') : '')).join('\n') }
}

/** While it thinks and has tools, every message of the assistant needs its reasoning: an empty one, if the client lost it. */
function reasoned(body: JsonObject): JsonObject {
  const { none: _off, ...levels } = lowHighMax
  const sent = withEffort(body, levels)
  if (!isThinking(body)) return { ...sent, thinking: { type: 'disabled' } }
  return withReasoningOfTurns(sent, '')
}
