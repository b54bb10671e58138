import { ExactNumber } from '@sluice/vendors/core/exact-number'
import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { Kind } from '@sluice/vendors/core/kind'
import { member, objectMember } from '@sluice/vendors/protocols/shared/proto-members'
import type { RequestParams } from '../model/request-params.ts'
import { estimateTokens } from './count-tokens.ts'

// The kinds count messages, inputs and tools. Here is what else of a body a model may read.

/**
 * Members beside the messages that models read: forms of responses, documents, and what chat templates of self-hosted servers write into the prompt.
 * From the tables of bodies.
 */
const readMembers = [
  ...['response_format', 'text', 'output_config', 'output_format', 'documents', 'guided_json', 'guided_regex', 'guided_choice'],
  ...['guided_grammar', 'structured_outputs', 'grammar', 'json_schema', 'chat_template', 'chat_template_kwargs', 'extra_body'],
] as const
/** Members of `generationConfig` that models read. */
const readSettings = ['responseSchema', 'responseJsonSchema'] as const

/** Kinds whose prompt is text, and may be in any member of a body. */
const kindsOfText: ReadonlySet<Kind> = new Set([
  ...(['chat', 'messages', 'responses', 'generate', 'embed', 'completions', 'edits', 'embeddings', 'moderations', 'rerank'] as const),
])

/** Characters of a body that need no explanation: settings, and names that nobody lists. */
const unexplainedMax = 4_096
/** Characters of text that are one token in the estimate, at most. */
const charsOfToken = 4

/** The parameters with the tokens of all that a model may read of this body. Takes time in proportion to the number of its values. */
export function withUnreadText(params: RequestParams, kind: Kind, body: JsonObject): RequestParams {
  if (!kindsOfText.has(kind)) return params
  const isInput = kindsOfInput.has(kind)
  const known = isInput ? params : withTokens(params, tokensBeside(body))
  const all = kind === 'messages' ? withoutDeferred(body) : body
  const bytes = params.unmeasured?.characters ?? 0
  const characters = sizeOfBody(all, { sizeOf: lengthOf, skipped: isInput ? imagesIn : noNames }) - bytes
  if (characters - known.promptTokens * charsOfToken <= unexplainedMax) return known
  const read = isInput ? known : withSealed(known, characters + bytes - sizeOfBody(all, { sizeOf: lengthOf, skipped: sealed }))
  const tokens = sizeOfBody(all, { sizeOf: estimateTokens, skipped: isInput ? imagesIn : sealed }) - Math.ceil(bytes / charsOfToken)
  const unread = tokens - known.promptTokens
  const counted = unread <= unexplainedMax / charsOfToken ? read : withTokens(read, unread)
  return counted.textPrompt === undefined ? counted : { ...counted, textPrompt: { ...counted.textPrompt, hasMore: true } }
}

/** Characters of sealed bytes, in base64, for one token of the text in them. */
const sealedCharsOfToken = 5

function withSealed(params: RequestParams, characters: number): RequestParams {
  return characters === 0 ? params : { ...params, sealedTokens: Math.ceil(characters / sealedCharsOfToken) }
}

/** Without the tools whose loading is deferred. */
function withoutDeferred(body: JsonObject): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools) || !tools.some(isDeferred)) return body
  return { ...body, tools: tools.filter((tool) => !isDeferred(tool)) }
}

const isDeferred = (tool: Json): boolean => isObject(tool) && tool['defer_loading'] === true

function withTokens(params: RequestParams, tokens: number): RequestParams {
  if (tokens === 0) return params
  const { promptTokens, textPrompt } = params
  const counted = { ...params, promptTokens: promptTokens + tokens }
  return textPrompt === undefined ? counted : { ...counted, textPrompt: { ...textPrompt, tokens: textPrompt.tokens + tokens } }
}

/** Estimated tokens of members that models read beside the messages. */
function tokensBeside(body: JsonObject): number {
  const config = objectMember(body, 'generationConfig')
  const values = [...readMembers.map((name) => body[name]), ...readSettings.map((name) => member(config, name))]
  return values.reduce((sum: number, value) => sum + (isLong(value) ? estimateTokens(JSON.stringify(value)) : 0), 0)
}

/** Switches, such as `{"type":"json_object"}`, are not written into a prompt. */
function isLong(value: Json | undefined): value is Json {
  if (typeof value === 'string') return true
  if (Array.isArray(value)) return value.length > 0
  return isObject(value) && Object.values(value).some((inner) => typeof inner === 'object' && inner !== null)
}

