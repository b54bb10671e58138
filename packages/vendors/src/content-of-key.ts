import { objectsIn } from './chat-parts.ts'
import { member } from './generate/members.ts'
import { isObject, textOr } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'

/** Members of a request that name what a vendor keeps for the account of the key: by a text, or by an object with an id. */
const named = ['cachedContent', 'container', 'conversation'] as const
const withId = [...named, 'prompt'] as const

/** Members by which a tool reads stores of the account. */
const ofTool = ['fileSearch', 'retrieval', 'vectorStoreIds'] as const

/** Lists of turns, in any protocol. */
const turnLists = ['messages', 'contents', 'input', 'systemInstruction', 'system'] as const

/** Members of a part that hold values of the client's own functions, whose names mean nothing here. */
const ofFunctions: ReadonlySet<string> = new Set(['args', 'arguments', 'response', 'output', 'parameters'])

/** Anybody can read what is behind such an address: it is no file that a vendor keeps. */
const isPublic = (address: string): boolean => /^(?:https?:|data:)/i.test(address) && !/^https?:\/\/[^/]*\.googleapis\.com\//i.test(address)

/**
 * The place where a request names content that the vendor keeps for the account of the channel's key: files, caches, stores, prompts. Everybody
 * who may use the channel could read it. `null` = there is none.
 */
export function contentOfKeyIn(body: JsonObject): string | null {
  const own = named.find((name) => isName(member(body, name))) ?? withId.find((name) => hasId(member(body, name)))
  if (own !== undefined) return own
  const google = isObject(body['extra_body']) && isObject(body['extra_body']['google']) ? body['extra_body']['google'] : body
  if (isName(member(google, 'cachedContent'))) return 'extra_body.google.cached_content'
  const tool = objectsIn(body['tools']).findIndex(readsStore)
  if (tool !== -1) return `tools[${tool}]`
  for (const name of turnLists) {
    const found = pathIn(member(body, name))
    if (found !== null) return name + found
  }
  return null
}

const isName = (value: Json | undefined): boolean => typeof value === 'string' && value !== ''

/** Other calls have texts as their prompt. */
const hasId = (value: Json | undefined): boolean => isObject(value) && isName(value['id'])

function readsStore(tool: JsonObject): boolean {
  const { type, container } = tool
  if (type === 'file_search' || ofTool.some((name) => member(tool, name) !== undefined)) return true
  return typeof container === 'string' || (isObject(container) && Array.isArray(container['file_ids']) && container['file_ids'].length > 0)
}

/** The way from a value to the first file in it. Every part of a long request is looked at, so no text is made before one is found. */
function pathIn(value: Json | undefined): string | null {
  if (Array.isArray(value)) return pathInList(value)
  if (!isObject(value)) return null
  const file = fileIn(value)
  if (file !== null) return `.${file}`
  const isCall = value['type'] === 'tool_use' || value['type'] === 'custom_tool_call'
  for (const name of Object.keys(value)) {
    const inner = value[name]
    if (typeof inner !== 'object' || ofFunctions.has(name) || (isCall && name === 'input')) continue
    const found = pathIn(inner)
    if (found !== null) return `.${name}${found}`
  }
  return null
}

function pathInList(list: readonly Json[]): string | null {
  for (const [at, entry] of list.entries()) {
    const found = typeof entry === 'object' ? pathIn(entry) : null
    if (found !== null) return `[${at}]${found}`
  }
  return null
}

/** The member by which a part names a file. */
function fileIn(part: JsonObject): string | null {
  if (typeof part['file_id'] === 'string') return 'file_id'
  if (typeof part['fileId'] === 'string') return 'fileId'
  const data = part['fileData'] ?? part['file_data']
  return isObject(data) && !isPublic(textOr(member(data, 'fileUri'), '')) ? 'fileData' : null
}
