import { factorOf } from './factors.ts'
import { hostileForms, hostileValues } from './hostile-json.ts'
import { allTexts, someTexts } from './hostile-texts.ts'
import { type Case, placeWithin, watched } from './measure.ts'

interface Schema {
  safeParse(value: unknown): unknown
}

/** Deepest level of a record at which schemas are looked for: endpoints are in tables of nouns. */
const levelsMax = 4

/** A schema within a value. */
export interface SchemaAtPath {
  readonly path: string
  readonly schema: Schema
}

/** The schemas within a value; each is listed once, although many tables have it. */
export const schemasWithin = (value: unknown): readonly SchemaAtPath[] => schemasIn(value, levelsMax)

/** A schema reads hostile values: of any form, and objects with its own members. */
export function schemaCases(name: string, { path, schema }: SchemaAtPath): readonly Case[] {
  const members = membersOf(schema)
  const document = Object.fromEntries(members.map((member) => [member, 'a']))
  const inputs =
    members.length === 0
      ? [...allTexts, ...hostileValues]
      : [...hostileForms(document), ...hostileForms({ list: [document] }), ...hostileValues, ...someTexts]
  return inputs.map((input) => ({
    name: `${name}${path}: ${input.name}`,
    place: placeWithin(`${name}${path}`, input),
    prepare(bytes: number, watch) {
      const value = watched(input.make(bytes), watch)
      return { input: value, call: () => schema.safeParse(value) }
    },
    factorMax: factorOf(name),
  }))
}

/** Schemas that are called already: tables hold those of other files. */
const listed = new WeakSet<object>()

function schemasIn(value: unknown, levels: number, path = ''): readonly SchemaAtPath[] {
  if (typeof value !== 'object' || value === null || levels === 0) return []
  if (isSchema(value)) {
    if (listed.has(value)) return []
    listed.add(value)
    return [{ path, schema: value }]
  }
  // The data of a call are our own response.
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
