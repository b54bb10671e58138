import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

/** What of an input was made in an earlier answer and is understood only by who made it. */
export interface Reference {
  /** The id of an item, or a text that only its maker can read. */
  readonly key: string
  readonly by: 'id' | 'encrypted'
  /** Nothing but the reference stands in the input. */
  readonly isAlone: boolean
}

/** References in the input of a response (OpenAI API reference, "Responses", `input`, read 2026-11-21). */
export function referencesIn({ input }: JsonObject): readonly Reference[] {
  return Array.isArray(input) ? input.flatMap(referencesOf) : []
}

function referencesOf(item: Json): readonly Reference[] {
  if (!isObject(item)) return []
  const { id, type, encrypted_content: encrypted } = item
  const isNamed = typeof id === 'string' && id !== ''
  if (isReference(item)) return isNamed ? [{ key: id, by: 'id', isAlone: true }] : []
  if (type !== 'reasoning') return []
  if (typeof encrypted === 'string' && encrypted !== '') return [{ key: encrypted, by: 'encrypted', isAlone: false }]
  return isNamed ? [{ key: id, by: 'id', isAlone: false }] : []
}

/** The type may be left out where there is nothing but the id. */
function isReference({ type, role, content }: JsonObject): boolean {
  return type === 'item_reference' || (isAbsent(type) && role === undefined && content === undefined)
}

function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null
}

/** The request with the items themselves in place of their ids. Thoughts that nobody can read any more are left out. */
export function withItems(body: JsonObject, items: ReadonlyMap<string, JsonObject>): JsonObject {
  const { input } = body
  return Array.isArray(input) ? { ...body, input: input.flatMap((item) => resolved(item, items)) } : body
}

function resolved(item: Json, items: ReadonlyMap<string, JsonObject>): readonly Json[] {
  if (!isObject(item)) return [item]
  const { id, type } = item
  const known = typeof id === 'string' ? items.get(id) : undefined
  if (known === undefined) return [item]
  if (type === 'reasoning' || known['type'] === 'reasoning') return []
  return isReference(item) ? [withoutId(known)] : [item]
}

/** The id is the gateway's: a vendor that keeps responses would look for it among its own. */
function withoutId({ id: _id, status: _status, ...item }: JsonObject): JsonObject {
  return item
}
