import { factorOf } from './factors.ts'
import { hostileForms, hostileValues } from './hostile-json.ts'
import { allTexts, someTexts } from './hostile-texts.ts'
import type { Case } from './measure.ts'

interface Schema {
  safeParse(value: unknown): unknown
}

/** Deepest level of a record at which schemas are looked for: endpoints are in tables of nouns. */
const levelsMax = 4

/** Each schema within a value reads hostile values: of any form, and objects with its own members. */
export function schemaCases(name: string, value: unknown): readonly Case[] {
  return schemasIn(value, levelsMax).flatMap(({ path, schema }) => {
    const members = membersOf(schema)
    const document = Object.fromEntries(members.map((member) => [member, 'a']))
    const inputs =
      members.length === 0
        ? [...allTexts, ...hostileValues]
        : [...hostileForms(document), ...hostileForms({ list: [document] }), ...hostileValues, ...someTexts]
    return inputs.map((input) => ({
      name: `${name}${path}: ${input.name}`,
      prepare(bytes: number) {
        const read = input.make(bytes)
        return { input: read, call: () => schema.safeParse(read) }
      },
      factorMax: factorOf(name),
    }))
  })
}

/** Schemas that are called already: tables hold those of other files. */
const seen = new WeakSet<object>()

function schemasIn(value: unknown, levels: number, path = ''): readonly { readonly path: string; readonly schema: Schema }[] {
  if (typeof value !== 'object' || value === null || levels === 0) return []
  if (isSchema(value)) {
    if (seen.has(value)) return []
    seen.add(value)
    return [{ path, schema: value }]
  }
  // The data of a call are our own answer.
  const entries = Object.entries(value).filter(([name]) => name !== 'data')
  return entries.flatMap(([name, member]) => schemasIn(member, levels - 1, `${path}.${name}`))
}

function isSchema(value: object): value is Schema {
  return '_zod' in value && 'safeParse' in value && typeof value.safeParse === 'function'
}

/** Names of the members of an object's schema. */
function membersOf(schema: object): readonly string[] {
  const shape = 'shape' in schema ? schema.shape : null
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : []
}
