import { isGiven, isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

// What OpenAI's own tools did in earlier turns (OpenAI API reference, "Responses", the items of `input`, read 2026-11-30). Other vendors do not have these
// tools, but a conversation may go on there: what a chat can hold becomes function calls and their results.

/** A call that the client runs: its result is an item of its own. */
interface ClientCall {
  readonly name: string
  readonly arguments: (item: JsonObject) => Json
}

/** A call that the vendor has run: its result is in the item. */
interface VendorCall extends ClientCall {
  readonly result: (item: JsonObject) => string
}

const clientCalls: ReadonlyMap<string, ClientCall> = new Map([
  ['local_shell_call', { name: 'local_shell', arguments: ({ action }) => action ?? {} }],
  ['shell_call', { name: 'shell', arguments: ({ action }) => action ?? {} }],
  ['apply_patch_call', { name: 'apply_patch', arguments: ({ operation }) => operation ?? {} }],
  ['computer_call', { name: 'computer', arguments: ({ action, actions }) => action ?? actions ?? {} }],
])

const vendorCalls: ReadonlyMap<string, VendorCall> = new Map([
  [
    'code_interpreter_call',
    { name: 'code_interpreter', arguments: ({ code }) => ({ code: textOr(code, '') }), result: ({ outputs }) => outputsOf(outputs) },
  ],
  [
    'file_search_call',
    { name: 'file_search', arguments: ({ queries }) => ({ queries: queries ?? [] }), result: ({ results }) => searchText(results) },
  ],
  [
    'image_generation_call',
    {
      name: 'image_generation',
      arguments: ({ revised_prompt: prompt }) => ({ prompt: textOr(prompt, '') }),
      result: ({ result, status }) => (isGiven(result) || status === 'completed' ? 'The image was generated.' : 'No image was generated.'),
    },
  ],
])

/** Items of which the response that follows has all that matters. */
const untold: ReadonlySet<string> = new Set(['web_search_call', 'mcp_list_tools', 'mcp_approval_request', 'mcp_approval_response'])

const results: ReadonlySet<string> = new Set([...clientCalls.keys()].map((type) => `${type}_output`))

/** Whether an item is about one of these tools, in a form that a chat can hold: an image that the vendor has stored is not. */
export function isOwnCall({ type: rawType, output }: JsonObject): boolean {
  const type = textOr(rawType, '')
  if (type === 'computer_call_output') return isObject(output) && typeof output['image_url'] === 'string'
  return clientCalls.has(type) || vendorCalls.has(type) || untold.has(type) || results.has(type) || type === 'mcp_call'
}

/** The address of an image that the model made itself; `null` = there is none. OpenAI's tool also reports its prompt, which the model must know. */
export function imageIn({ type, result, revised_prompt: prompt, output_format: format }: JsonObject): string | null {
  const isOwn = type === 'image_generation_call' && textOr(prompt, '') === ''
  if (!isOwn || typeof result !== 'string' || result === '') return null
  return `data:image/${textOr(format, 'png')};base64,${result}`
}

/** What a chat has in the place of an item: a call, the result of one, both, or nothing. */
export interface ChatCall {
  readonly call?: JsonObject
  readonly result?: JsonObject
}

/** Translates these items, one after the other. */
export class OwnCalls {
  /** Ids of items -> ids of calls: the result of a local shell names the item. */
  readonly #ids = new Map<string, string>()

  /** `null` = it is none of them. */
  read(item: JsonObject): ChatCall | null {
    if (!isOwnCall(item)) return null
    const type = textOr(item['type'], '')
    const id = this.#idOf(item)
    if (results.has(type)) return { result: { role: 'tool', tool_call_id: id, content: contentOf(item) } }
    const own = clientCalls.get(type)
    if (own !== undefined) return { call: callOf(id, own.name, own.arguments(item)) }
    const vendorCall = vendorCalls.get(type)
    if (vendorCall !== undefined)
      return { call: callOf(id, vendorCall.name, vendorCall.arguments(item)), result: resultOf(id, vendorCall.result(item)) }
    return type === 'mcp_call' ? remoteCall(id, item) : {}
  }

  #idOf({ id, call_id: rawCallId }: JsonObject): string {
    const [itemId, callId] = [textOr(id, ''), textOr(rawCallId, '')]
    if (itemId !== '' && callId !== '') this.#ids.set(itemId, callId)
    return callId || (this.#ids.get(itemId) ?? itemId)
  }
}

function callOf(id: string, name: string, input: Json): JsonObject {
  return { id, type: 'function', function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) } }
}

const resultOf = (id: string, content: string): JsonObject => ({ role: 'tool', tool_call_id: id, content })

function remoteCall(id: string, { name, arguments: args, output, error }: JsonObject): ChatCall {
  const failed = typeof error === 'string' ? error : JSON.stringify(error ?? '')
  const content = isGiven(error) && !isGiven(output) ? `Error: ${failed}` : textOr(output, '')
  return { call: callOf(id, textOr(name, 'tool'), textOr(args, '{}')), result: resultOf(id, content) }
}

/** Of a computer, what the screen shows; of a shell, what its commands wrote. */
function contentOf({ type, output }: JsonObject): Json {
  if (type === 'computer_call_output' && isObject(output)) return [{ type: 'image_url', image_url: { url: output['image_url'] } }]
  if (typeof output === 'string') return output
  return objectsIn(output)
    .map(({ stdout, stderr }) => [stdout, stderr].filter((text) => typeof text === 'string' && text !== '').join('\n'))
    .join('\n')
}

function outputsOf(outputs: Json | undefined): string {
  return objectsIn(outputs)
    .map(({ type, logs }) => (type === 'image' ? '(an image)' : textOr(logs, '')))
    .join('\n')
}

function searchText(hits: Json | undefined): string {
  return objectsIn(hits)
    .map(({ filename, text }) => [filename, text].filter((part) => typeof part === 'string').join('\n'))
    .join('\n\n')
}
