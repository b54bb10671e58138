import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { withResultsNext } from '../calls/order-results.ts'
import { objectsIn, partsIn } from '../shared/chat-parts.ts'
import { isImage, isReasoning, isSigned, unmarked } from '../shared/gateway-marks.ts'
import { inputImagePart } from '../shared/output-images.ts'
import { isStrictSchema } from '../shared/strict-schema.ts'
import type { Holds } from '../shared/supports-extra.ts'
import { carriedBeside, revealed } from './hidden-reasoning.ts'
import { addressOf, marked, toContent } from './to-content.ts'
import { isToolChange, offeredTools } from './tool-changes.ts'

/** A request in Anthropic's form as a chat (Messages API, read 2026-11-23). */
export function toChat(body: JsonObject, holds: Holds): JsonObject {
  const { model, system, messages, stream, max_tokens: limit, stop_sequences: stops, top_k: topK } = body
  const tools = offeredTools(body)
  const turns = objectsIn(messages).flatMap((message) => toMessages(message, holds))
  return {
    model,
    messages: withResultsNext([...systemMessage(system, holds), ...turns]),
    ...(stream === true ? { stream } : {}),
    ...(typeof limit === 'number' ? { max_completion_tokens: limit } : {}),
    ...(Array.isArray(stops) && stops.length > 0 ? { stop: stops } : {}),
    ...pickDefined(body, 'temperature', 'top_p'),
    ...(typeof topK === 'number' && holds('top_k') ? { top_k: topK } : {}),
    ...(tools.length > 0 ? { tools: tools.map((tool) => toTool(tool, holds)), ...choiceOf(body) } : {}),
    ...effortOf(body, holds),
    ...formatOf(body),
    ...userOf(body),
  }
}

function pickDefined(body: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (typeof body[name] === 'number' ? [[name, body[name]] as const] : [])))
}

function systemMessage(system: Json | undefined, holds: Holds): readonly JsonObject[] {
  const content = toContent(system, holds)
  return content === '' ? [] : [{ role: 'system', content }]
}

function toMessages(message: JsonObject, holds: Holds): readonly JsonObject[] {
  const { role, content } = message
  if (role === 'assistant') return [assistantMessage(content, holds)]
  const blocks = partsIn(content)
  const results = blocks.filter(({ type }) => type === 'tool_result')
  // A message that only changes the tools says nothing.
  if (blocks.length > 0 && blocks.every(isToolChange)) return []
  if (results.length === 0) return [{ role: textOr(role, 'user'), content: toContent(content, holds) }]
  const rest = toContent(
    blocks.filter(({ type }) => type !== 'tool_result'),
    holds,
  )
  return [...results.map((result) => resultMessage(result, holds)), ...(rest === '' ? [] : [{ role: 'user', content: rest }])]
}

/** A chat has no field for a tool that failed, so its text says so. */
function resultMessage(result: JsonObject, holds: Holds): JsonObject {
  const { tool_use_id: id, content, is_error: isError } = result
  const toolContent = toContent(content, holds)
  return marked(result, { role: 'tool', tool_call_id: id, content: isError === true ? asError(toolContent) : toolContent }, holds)
}

const saysError = /^\W*error/i

function asError(content: Json): Json {
  if (typeof content === 'string') return saysError.test(content) ? content : `Error: ${content}`
  const parts = partsIn(content)
  const at = parts.findIndex(({ type }) => type === 'text')
  const text = parts[at]
  if (text === undefined) return [{ type: 'text', text: 'Error:' }, ...parts]
  return parts.with(at, { ...text, text: asError(text['text'] ?? '') })
}

