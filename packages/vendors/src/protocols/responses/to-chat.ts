import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { withResultsNext } from '../calls/order-results.ts'
import { type Carried, carriedIn } from '../shared/carried-reasoning.ts'
import { objectsIn, partsIn } from '../shared/chat-parts.ts'
import { toArguments, toFunction } from '../shared/custom-tools.ts'
import { inputImagePart } from '../shared/output-images.ts'
import type { Holds } from '../shared/supports-extra.ts'
import { withoutEmptyLimits } from '../shared/token-limit-fields.ts'
import { isStoredSearch, isWebSearch } from '../shared/web-search.ts'
import { discoveredTools, withoutGroups } from './namespaces.ts'
import { imageIn, OwnCalls } from './own-calls.ts'
import { isClientSearch, searchName, searchResultText } from './tool-search.ts'

/** Fields that mean the same in both. */
const sameFields = ['model', 'models', 'temperature', 'top_p', 'parallel_tool_calls', 'user', 'service_tier'] as const

/** A request for a response as a chat (OpenAI, "Migrate to the Responses API", read 2026-11-21). */
export function toChat(request: JsonObject, holds: Holds): JsonObject {
  const body = withoutGroups(withoutEmptyLimits(request))
  const { instructions, input, tools: requestTools, tool_choice: choice, max_output_tokens: limit, reasoning, text, stream } = body
  const tools = [...(Array.isArray(requestTools) ? requestTools.filter((tool) => !isStoredSearch(tool)) : []), ...discoveredTools(input)]
  const system = instructionsIn(instructions, holds)
  const turns = toMessages(typeof input === 'string' ? [{ role: 'user', content: input }] : input, holds)
  const messages = withResultsNext([...system, ...turns])
  const same = Object.fromEntries(sameFields.flatMap((name) => (isGiven(body[name]) ? [[name, body[name]] as const] : [])))
  return {
    ...same,
    messages,
    ...(stream === true ? { stream } : {}),
    ...(tools.length > 0 ? { tools: tools.filter(isObject).map(toTool) } : {}),
    ...(isGiven(choice) ? { tool_choice: toToolChoice(choice) } : {}),
    ...(isGiven(limit) ? { max_completion_tokens: limit } : {}),
    ...effortIn(reasoning),
    ...formatIn(text),
  }
}

/** Some clients write them as items. */
function instructionsIn(instructions: Json | undefined, holds: Holds): readonly JsonObject[] {
  if (typeof instructions === 'string') return instructions === '' ? [] : [{ role: 'system', content: instructions }]
  return toMessages(
    partsIn(instructions).map((item) => (item['type'] === 'text' ? { role: 'system', content: item['text'] ?? '' } : item)),
    holds,
  )
}

function toMessages(items: Json | undefined, holds: Holds): readonly JsonObject[] {
  const reader = new ItemReader(holds)
  for (const item of objectsIn(items)) reader.read(item)
  return reader.messages
}

/** Reasoning before a message: their text, and their blocks as the vendor signed them. */
interface Reasoning {
  readonly texts: string[]
  readonly blocks: JsonObject[]
}

const noReasoning = (): Reasoning => ({ texts: [], blocks: [] })

/** A message that may still get calls, and reasoning before them. */
interface Draft {
  readonly message: JsonObject
  readonly reasoning: Reasoning
  readonly calls: JsonObject[]
  /** Images that the model made. */
  readonly images: JsonObject[]
  /** What the vendor wants back with its text. */
  extra?: JsonObject
}

/** Consecutive calls, and the text and reasoning before them, become one message of a chat. */
class ItemReader {
  readonly #drafts: Draft[] = []
  readonly #holds: Holds
  readonly #own = new OwnCalls()
  /** What the next message of the model has of the reasoning before it. */
  #reasoning = noReasoning()

  constructor(holds: Holds) {
    this.#holds = holds
  }

  get messages(): readonly JsonObject[] {
    return this.#drafts.map(toDrafted)
  }

  read(item: JsonObject): void {
    const address = imageIn(item)
    if (address !== null && this.#holds('images')) {
      this.#draft().images.push(inputImagePart(address, item, this.#holds))
      return
    }
    const ownCall = this.#own.read(item)
    if (ownCall !== null) {
      if (ownCall.call !== undefined) this.#call(ownCall.call)
      if (ownCall.result !== undefined) this.#add(ownCall.result)
      return
    }
    switch (item['type']) {
      case 'reasoning':
        this.#think(item)
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'tool_search_output':
        this.#add(toToolMessage(item))
        break
      case 'function_call':
      case 'custom_tool_call':
      case 'tool_search_call':
        this.#call(toCall(item, this.#holds))
        break
      default:
        this.#add(toMessage(item))
    }
  }

  #think(item: JsonObject): void {
    const carried = carriedIn(item['encrypted_content'])
    const last = this.#drafts.at(-1)
    // What the vendor wants back with a text follows it.
    if (carried?.extra !== undefined && last?.message['role'] === 'assistant') {
      if (this.#holds('extra_content')) last.extra = carried.extra
    } else if (carried !== null) addReasoning(this.#reasoning, reasoningOf(item, carried, this.#holds))
  }

  #add(message: JsonObject): Draft {
    const draft: Draft = { message, reasoning: message['role'] === 'assistant' ? this.#reasoning : noReasoning(), calls: [], images: [] }
    this.#drafts.push(draft)
    this.#reasoning = noReasoning()
    return draft
  }

  #call(call: JsonObject): void {
    this.#draft().calls.push(call)
  }

