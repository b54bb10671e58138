import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { withReferences } from '../shared/schema-reference.ts'

const older = '#/definitions/'

/**
 * A schema whose definitions are where the vendor reads them: it lists `$defs`, and not `definitions` of earlier drafts (`responseJsonSchema` and
 * `parametersJsonSchema`, read 2026-11-30).
 */
export function withDefinitions(schema: JsonObject): JsonObject {
  if (!isObject(schema['definitions'])) return schema
  const { definitions, $defs, ...rest } = schema
  const all = { ...(isObject(definitions) ? definitions : {}), ...(isObject($defs) ? $defs : {}) }
  const moved = withReferences({ ...rest, $defs: all }, newer)
  return isObject(moved) ? moved : schema
}

const newer = (reference: string): string => (reference.startsWith(older) ? `#/$defs/${reference.slice(older.length)}` : reference)