/** Names that the protocols give to the parts of a conversation. */
const usualNames: ReadonlySet<string> = new Set([
  ...['messages', 'contents', 'input', 'system', 'instructions', 'tools', 'functions', 'role', 'content', 'parts', 'text', 'type', 'id'],
  ...['name', 'function', 'arguments', 'tool_calls', 'tool_call_id', 'call_id', 'output', 'summary', 'status', 'tool_use_id', 'source'],
  ...['data', 'media_type', 'inlineData', 'inline_data', 'mimeType', 'mime_type', 'image_url', 'url', 'detail', 'functionCall', 'args'],
  ...['functionResponse', 'response', 'cache_control', 'annotations', 'description', 'parameters', 'properties', 'required'],
  ...['input_schema', 'items', 'enum', 'title', 'additionalProperties'],
])
/** Names and labels that distinguish parts: models do not read them, or as little as the count of a message includes. */
const labels: ReadonlySet<string> = new Set(['type', 'role', 'id', 'tool_call_id', 'call_id', 'tool_use_id', 'status', 'detail', 'model'])
const labelMax = 64
/** Members that no model reads. */
const unreadMembers: ReadonlySet<string> = new Set(['metadata', 'user', 'safety_identifier', 'prompt_cache_key', 'logit_bias'])
/** Bytes that only their vendor can read: how many tokens these are is its secret. */
const sealed: ReadonlySet<string> = new Set([
  ...['encrypted_content', 'encrypted_index', 'encrypted_stdout', 'signature', 'thoughtSignature', 'thought_signature'],
])
/** Members that are sealed, or images of an earlier response, only in a part of this type. */
const sealedIn: ReadonlyMap<string, string> = new Map([
  ['result', 'image_generation_call'],
  ['data', 'redacted_thinking'],
])

/** Kinds that count a whole input, and each part of it that is no text as one image; and members of such parts. */
const kindsOfInput: ReadonlySet<Kind> = new Set(['embeddings', 'moderations', 'rerank'])
const imagesIn: ReadonlySet<string> = new Set(['image', 'image_url', 'url', 'video', 'audio', 'data'])

const noNames: ReadonlySet<string> = new Set()

/** How texts are measured. */
interface Measure {
  readonly sizeOf: (text: string) => number
  /** Members that hold bytes. */
  readonly skipped: ReadonlySet<string>
}

const lengthOf = (text: string): number => text.length

/** The size of all texts and names of a body. */
function sizeOfBody(body: JsonObject, measure: Measure): number {
  let size = 0
  for (const name in body) if (!unreadMembers.has(name)) size += sizeIn(body[name] ?? null, measure) + sizeOfName(name, measure)
  return size
}

const sizeOfName = (name: string, { sizeOf }: Measure): number => (usualNames.has(name) ? 0 : sizeOf(name))

/** The depth of parsed JSON is bounded, and so is that of this function. */
function sizeIn(value: Json, measure: Measure): number {
  if (typeof value === 'string') return measure.sizeOf(value)
  if (typeof value === 'number') return measure.sizeOf(textOf(value))
  if (value instanceof ExactNumber) return measure.sizeOf(value.toString())
  if (isObject(value)) return sizeInObject(value, measure)
  let size = 0
  if (Array.isArray(value)) for (const element of value) size += sizeIn(element, measure)
  return size
}

function sizeInObject(object: JsonObject, measure: Measure): number {
  let size = 0
  for (const name in object) {
    const value = object[name] ?? null
    if (value === null) continue
    if (typeof value !== 'string') size += sizeIn(value, measure)
    else if (isNoText(value, { name, object, skipped: measure.skipped })) continue
    else size += measure.sizeOf(value)
    size += sizeOfName(name, measure)
  }
  return size
}

interface TextMember {
  readonly name: string
  readonly object: JsonObject
  /** See `Measure`. */
  readonly skipped: ReadonlySet<string>
}

/** Whether the text of a member is not of the prompt: marks, and bytes. */
function isNoText(text: string, { name, object, skipped }: TextMember): boolean {
  if (labels.has(name)) return text.length <= labelMax
  return (skipped.has(name) || (sealedIn.has(name) && sealedIn.get(name) === object['type'])) && !text.includes(' ')
}

/** Numbers of a list of tokens are one token each. */
const tokenIdMax = 1_000_000
const tokenText = '0000'

function textOf(number: number): string {
  return Number.isInteger(number) && number >= 0 && number < tokenIdMax ? tokenText : String(number)
}
