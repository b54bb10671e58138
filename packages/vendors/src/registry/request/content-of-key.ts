import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { storedImageOf, storedItemOf } from '../../protocols/responses/references.ts'
import { member } from '../../protocols/shared/proto-members.ts'

/** Members of a request that name what a vendor keeps for the account of the key: by a text, or by an object with an id. */
const named = ['cachedContent', 'container', 'conversation'] as const
const withId = [...named, 'prompt'] as const

/** Members by which a tool reads stores of the account. */
const ofTool = ['fileSearch', 'retrieval', 'vectorStoreIds'] as const

/** Members that name what is kept by its id, wherever they stand in a tool. */
const idsInTool: ReadonlySet<string> = new Set(
  ['file', 'container', 'skill', 'vector_store', 'vectorStore', 'collection', 'library', 'knowledge'].flatMap((noun) =>
    ['_id', '_ids', 'Id', 'Ids'].map((end) => noun + end),
  ),
)

/** Members of a tool that hold functions of the client, schemas, and what goes to a server of the client's choice. */
const ofSchemas: ReadonlySet<string> = new Set([
  ...['parameters', 'parametersJsonSchema', 'parameters_json_schema', 'response', 'responseJsonSchema', 'response_json_schema'],
  ...['input_schema', 'inputSchema', 'output_schema', 'outputSchema', 'input_examples', 'headers'],
  ...['function', 'functionDeclarations', 'function_declarations'],
])

/**
 * Members that hold values of the client's own functions, schemas, and notes of the client, whose names mean nothing here. All others are looked
 * at, at any depth and in every kind of call: an overlooked place must not let a client read the files of others.
 */
const ofClients: ReadonlySet<string> = new Set([
  ...['args', 'arguments', 'response', 'output', 'parameters', 'metadata'],
  ...['schema', 'json_schema', 'responseSchema', 'response_schema', 'responseJsonSchema', 'response_json_schema'],
])

/** Anybody can read what is behind such an address: it is no file that a vendor keeps. */
const isPublic = (address: string): boolean => /^(?:https?:|data:)/i.test(address) && !isAtGoogle(address)

/** Files of Google's developer API and of its storage are read with the rights of the key, however the host is written. */
function isAtGoogle(address: string): boolean {
  if (!/^https?:/i.test(address)) return false
  const host = URL.parse(address)?.hostname ?? ''
  return /(?:^|\.)googleapis\.com\.?$/.test(host)
}

/** Members of a part with the address of a file. */
const addresses = ['url', 'image_url', 'video_url', 'audio_url', 'file_url', 'file_data', 'data', 'fileUri', 'file_uri', 'uri'] as const

/**
 * Addresses of files that the account has (Google Cloud, "Document understanding"; Gemini API, "Files API"; Moonshot, "Files"; Alibaba, "Long
 * context": `gs://`, `files/`, `ms://`, `fileid://`, named 2026-11-29).
 */
const isOfAccount = (address: string): boolean => /^\s*(?:gs:|ms:|fileid:|files\/)/i.test(address) || isAtGoogle(address)

/** Members whose text some vendors read as such an address. */
const texts = ['text', 'content'] as const

/** Members that hold tools, and what these work with. */
const toolMembers: ReadonlySet<string> = new Set(['tool', 'tools', 'container'])

type Ids = Pick<ReadonlySet<string>, 'has'>

const noIds: Ids = new Set()

/**
 * The place where a request names content that the vendor keeps for the account of the channel's key: files, caches, stores, prompts. Everybody
 * who may use the channel could read it. `null` = there is none.
 * @param own ids that the vendor's earlier responses to this client named
 */
export function contentOfKeyIn(body: JsonObject, own: Ids = noIds): string | null {
  const kept = named.find((name) => isName(member(body, name))) ?? withId.find((name) => hasId(member(body, name)))
  if (kept !== undefined) return kept
  const google = isObject(body['extra_body']) && isObject(body['extra_body']['google']) ? body['extra_body']['google'] : body
  if (isName(member(google, 'cachedContent'))) return 'extra_body.google.cached_content'
  return pathIn(body, own)?.slice(1) ?? null
}

const isName = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''

/** Other calls have texts as their prompt. */
const hasId = (value: Json | undefined): boolean => isObject(value) && isName(value['id'])