function assistantMessage(content: Json | undefined, holds: Holds): JsonObject {
  const blocks = partsIn(content)
  const calls = blocks.filter(({ type }) => type === 'tool_use').map((block) => toCall(block, holds))
  const thinkingBlocks = blocks.filter(isReasoning)
  const extra = carriedBeside(thinkingBlocks)
  const reasoningBlocks = (extra === null ? thinkingBlocks : thinkingBlocks.slice(0, -1)).map(revealed)
  const signed = reasoningBlocks.map(unmarked).filter((block) => block !== null)
  // Claude's own reasoning is not sent to others.
  const own = reasoningBlocks.filter((block) => !isSigned(block))
  const reasoning = own.map(({ thinking }) => textOr(thinking, '')).join('')
  const textContent = typeof content === 'string' ? content : blocks.filter(({ type }) => type === 'text')
  const words = toContent(textContent, holds)
  const images = blocks.flatMap((block) => (isImage(block) ? [inputImagePart(addressOf(block.source), block, holds)] : []))
  return {
    role: 'assistant',
    content: words === '' && calls.length > 0 ? null : words,
    ...(images.length === 0 ? {} : { images }),
    ...(signed.length > 0 && holds('thinking_blocks') ? { thinking_blocks: signed } : {}),
    ...(reasoning !== '' && holds('reasoning_content') ? { reasoning_content: reasoning } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(extra !== null && holds('extra_content') ? { extra_content: extra } : {}),
  }
}

function toCall({ id, name, input, extra_content: extra }: JsonObject, holds: Holds): JsonObject {
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
  return isObject(extra) && holds('extra_content') ? { ...call, extra_content: extra } : call
}

function toTool(tool: JsonObject, holds: Holds): JsonObject {
  const { type, name, description, input_schema: schema, strict, allowed_domains: domains, user_location: place } = tool
  if (typeof type === 'string' && type !== 'custom')
    return {
      type: 'web_search',
      ...(Array.isArray(domains) ? { filters: { allowed_domains: domains } } : {}),
      ...(isObject(place) ? { user_location: place } : {}),
    }
  const declared = {
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(isObject(schema) ? { parameters: schema } : {}),
    ...(strict === true && (holds('strict_options') || isStrictSchema(schema)) ? { strict } : {}),
  }
  return marked(tool, { type: 'function', function: declared }, holds)
}

const choices: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' }

function choiceOf({ tool_choice: choice }: JsonObject): JsonObject {
  if (!isObject(choice)) return {}
  const { type, name, disable_parallel_tool_use: isSingle } = choice
  const word = lookUp(choices, textOr(type, ''))
  return {
    ...(word === undefined ? {} : { tool_choice: word }),
    ...(type === 'tool' ? { tool_choice: { type: 'function', function: { name } } } : {}),
    ...(isSingle === true ? { parallel_tool_calls: false } : {}),
  }
}

/** Largest budget of each effort (our table, the inverse of that for Claude). */
const budgets: ReadonlyArray<readonly [number, string]> = [
  [4_096, 'low'],
  [12_288, 'medium'],
]

const efforts: Readonly<Record<string, string>> = { low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'xhigh' }

/** A client that turns thinking off gets the vendor's default, because not all models know how to think nothing. */
function effortOf({ thinking, output_config: config }: JsonObject, holds: Holds): JsonObject {
  const named = isObject(config) ? lookUp(efforts, textOr(config['effort'], '')) : undefined
  if (!isObject(thinking) || thinking['type'] === 'disabled') return named === undefined ? {} : { reasoning_effort: named }
  const { budget_tokens: budget } = thinking
  const effort = named ?? (typeof budget === 'number' ? (budgets.find(([most]) => budget <= most)?.[1] ?? 'high') : undefined)
  if (effort === undefined) return {}
  return { reasoning_effort: effort, ...(typeof budget === 'number' && holds('thinking_budget') ? { thinking_budget: budget } : {}) }
}

/** Anthropic's schemas may have properties that are optional; OpenAI refuses those with `strict`. */
function formatOf({ output_config: config, output_format: older }: JsonObject): JsonObject {
  const format = isObject(config) && isObject(config['format']) ? config['format'] : older
  if (!isObject(format) || format['type'] !== 'json_schema') return {}
  const { schema } = format
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: isStrictSchema(schema) } } }
}

/** Longest name of an end user that OpenAI takes (API reference, `safety_identifier`, read 2026-11-23). */
const userMax = 64

function userOf({ metadata }: JsonObject): JsonObject {
  const id = isObject(metadata) ? textOr(metadata['user_id'], '') : ''
  return id === '' || id.length > userMax ? {} : { user: id }
}
