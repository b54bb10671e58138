import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { isOwnReasoning } from './own-items.ts'

/** A part of an input that comes from an earlier response, and that only its maker can read. */
export interface Reference {
  /** The id of an item, or its encrypted text. */
  readonly key: string
  readonly by: 'id' | 'encrypted'
  /** The input has only the reference, not the item. */
  readonly isAlone: boolean
}

/** References in the input of a response (OpenAI API reference, "Responses", `input`, read 2026-11-21). */
export function referencesIn({ input }: JsonObject): readonly Reference[] {
  if (!Array.isArray(input)) return []
  const kept = new Set(objectsIn(input).flatMap((item) => storedItemOf(item) ?? keptIdsIn(item)))
  return [...input.flatMap(referencesOf), ...Array.from(kept, (key) => ({ key, by: 'id', isAlone: false }) as const)]
}

/** Ids of the containers that an item ran in, and of the files there that its text cites (OpenAI, "Code interpreter" and "Shell", named 2026-11-29). */
export function keptIdsIn({ container_id: container, environment, content }: JsonObject): readonly string[] {
  const cited = objectsIn(content).flatMap(({ annotations }) =>
    objectsIn(annotations).filter((citation) => isName(citation['container_id'])),
  )
  const named = [container, isObject(environment) ? environment['container_id'] : undefined]
  return [...named, ...cited.flatMap((citation) => [citation['container_id'], citation['file_id']])].filter(isName)
}

const isName = (id: Json | undefined): id is string => typeof id === 'string' && id !== ''

/** The id of an image that an item stands for without bringing it; `null` = it is no such item (OpenAI, "Image generation", named 2026-11-29). */
export function storedImageOf({ type, id, result }: JsonObject): string | null {
  const isBrought = typeof result === 'string' && result !== ''
  return type === 'image_generation_call' && typeof id === 'string' && id !== '' && !isBrought ? id : null
}

/** Members of an item that are not its content. */
const marks: ReadonlySet<string> = new Set(['type', 'id', 'status', 'role', 'phase', 'created_by'])

/**
 * The id of an item that a vendor which stores responses takes from there, because it is not brought: reasoning without its text, an image without
 * its bytes, a response to a request for approval, and every item of which there is no more than its id (OpenAI API reference,
 * "Responses", `input`, named 2026-11-29). `null` = it is no such item.
 */
export function storedItemOf(item: JsonObject): string | null {
  const { type, id, encrypted_content: encrypted, content, approval_request_id: approved } = item
  if (type === 'mcp_approval_response') return isName(approved) ? approved : null
  if (typeof type !== 'string' || isReference(item) || !isName(id)) return null
  if (type === 'reasoning') return isName(encrypted) || !isEmpty(content) ? null : id
  return storedImageOf(item) ?? (isBare(item) ? id : null)
}

const isBare = (item: JsonObject): boolean => Object.entries(item).every(([name, value]) => marks.has(name) || isEmpty(value))

const isEmpty = (value: Json | undefined): boolean => isAbsent(value) || value === '' || (Array.isArray(value) && value.length === 0)

/**
 * The request without the reasoning that its channel cannot decrypt. What the model said after it goes without its id: OpenAI refuses an item
 * that it knows without the reasoning that it knows before it (continuedev/continue 11466, read 2026-11-30).
 * @param foreign encrypted texts
 */
export function withoutForeignReasoning(body: JsonObject, foreign: ReadonlySet<string>): JsonObject {
  const { input } = body
  if (!Array.isArray(input)) return body
  let isAfter = false
  const kept = input.flatMap((item): readonly Json[] => {
    if (!isObject(item)) return [item]
    const { type, encrypted_content: encrypted } = item
    if (type === 'reasoning' && isName(encrypted) && foreign.has(encrypted)) {
      isAfter = true
      return []
    }
    isAfter &&= isSaid(item)
    return isAfter ? [withoutId(item)] : [item]
  })
  return kept.length === input.length ? body : { ...body, input: kept }
}

/** Whether the model said it, in an item that needs no id. */
function isSaid({ type, role }: JsonObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call' || role === 'assistant'
}

function referencesOf(item: Json): readonly Reference[] {
  if (!isObject(item)) return []
  const { id, type, encrypted_content: encrypted } = item
  const isNamed = typeof id === 'string' && id !== ''
  if (isReference(item)) return isNamed ? [{ key: id, by: 'id', isAlone: true }] : []
  return type === 'reasoning' && isName(encrypted) ? [{ key: encrypted, by: 'encrypted', isAlone: false }] : []
}

/** The type may be missing if there is only an id. */
function isReference({ type, role, content }: JsonObject): boolean {
  return type === 'item_reference' || (isAbsent(type) && role === undefined && content === undefined)
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null
}

/** The request with the items in place of their ids. Reasoning that no vendor can read any more is removed. */
export function withItems(body: JsonObject, items: ReadonlyMap<string, JsonObject>): JsonObject {
  const { input } = body
  return Array.isArray(input) ? { ...body, input: input.flatMap((item) => resolved(item, items)) } : body
}

function resolved(item: Json, items: ReadonlyMap<string, JsonObject>): readonly Json[] {
  if (!isObject(item)) return [item]
  const { id, type } = item
  const known = typeof id === 'string' ? items.get(id) : undefined
  if (known === undefined) return [item]
  if (type === 'reasoning' || (known['type'] === 'reasoning' && !isOwnReasoning(known))) return []
  return isReference(item) ? [withoutId(known)] : [item]
}

/** The id is the gateway's: a vendor that stores responses would not find it. */
function withoutId({ id: _id, status: _status, ...item }: JsonObject): JsonObject {
  return item
}
