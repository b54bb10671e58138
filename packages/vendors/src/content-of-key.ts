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
    const found = placeIn(member(body, name), name)
    if (found !== null) return found
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

function placeIn(value: Json | undefined, place: string): string | null {
  if (Array.isArray(value)) return firstOf(value.map((entry, at) => [entry, `${place}[${at}]`] as const))
  if (!isObject(value)) return null
  const file = fileIn(value)
  if (file !== null) return `${place}.${file}`
  const isCall = value['type'] === 'tool_use' || value['type'] === 'custom_tool_call'
  const members = Object.entries(value).filter(([name]) => !ofFunctions.has(name) && !(isCall && name === 'input'))
  return firstOf(members.map(([name, inner]) => [inner, `${place}.${name}`] as const))
}

function firstOf(entries: ReadonlyArray<readonly [Json | undefined, string]>): string | null {
  for (const [value, place] of entries) {
    const found = placeIn(value, place)
    if (found !== null) return found
  }
  return null
}

/** The member by which a part names a file. */
function fileIn(part: JsonObject): string | null {
  const id = ['file_id', 'fileId'].find((name) => typeof part[name] === 'string')
  if (id !== undefined) return id
  const data = member(part, 'fileData')
  return isObject(data) && !isPublic(textOr(member(data, 'fileUri'), '')) ? 'fileData' : null
}
