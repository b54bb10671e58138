import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Steps } from '../../core/same-json.ts'
import { referenced, withReferences } from '../shared/schema-reference.ts'

const intoUnion = /^#\/(anyOf|oneOf|allOf)\/(\d{1,5})(?=\/|$)/

/**
 * A schema whose unions were taken away, with what is referred to in them as definitions: `#/anyOf/1/properties/id`, as zod writes what occurs twice.
 * @param original the schema with its unions
 */
export function withMovedReferences(flat: JsonObject, original: JsonObject, work: Steps): JsonObject {
  const places = new Map<string, string>()
  const change = (reference: string): string => movedReference(reference, places)
  const moved = withReferences(flat, change)
  if (places.size === 0 || !isObject(moved)) return flat
  const { $defs: definitions } = moved
  const added: Record<string, Json> = {}
  // Definitions that are moved may refer to further ones, which are then visited, too.
  for (const [name, place] of places) added[name] = withReferences(referenced(original, place, work) ?? true, change)
  return { ...moved, $defs: { ...(isObject(definitions) ? definitions : {}), ...added } }
}

/** @param places names of definitions, and the references that they stand for; filled here */
function movedReference(reference: string, places: Map<string, string>): string {
  const [place, union = '', index = ''] = intoUnion.exec(reference) ?? []
  if (place === undefined) return reference
  const name = `${union}_${index}`
  places.set(name, place)
  return `#/$defs/${name}${reference.slice(place.length)}`
}
