import { join } from 'node:path'
import type { JsonObject } from '@sluice/vendors/core/json'
import { rankOf } from './assignment.ts'
import { factorOf } from './factors.ts'
import type { Input } from './hostile-texts.ts'
import { type Case, placeWithin, watched } from './measure.ts'
import { membersOf } from './members.ts'
import { parameterNames } from './parameter-names.ts'
import { parameterTypes } from './parameter-types.ts'
import type { ParameterRow, Place } from './place.ts'
import { type Exported, keyOf, typeOf } from './read-functions.ts'
import { type Row, rows } from './rows.ts'
import { schemaCases, schemasWithin } from './schemas.ts'

const root = join(import.meta.dir, '../..')

/** What an export of a watched file is called with, or why it is not. */
export type Plan =
  | { readonly kind: 'called'; cases(): readonly Case[] }
  | { readonly kind: 'uncalled'; readonly why: string }
  | { readonly kind: 'missing'; readonly what: string }

type Documents = Readonly<Record<string, readonly JsonObject[]>>

/** @param documents objects by the folder of the tests that write them down */
export async function planFor(exported: Exported, documents: Documents): Promise<Plan> {
  const place = placeOf(exported.file, documents)
  const row = rows[keyOf(exported)]
  if (row !== undefined) return planOfRow(exported, row, place)
  const loaded: Readonly<Record<string, unknown>> = await import(join(root, exported.file))
  const value = loaded[exported.name]
  if (exported.parameters !== null) return planOfFunction(exported, value, place)
  return planOfValue(exported, value, place)
}

/** Documents of the protocols, and of the file's folder and those above it, down to a package; of each about as many. */
function placeOf(file: string, documents: Documents): Place {
  const parts = file.split('/')
  const folders = parts.map((_, index) => parts.slice(0, index).join('/')).filter((folder) => folder.split('/').length > 2)
  const own = folders.toReversed().flatMap((folder) => documents[folder] ?? [])
  return { file, documents: [...own.slice(0, documentsMax), ...(documents['whole'] ?? []), ...selectDocuments(documents['*'] ?? [], file)] }
}

/** Some of the documents of the protocols, others for each file. */
function selectDocuments(documents: readonly JsonObject[], file: string): readonly JsonObject[] {
  const start = rankOf(file, 0) % Math.max(1, documents.length)
  return [...documents.slice(start), ...documents.slice(0, start)].slice(0, documentsMax)
}

const documentsMax = 20

function planOfRow(exported: Exported, row: Row, place: Place): Plan {
  if ('none' in row) return { kind: 'uncalled', why: row.none }
  const calls = 'calls' in row ? Object.entries(row.calls) : [['', row.call] as const]
  return { kind: 'called', cases: () => casesOfCalls(exported, calls, 'hostile' in row.inputs ? row.inputs.hostile(place) : []) }
}

type Call = readonly [way: string, call: (value: unknown) => unknown]

function casesOfCalls(exported: Exported, calls: readonly Call[], inputs: readonly Input[]): readonly Case[] {
  return calls.flatMap(([way, call]) =>
    inputs.map((input) => ({
      name: `${keyOf(exported)}${way === '' ? '' : ` (${way})`}: ${input.name}`,
      place: placeWithin(way, input),
      prepare(bytes: number, watch) {
        const value = watched(input.make(bytes), watch)
        return { input: value, call: () => call(value) }
      },
      factorMax: factorOf(keyOf(exported)),
    })),
  )
}

function planOfFunction(exported: Exported, value: unknown, place: Place): Plan {
  const { parameters } = exported
  if (parameters === null || typeof value !== 'function') return { kind: 'missing', what: 'it is no function any more' }
  const parameterRows = parameters.map((parameter) => parameterNames[parameter] ?? parameterTypes[typeOf(parameter)])
  const unknown = parameters.filter((_, index) => parameterRows[index] === undefined).map(typeOf)
  const refused = parameterRows.find((row) => row !== undefined && 'none' in row)
  if (refused !== undefined && 'none' in refused) return { kind: 'uncalled', why: refused.none }
  if (unknown.length > 0)
    return { kind: 'missing', what: `nothing says what a hostile ${unknown.map((type) => `\`${type}\``).join(' or ')} is` }
  const arguments_ = parameterRows.flatMap((row) => (row === undefined ? [] : [row]))
  if (!arguments_.some((row) => 'hostile' in row)) return { kind: 'uncalled', why: onlyOurs }
  return { kind: 'called', cases: () => casesOf(keyOf(exported), { call: value, arguments: arguments_, place }) }
}

const onlyOurs = 'Each of its arguments is our own: a number, a setting or a record.'

interface Invocation {
  readonly call: CallableFunction
  readonly arguments: readonly ParameterRow[]
  readonly place: Place
}

/** One argument after the other is hostile; the others are harmless. */
function casesOf(name: string, { call, arguments: rowsOfArguments, place }: Invocation): readonly Case[] {
  const plain = rowsOfArguments.map((row) => ('plain' in row ? row.plain : 'ours' in row ? row.ours(place) : undefined))
  return rowsOfArguments.flatMap((row, index) =>
    ('hostile' in row ? row.hostile(place) : []).map((input) => ({
      name: `${name}: ${rowsOfArguments.length > 1 ? `argument ${index + 1} = ` : ''}${input.name}`,
      place: placeWithin(`${name}: ${index}`, input),
      prepare(bytes: number, watch) {
        const value = watched(input.make(bytes), watch)
        const values = plain.with(index, value)
        return { input: value, call: () => call(...values) }
      },
      factorMax: factorOf(name),
    })),
  )
}

/** A schema, a record with functions, or a value without any. */
function planOfValue(exported: Exported, value: unknown, place: Place): Plan {
  const schemas = schemasWithin(value)
  if (schemas.length > 0) return { kind: 'called', cases: () => schemas.flatMap((schema) => schemaCases(keyOf(exported), schema)) }
  if (exported.type === 'class') return { kind: 'missing', what: 'a class needs a row that says how its methods are called' }
  const members = membersOf(exported.name, value)
  const unknown = members.filter(({ row }) => row === undefined)
  if (unknown.length > 0) return { kind: 'missing', what: `nothing says how ${unknown.map(({ path }) => path).join(', ')} is called` }
  const hostile = members.flatMap(({ path, call, row }) =>
    row === undefined || 'none' in row || !row.arguments.some((argument) => 'hostile' in argument)
      ? []
      : [{ name: `${keyOf(exported)}.${path}`, invocation: { call, arguments: row.arguments, place } }],
  )
  return hostile.length > 0
    ? { kind: 'called', cases: () => hostile.flatMap(({ name, invocation }) => casesOf(name, invocation)) }
    : { kind: 'uncalled', why: 'It has no function that is called with data from outside.' }
}
