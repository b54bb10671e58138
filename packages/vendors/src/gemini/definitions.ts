import { isObject } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'

const older = '#/definitions/'

/**
 * A schema whose definitions are where the vendor reads them: it lists `$defs`, and not `definitions` of earlier drafts (`responseJsonSchema` and
 * `parametersJsonSchema`, read 2026-11-30).
 */
export function withDefinitions(schema: JsonObject): JsonObject {
  if (!isObject(schema['definitions'])) return schema
  const { definitions, $defs, ...rest } = schema
  const moved = withReferences({ ...rest, $defs: { ...(isObject(definitions) ? definitions : {}), ...(isObject($defs) ? $defs : {}) } })
  return isObject(moved) ? moved : schema
}

/** Requests are nested no deeper than their parser allows. */
function withReferences(value: Json): Json {
  if (Array.isArray(value)) return value.map(withReferences)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === '$ref' ? reference(inner) : withReferences(inner ?? null)]),
  )
}

const reference = (value: Json | undefined): Json =>
  typeof value === 'string' && value.startsWith(older) ? `#/$defs/${value.slice(older.length)}` : (value ?? null)
