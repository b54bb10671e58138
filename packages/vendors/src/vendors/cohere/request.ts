import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { withPlainResults } from '../../protocols/compat/messages.ts'
import { withAllowedTools } from '../../protocols/shared/allowed-tools.ts'
import { objectsIn, omitUndefined, stopsIn } from '../../protocols/shared/chat-parts.ts'
import { hasLegacyFunctions, withTools } from '../../protocols/shared/legacy-functions.ts'
import { fittingSchema } from '../../protocols/shared/schema-instruction.ts'
import { withTextInstructions } from '../../protocols/shared/text-system.ts'
import { withoutEmptyLimits } from '../../protocols/shared/token-limit-fields.ts'

/** Most stop sequences of one request. */
const stopsMax = 5

/** Fields of the vendor's own that a client may send beside OpenAI's. */
const ownFields = ['documents', 'citation_options', 'safety_mode', 'k', 'p', 'strict_tools', 'priority'] as const

/** A chat for Cohere's second interface (docs.cohere.com, "Chat (v2)", a stored copy read 2026-11-22). */
export function toCohere(request: JsonObject, { model, stream, outputLimit }: Target): Outgoing {
  const chat = withPlainResults(withAllowedTools(withTools(withoutEmptyLimits(request))))
  const { max_completion_tokens: newer, max_tokens: older, stop } = chat
  const { tools, choice } = toolsOf(chat)
  const format = formatOf(chat['response_format'], tools.length > 0)
  // A system message has texts alone ("Chat (v2)", `SystemMessageV2`).
  const messages = toMessages(withTextInstructions(objectsIn(chat['messages'])))
  const stops = stopsIn(stop)
  const refused = messages === null ? 'messages' : stops.length > stopsMax ? 'stop' : null
  return {
    path: '/v2/chat',
    headers: noHeaders,
    body: omitUndefined({
      model,
      messages: [...format.messages, ...(messages ?? [])],
      stream,
      max_tokens: outputLimit ?? newer ?? older,
      temperature: chat['temperature'],
      p: chat['top_p'],
      k: chat['top_k'],
      seed: chat['seed'],
      frequency_penalty: penaltyOf(chat['frequency_penalty']),
      presence_penalty: penaltyOf(chat['presence_penalty']),
      stop_sequences: stops.length === 0 ? undefined : stops,
      tools: tools.length === 0 ? undefined : tools,
      tool_choice: choice,
      strict_tools: tools.length > 0 && tools.every(isStrict) ? true : undefined,
      response_format: format.field,
      thinking: thinkingOf(chat, model),
      ...Object.fromEntries(ownFields.flatMap((name) => (chat[name] === undefined ? [] : [[name, chat[name]]]))),
    }),
    ...(hasLegacyFunctions(request) ? { callsFunctions: true } : {}),
    ...(refused === null ? {} : { refused }),
  }
}

/** From 0 to 1 here; a penalty below 0 has no equal. */
function penaltyOf(penalty: Json | undefined): number | undefined {
  return typeof penalty === 'number' && penalty > 0 ? Math.min(1, penalty) : undefined
}

function isStrict({ function: declared }: JsonObject): boolean {
  return isObject(declared) && declared['strict'] === true
}

/** A named tool is the only one that is offered, and one must be called. */
function toolsOf({ tools, tool_choice: choice }: JsonObject): { readonly tools: readonly JsonObject[]; readonly choice?: string } {
  const all = (Array.isArray(tools) ? tools : []).filter(isObject).filter((tool) => isObject(tool['function']))
  if (all.length === 0) return { tools: [] }
  if (isObject(choice) && isObject(choice['function'])) {
    const { name } = choice['function']
    return { tools: all.filter((tool) => isObject(tool['function']) && tool['function']['name'] === name), choice: 'REQUIRED' }
  }
  if (choice === 'required') return { tools: all, choice: 'REQUIRED' }
  return choice === 'none' ? { tools: all, choice: 'NONE' } : { tools: all }
}

interface Format {
  readonly field?: JsonObject
  readonly messages: readonly JsonObject[]
}

/** The vendor refuses the field together with tools; an instruction then stands in its place. */
function formatOf(format: Json | undefined, hasTools: boolean): Format {
  if (!isObject(format) || (format['type'] !== 'json_object' && format['type'] !== 'json_schema')) return { messages: [] }
  const { json_schema: declared } = format
  const schema = isObject(declared) && isObject(declared['schema']) ? declared['schema'] : null
  if (!hasTools) return { field: { type: 'json_object', ...(schema === null ? {} : { json_schema: schema }) }, messages: [] }
  const form = schema === null ? '' : ` ${fittingSchema(schema)}`
  return { messages: [{ role: 'system', content: `Unless you call a tool, answer only with one JSON object${form}.` }] }
}

/** Tokens of reasoning for each effort (our table); more than `medium` has no limit. */
const budgets: Readonly<Record<string, number>> = { minimal: 512, low: 2_048, medium: 8_192 }

/** Only these models think. */
const thinks = /command-a-(?:plus|reasoning)/

function thinkingOf({ thinking, reasoning_effort: effort }: JsonObject, model: string): JsonObject | undefined {
  if (isObject(thinking)) {
    const { type, budget_tokens: budget, token_budget: own = budget } = thinking
    return { type: type ?? 'enabled', ...(own === undefined ? {} : { token_budget: own }) }
  }
  if (typeof effort !== 'string' || !thinks.test(model)) return undefined
  if (effort === 'none') return { type: 'disabled' }
  const limit = lookUp(budgets, effort)
  return { type: 'enabled', ...(limit === undefined ? {} : { token_budget: limit }) }
}

/** `null` = a part that the vendor cannot take. */
function toMessages(list: readonly JsonObject[]): readonly JsonObject[] | null {
  const messages = list.map(toMessage)
  return messages.every((message) => message !== null) ? messages : null
}

function toMessage({ role, content, tool_calls: calls, tool_call_id: id }: JsonObject): JsonObject | null {
  if (role === 'tool') return { role, tool_call_id: textOr(id, ''), content: plainText(content) }
  if (role !== 'assistant') {
    const parts = Array.isArray(content) ? content.filter(isObject).map(toPart) : null
    if (parts?.some((part) => part === null)) return null
    return { role: role === 'developer' ? 'system' : (role ?? 'user'), content: parts ?? textOr(content, '') }
  }
  const text = plainText(content)
  if (!Array.isArray(calls) || calls.length === 0) return { role, content: text }
  // With calls, the text is the plan that led to them.
  return { role, tool_calls: calls, ...(text === '' ? {} : { tool_plan: text }) }
}

function toPart(part: JsonObject): JsonObject | null {
  const { type, text, image_url: image } = part
  if (type === 'text' || type === 'input_text') return { type: 'text', text: textOr(text, '') }
  if (type === 'image_url') return { type, image_url: isObject(image) ? image : { url: textOr(image, '') } }
  return type === 'document' ? part : null
}

function plainText(content: Json | undefined): string {
  if (!Array.isArray(content)) return textOr(content, '')
  return content.map((part) => (isObject(part) ? textOr(part['text'], textOr(part['refusal'], '')) : '')).join('\n')
}
