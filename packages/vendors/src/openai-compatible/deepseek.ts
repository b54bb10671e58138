import { bearer } from '../auth.ts'
import { balances } from '../balances/balances.ts'
import { isObject, textOr } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import type { Vendor } from '../vendor.ts'
import { developerToSystem, withMessages } from './messages.ts'

/** Source: DeepSeek API docs, "Create chat completion", "JSON output", "Thinking mode" and "Models & pricing", read 2026-11-21. */
export const deepseek: Vendor = {
  type: 36,
  name: 'DeepSeek',
  color: 'blue',
  group: 'china',
  dialects: { chat: 'openai' },
  baseUrl: 'https://api.deepseek.com',
  auth: bearer,
  keyHint: 'sk-...',
  askBalance: balances[36],
  drop: ['top_k', 'seed', 'n', 'logit_bias'],
  rename: { max_completion_tokens: 'max_tokens' },
  streamUsage: true,
  models: ['deepseek-v4-pro', 'deepseek-v4-flash', 'deepseek-v4-flash-vision-exp', 'deepseek-chat', 'deepseek-reasoner'],
  patch: (body) => schemaAsInstruction(withReasoning(withMessages(body, (message) => developerToSystem(plainToolResult(message))))),
}

/** The vendor accepts a tool result only as a string. */
function plainToolResult(message: JsonObject): JsonObject {
  const { role, content } = message
  if (role !== 'tool' || !Array.isArray(content)) return message
  return { ...message, content: content.map((part) => (isObject(part) ? textOr(part['text'], '') : '')).join('\n') }
}

/** After a tool call, every assistant message must have `reasoning_content`: an empty one, if the client lost it. */
function withReasoning(body: JsonObject): JsonObject {
  const { messages } = body
  const hasCalls = Array.isArray(messages) && messages.some((message) => isObject(message) && Array.isArray(message['tool_calls']))
  return hasCalls ? withMessages(body, reasoned) : body
}

function reasoned(message: JsonObject): JsonObject {
  return message['role'] !== 'assistant' ? message : { ...message, reasoning_content: textOr(message['reasoning_content'], '') }
}

/** The vendor can enforce JSON but no schema, so the schema is put into the prompt, which has to mention JSON anyway. */
function schemaAsInstruction(body: JsonObject): JsonObject {
  const { response_format: format, messages } = body
  if (!isObject(format) || format['type'] !== 'json_schema' || !Array.isArray(messages)) return body
  const declared = isObject(format['json_schema']) ? format['json_schema']['schema'] : undefined
  const content = `Answer with one JSON object that fits this JSON schema: ${JSON.stringify(declared ?? {})}`
  return { ...body, response_format: { type: 'json_object' }, messages: [{ role: 'system', content }, ...messages] }
}
