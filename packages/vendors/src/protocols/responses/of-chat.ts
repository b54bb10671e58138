import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { objectsIn, stopsIn } from '../shared/chat-parts.ts'
import { extraOf } from '../shared/extra-content.ts'

/** The least that responses take as a limit of output tokens (OpenAI, as openai/openai-python 2546 quotes the error, read 2026-11-25). */
const outputLeast = 16

/**
 * A chat as a request for a response (OpenAI, "Migrate to the Responses API", read 2026-11-21). What is not known is passed on; `seed` and the
 * penalties only tune what is likely, and models that reason refuse them in chats, too.
 */
export function responseOfChat(chat: JsonObject, { model, outputLimit, refusal }: Target): Pick<Outgoing, 'body' | 'refused'> {
  const { messages, tools, tool_choice: choice, response_format: format, verbosity, reasoning_effort: effort, ...others } = chat
  const { max_tokens: older, max_completion_tokens: newer, n: _one, stop: _none, logprobs: _no, store, ...rest } = withoutTuning(others)
  const limit = outputLimit ?? newer ?? older
  const text = { ...formatOf(format), ...(isGiven(verbosity) ? { verbosity } : {}) }
  const refused = refusedIn(chat)
  const body = {
    ...rest,
    model,
    input: inputOf(objectsIn(messages)),
    tools: objectsIn(tools).map(flat),
    ...(isGiven(choice) ? { tool_choice: choiceOf(choice) } : {}),
    ...(typeof limit === 'number' ? { max_output_tokens: Math.max(limit, outputLeast) } : {}),
    ...(isGiven(effort) ? { reasoning: { effort } } : {}),
    ...(Object.keys(text).length > 0 ? { text } : {}),
    store: store ?? false,
    // The vendor stores nothing, so its reasoning travels with the calls that follow it.
    ...(refusal?.param === 'include' ? {} : { include: ['reasoning.encrypted_content'] }),
  }
  return { body, ...(refused === undefined ? {} : { refused }) }
}

/** What responses have no place for, or in a form whose response is not translated. */
function refusedIn({ n, logprobs, stop, web_search_options: search }: JsonObject): string | undefined {
  if (typeof n === 'number' && n > 1) return 'n'
  if (logprobs === true) return 'logprobs'
  if (stopsIn(stop).length > 0) return 'stop'
  return isGiven(search) ? 'web_search_options' : undefined
}

const tuning = ['stream_options', 'top_logprobs', 'seed', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'prediction']

function withoutTuning(chat: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(chat).filter(([name]) => !tuning.includes(name)))
}

/**
 * Calls and their results are items beside the messages, which have no names. These models want to know which words of theirs came before a call, or they
 * end too early ("GPT-5.4 Migration Guide" of OpenRouter, `phase`, read 2026-11-26).
 */
function inputOf(messages: readonly JsonObject[]): readonly JsonObject[] {
  const calls = messages.flatMap(({ tool_calls: toolCalls }) => objectsIn(toolCalls))
  /** Ids of calls whose input is free text: their results have a type of their own. */
  const free = new Set(calls.filter(({ custom }) => isObject(custom)).map(({ id }) => id))
  return messages.flatMap((message) => {
    const { role, content, tool_call_id: id } = message
    if (role !== 'tool') return itemsOf(message)
    return [{ type: `${free.has(id) ? 'custom_tool' : 'function'}_call_output`, call_id: id, output: contentOf(content) }]
  })
}

function itemsOf({ role, content: rawContent, refusal, tool_calls: calls }: JsonObject): readonly JsonObject[] {
  const content = isGiven(refusal) && !isGiven(rawContent) ? [{ type: 'refusal', refusal: refusal ?? '' }] : rawContent
  const [first, ...others] = objectsIn(calls)
  if (role !== 'assistant') return [{ role, content: contentOf(content) }]
  const message = { role, content: wordsOf(content), phase: first === undefined ? 'final_answer' : 'commentary' }
  if (first === undefined) return [message]
  // The model thinks before it speaks, and speaks before it calls.
  const words = !isGiven(content) || content === '' ? [] : [message]
  return [...reasoningOf(first), ...words, callOf(first), ...others.flatMap((call) => [...reasoningOf(call), callOf(call)])]
}

/** The reasoning before a call, as the vendor encrypted it. The vendor would look for any other among what its account has stored. */
function reasoningOf(call: JsonObject): readonly JsonObject[] {
  return objectsIn(extraOf(call, 'openai')?.['reasoning']).flatMap(({ id, summary = [], encrypted_content: encrypted }) =>
    typeof encrypted === 'string' && encrypted !== '' ? [{ id, summary, type: 'reasoning', encrypted_content: encrypted }] : [],
  )
}

function callOf({ id, function: called, custom }: JsonObject): JsonObject {
  if (isObject(custom)) return { type: 'custom_tool_call', call_id: id, name: custom['name'], input: custom['input'] }
  const { name, arguments: args } = isObject(called) ? called : {}
  return { type: 'function_call', call_id: id, name, arguments: textOr(args, '{}') }
}

function wordsOf(content: Json | undefined): Json {
  if (!Array.isArray(content)) return content ?? ''
  return objectsIn(content).map(({ text, refusal }) =>
    refusal === undefined ? { type: 'output_text', text: textOr(text, '') } : { type: 'refusal', refusal },
  )
}

function contentOf(content: Json | undefined): Json {
  return Array.isArray(content) ? objectsIn(content).map(partOf) : (content ?? '')
}

function partOf(part: JsonObject): JsonObject {
  const { type, text, image_url: image, file } = part
  if (type === 'image_url' && isObject(image)) {
    const { url, detail = 'auto' } = image
    return { type: 'input_image', image_url: url, detail }
  }
  if (type === 'file' && isObject(file)) return { type: 'input_file', ...file }
  return type === 'text' ? { type: 'input_text', text: textOr(text, '') } : part
}

/** A tool of a chat has its members a level deeper. Responses enforce a schema unless the request disables that. */
function flat({ type, function: declared, custom, ...rest }: JsonObject): JsonObject {
  if (isObject(custom)) return { type, ...custom, ...(isObject(custom['format']) ? { format: grammarOf(custom['format']) } : {}) }
  return isObject(declared) ? { type, parameters: null, strict: false, ...declared } : { type, ...rest }
}

function grammarOf({ grammar, ...format }: JsonObject): JsonObject {
  return isObject(grammar) ? { ...format, ...grammar } : format
}

function choiceOf(choice: Json | undefined): Json | undefined {
  if (!isObject(choice)) return choice
  const { type, function: named, custom, allowed_tools: allowed } = choice
  if (isObject(allowed)) return { type, mode: allowed['mode'], tools: objectsIn(allowed['tools']).map(flatChoice) }
  return isObject(named) || isObject(custom) ? flatChoice(choice) : choice
}

function flatChoice({ type, function: named, custom }: JsonObject): JsonObject {
  const { name } = isObject(named) ? named : isObject(custom) ? custom : {}
  return { type, name }
}

function formatOf(format: Json | undefined): JsonObject {
  if (!isObject(format)) return {}
  const { type, json_schema: schema } = format
  return { format: isObject(schema) ? { type, ...schema } : { type } }
}
