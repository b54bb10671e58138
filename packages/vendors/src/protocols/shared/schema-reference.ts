import { isObject, lookUp } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'
import { type Steps, spend } from '../../core/same-json.ts'

/** Longest reference, in characters. */
const referenceMax = 1_024

/** `#/$defs/step` names a part of a schema, `#` all of it. `undefined` = there is no such part, or no step is left. */
export function referenced(root: Json, reference: string, work: Steps): Json | undefined {
  if (reference === '#') return root
  if (reference.length > referenceMax) return undefined
  const path = reference.startsWith('#/') ? reference.slice(2) : reference.startsWith('#') ? reference.slice(1) : reference
  const names = path.split('/')
  return spend(work, names.length) ? names.reduce<Json | undefined>(memberOf, root) : undefined
}

/** A schema with all of its references changed. Requests are nested no deeper than their parser allows. */
export function withReferences(schema: Json, change: (reference: string) => string): Json {
  if (Array.isArray(schema)) return schema.map((one) => withReferences(one, change))
  if (!isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, inner]) => [
      name,
      name === '$ref' && typeof inner === 'string' ? change(inner) : withReferences(inner ?? null, change),
    ]),
  )
}

/** RFC 6901: `~1` is a slash, and `~0` a tilde; the reference is a fragment of an address, so other characters may be in percent. */
function memberOf(part: Json | undefined, step: string): Json | undefined {
  const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
  if (Array.isArray(part)) return part[Number.parseInt(name, 10)]
  if (!isObject(part)) return undefined
  return lookUp<Json | undefined>(part, name) ?? lookUp<Json | undefined>(part, plain(name))
}

function plain(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
