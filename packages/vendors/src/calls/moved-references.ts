import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Steps } from '../same-json.ts'
import { referenced } from '../schema-reference.ts'

const intoUnion = /^#\/(anyOf|oneOf|allOf)\/(\d{1,5})(?=\/|$)/

/**
 * A schema whose unions were taken away, with what is referred to in them as definitions: `#/anyOf/1/properties/id`, as zod writes what occurs twice.
 * @param original the schema with its unions
 */
export function withMovedReferences(flat: JsonObject, original: JsonObject, work: Steps): JsonObject {
  const wanted = new Map<string, string>()
  const moved = movedIn(flat, wanted)
  if (wanted.size === 0 || !isObject(moved)) return flat
  const { $defs: definitions } = moved
  const added: Record<string, Json> = {}
  // Definitions that are moved may refer to further ones, which are then visited, too.
  for (const [name, place] of wanted) added[name] = movedIn(referenced(original, place, work) ?? true, wanted)
  return { ...moved, $defs: { ...(isObject(definitions) ? definitions : {}), ...added } }
}

/** @param wanted names of definitions, and the references that they stand for; filled here */
function movedIn(value: Json, wanted: Map<string, string>): Json {
  if (Array.isArray(value)) return value.map((one) => movedIn(one, wanted))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === '$ref' && typeof inner === 'string' ? movedReference(inner, wanted) : movedIn(inner ?? null, wanted),
    ]),
  )
}

function movedReference(reference: string, wanted: Map<string, string>): string {
  const [place, union = '', index = ''] = intoUnion.exec(reference) ?? []
  if (place === undefined) return reference
  const name = `${union}_${index}`
  wanted.set(name, place)
  return `#/$defs/${name}${reference.slice(place.length)}`
}