/** The place where a request names content of the key's account, or an item that a vendor which stores responses reads by its id; `null` = none. */
export function storedContentIn(body: JsonObject, own: Ids = noIds): string | null {
  const kept = contentOfKeyIn(body, own)
  if (kept !== null) return kept
  const { input } = body
  if (!Array.isArray(input)) return null
  const approvalIds = new Set(input.flatMap((item) => (isObject(item) && item['type'] === 'mcp_approval_request' ? [item['id']] : [])))
  const at = input.findIndex((item) => {
    const id = isObject(item) ? storedItemOf(item) : null
    return id !== null && !own.has(id) && !approvalIds.has(id)
  })
  return at === -1 ? null : `input[${at}].id`
}

/** The way from a tool, or a list of them, to the first member by which it reads what is kept. */
function pathInTool(value: Json | undefined, own: Ids): string | null {
  if (Array.isArray(value)) return pathInList(value, (entry) => pathInTool(entry, own))
  if (!isObject(value)) return null
  if (readsStore(value)) return ''
  for (const name of Object.keys(value)) {
    const inner = value[name]
    if (ofSchemas.has(name)) continue
    if (idsInTool.has(name) && isKept(value, name, own)) return `.${name}`
    const path = typeof inner === 'object' ? pathInTool(inner, own) : null
    if (path !== null) return `.${name}${path}`
  }
  return null
}

function readsStore(tool: JsonObject): boolean {
  const { type, container } = tool
  if (type === 'file_search' || ofTool.some((name) => member(tool, name) !== undefined)) return true
  return isName(container) || hasId(container)
}

/** Anthropic's own skills are everybody's. */
function isKept(tool: JsonObject, name: string, own: Ids): boolean {
  const value = tool[name]
  if (tool['type'] === 'anthropic' && name === 'skill_id') return false
  if (typeof value === 'string') return value !== '' && !own.has(value)
  return Array.isArray(value) && value.length > 0
}

/** The way from a value to the first file in it. Every part of a long request is looked at, so no text is made before one is found. */
function pathIn(value: Json | undefined, own: Ids): string | null {
  if (Array.isArray(value)) return pathInList(value, (entry) => pathIn(entry, own))
  if (!isObject(value)) return null
  for (const name in value) {
    const inner = value[name] ?? null
    if (readers.get(name)?.(inner, value, own) === true) return name === 'type' ? '.id' : `.${name}`
    const path = typeof inner === 'object' && !isOfClient(name, value) ? pathInMember(name, inner, own) : null
    if (path !== null) return `.${name}${path}`
  }
  return null
}

const pathInMember = (name: string, inner: Json, own: Ids): string | null =>
  toolMembers.has(name) ? pathInTool(inner, own) : pathIn(inner, own)

function isOfClient(name: string, { type }: JsonObject): boolean {
  return ofClients.has(name) || (name === 'input' && (type === 'tool_use' || type === 'custom_tool_call'))
}

function pathInList(list: readonly Json[], pathOf: (entry: Json) => string | null): string | null {
  for (let at = 0; at < list.length; at += 1) {
    const entry = list[at]
    const path = typeof entry === 'object' ? pathOf(entry) : null
    if (path !== null) return `[${at}]${path}`
  }
  return null
}

/** Whether a member names what is kept. @param part that has the member */
type Reader = (member: Json, part: JsonObject, own: Ids) => boolean

const namesKept: Reader = (id, _, own) => typeof id === 'string' && !own.has(id)
const isAddress: Reader = (address) => typeof address === 'string' && isOfAccount(address)
const isFileId: Reader = (text) => typeof text === 'string' && /^\s*fileid:\/\//i.test(text)
const isFileData: Reader = (data) => isObject(data) && !isPublic(textOr(member(data, 'fileUri'), ''))

/** Members by which a part names a file, a container, an image or a voice. Most parts have none but a role, a type and a text. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...['file_id', 'fileId', 'container_id'].map((name) => [name, namesKept] as const),
  ...addresses.map((name) => [name, isAddress] as const),
  ...texts.map((name) => [name, isFileId] as const),
  ['role', (role) => role === 'cache'],
  // A voice that was made for the account: those of everybody have names.
  ['voice', (voice) => hasId(voice)],
  // An earlier response in audio.
  ['audio', (audio, { role }) => role === 'assistant' && hasId(audio)],
  ['type', (_, part, own) => namesImage(storedImageOf(part), own)],
  ['fileData', isFileData],
  ['file_data', (data, part, own) => isAddress(data, part, own) || isFileData(data, part, own)],
])

const namesImage = (image: string | null, own: Ids): boolean => image !== null && !own.has(image)