  /** The message of the model that goes on, with the reasoning so far. */
  #draft(): Draft {
    const last = this.#drafts.at(-1)
    const draft = last?.message['role'] === 'assistant' ? last : this.#add({ role: 'assistant', content: null })
    addReasoning(draft.reasoning, this.#reasoning)
    this.#reasoning = noReasoning()
    return draft
  }
}

function addReasoning({ texts, blocks }: Reasoning, more: Reasoning): void {
  for (const text of more.texts) texts.push(text)
  for (const block of more.blocks) blocks.push(block)
}

function toDrafted({ message, reasoning: { texts, blocks }, calls, images, extra }: Draft): JsonObject {
  return {
    ...message,
    ...(images.length === 0 ? {} : { images }),
    ...(texts.length === 0 ? {} : { reasoning_content: texts.join('') }),
    ...(blocks.length === 0 ? {} : { thinking_blocks: blocks }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(extra === undefined ? {} : { extra_content: extra }),
  }
}

/** What the vendor wants back of the reasoning that a reasoning item of ours is about. */
function reasoningOf({ summary }: JsonObject, { blocks = [] }: Carried, holds: Holds): Reasoning {
  const reasoningText = objectsIn(summary)
    .map((part) => textOr(part['text'], ''))
    .join('')
  return {
    texts: reasoningText !== '' && holds('reasoning_content') ? [reasoningText] : [],
    blocks: holds('thinking_blocks') ? [...objectsIn(blocks)] : [],
  }
}

function toCall(item: JsonObject, holds: Holds): JsonObject {
  const { call_id: id, extra_content: extra } = item
  return {
    id,
    type: 'function',
    function: functionOf(item),
    ...(isObject(extra) && holds('extra_content') ? { extra_content: extra } : {}),
  }
}

function functionOf(item: JsonObject): JsonObject {
  const { type, input, arguments: args } = item
  if (type === 'tool_search_call') return { name: searchName, arguments: JSON.stringify(args ?? {}) }
  return { name: item['name'], arguments: type === 'custom_tool_call' ? toArguments(input) : args }
}

function toToolMessage(item: JsonObject): JsonObject {
  const { type, call_id: id, output } = item
  return { role: 'tool', tool_call_id: id, content: type === 'tool_search_output' ? searchResultText(item) : resultOf(output) }
}

/** Some clients send what a tool gave as the value that it is, not as its JSON. */
function resultOf(output: Json | undefined): Json {
  return Array.isArray(output) || typeof output === 'string' || !isGiven(output) ? toContent(output) : JSON.stringify(output)
}

function toMessage({ role = 'user', content }: JsonObject): JsonObject {
  return { role, content: role === 'assistant' ? wordsOf(content) : toContent(content) }
}

/** Content of the model is sent back as plain text. */
function wordsOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? ''
  return partsIn(content)
    .map((part) => part['text'] ?? part['refusal'] ?? '')
    .join('')
}

function toContent(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? ''
  const parts = partsIn(content).map(toPart)
  const [first] = parts
  return parts.length === 1 && first?.['type'] === 'text' ? (first['text'] ?? '') : parts
}

function toPart(part: JsonObject): JsonObject {
  const { type, text, image_url: url, detail, filename, file_data: data, input_audio: audio } = part
  switch (type) {
    case 'input_image':
      return { type: 'image_url', image_url: { url, ...(isGiven(detail) ? { detail } : {}) } }
    case 'input_file':
      return { type: 'file', file: { ...(isGiven(filename) ? { filename } : {}), file_data: data } }
    case 'input_audio':
      return { type: 'input_audio', input_audio: audio }
    default:
      return { type: 'text', text: text ?? part['refusal'] ?? '' }
  }
}

function toTool(tool: JsonObject): JsonObject {
  if (tool['type'] === 'custom') return toFunction(tool)
  // Chats with web search accept this tool.
  if (isWebSearch(tool)) return tool
  const { description, parameters, strict } = tool
  const name = isClientSearch(tool) ? searchName : tool['name']
  return {
    type: 'function',
    function: {
      name,
      ...(isGiven(description) ? { description } : {}),
      ...(isGiven(parameters) ? { parameters } : {}),
      ...(isGiven(strict) ? { strict } : {}),
    },
  }
}

function toToolChoice(choice: Json | undefined): Json | undefined {
  return isObject(choice) && !isWebSearch(choice) ? { type: 'function', function: { name: choice['name'] } } : choice
}

function effortIn(reasoning: Json | undefined): JsonObject {
  return isObject(reasoning) && isGiven(reasoning['effort']) ? { reasoning_effort: reasoning['effort'] } : {}
}

function formatIn(text: Json | undefined): JsonObject {
  if (!isObject(text)) return {}
  const { format, verbosity } = text
  const verbosityField = isGiven(verbosity) ? { verbosity } : {}
  if (!isObject(format) || format['type'] === 'text') return verbosityField
  const { type, ...schema } = format
  return { ...verbosityField, response_format: type === 'json_schema' ? { type, json_schema: schema } : { type } }
}
