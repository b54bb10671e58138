import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { hostileForms, hostileValues, type JsonInput, many } from './hostile-json.ts'
import { allTexts, type Input, someTexts, type TextInput } from './hostile-texts.ts'
import type { ParameterRow, Place } from './place.ts'

const encoder = new TextEncoder()

export const texts: ParameterRow = { plain: 'a', hostile: () => allTexts }

export const textLists: ParameterRow = {
  plain: ['a'],
  hostile: () => [
    { name: 'many short texts', make: (bytes: number) => many(bytes, 8, (index) => `t${index}`) },
    { name: 'many equal texts', make: (bytes: number) => many(bytes, 3, () => 'a') },
    { name: 'many empty texts', make: (bytes: number) => many(bytes, 3, () => '') },
    ...mapped(someTexts, (text) => [text, text]),
  ],
}

export const bytes: ParameterRow = {
  plain: encoder.encode('a'),
  hostile: () => [...mapped(allTexts, (text) => encoder.encode(text)), ...binary],
}

/** What parsers of files count on: lengths, chunks and tags. */
const binary: readonly Input[] = [
  ['zeros', []],
  ['ones', [0xff]],
  ['boxes of eight bytes', [0, 0, 0, 8, 0x6d, 0x6f, 0x6f, 0x76]],
  ['empty chunks', [0x64, 0x61, 0x74, 0x61, 0, 0, 0, 0]],
  ['counting', [0, 1, 2, 3, 4, 5, 6, 7]],
].map(([name, unit]) => ({
  name: `bytes of ${String(name)}`,
  make: (length: number) => new Uint8Array(length).map((_, at) => (Array.isArray(unit) ? (unit[at % unit.length] ?? 0) : 0)),
}))

export const objects: ParameterRow = { plain: {}, hostile: (place) => [...formsOf(place), ...hostileValues.map(inObject)] }

function inObject({ name, make }: JsonInput): JsonInput {
  return name.includes('list') ? { name: `object with a ${name}`, make: (length) => ({ content: make(length) }) } : { name, make }
}

export const json: ParameterRow = {
  plain: {},
  hostile: (place) => [...formsOf(place), ...mapped<Json>(formsOf(place), (value) => [value], 'in a list'), ...hostileValues, ...someTexts],
}

/** Cells of a database: texts, bytes, and JSON of a column, which is read as a text whatever its members are. */
export const cells: ParameterRow = { plain: 'a', hostile: () => [...allTexts, ...binary, ...hostileValues] }

export const objectLists: ParameterRow = {
  plain: [{}],
  hostile: (place) => [
    ...place.documents.map((document) => listOf(document)),
    ...mapped<Json>(formsOf(place), (value) => [value, value], 'twice'),
    ...hostileValues.filter(({ name }) => name.startsWith('list')),
  ],
}

function listOf(document: JsonObject): JsonInput {
  const itemBytes = JSON.stringify(document).length + 1
  return {
    name: `list of {${Object.keys(document).slice(0, 6).join(', ')}}`,
    make: (length) =>
      many(length, itemBytes, (index) => ({ ...document, ...(typeof document['id'] === 'string' ? { id: `i${index}` } : {}) })),
  }
}

/** Every hostile form of every document of a place. */
function formsOf({ documents }: Place): readonly JsonInput[] {
  return documents.flatMap((document) => hostileForms(document))
}

/** An object of which one text after the other is hostile. */
export function textsIn(plain: Readonly<Record<string, unknown>>, ...names: readonly string[]): ParameterRow {
  return { plain, hostile: () => names.flatMap((name) => mapped<string>(someTexts, (text) => ({ ...plain, [name]: text }), name)) }
}

/** Hostile input as a part of another value. */
export function within(row: ParameterRow, wrap: (value: unknown) => unknown): ParameterRow {
  if (!('hostile' in row)) return row
  return { plain: wrap(row.plain), hostile: (place) => mapped<unknown>(row.hostile(place), wrap) }
}

/** The inputs of several rows, of which the first has the harmless value. */
export function anyOf(first: ParameterRow, ...others: readonly ParameterRow[]): ParameterRow {
  if (!('hostile' in first)) return first
  return { plain: first.plain, hostile: (place) => [first, ...others].flatMap((row) => ('hostile' in row ? row.hostile(place) : [])) }
}

/** Hostile texts that are never longer than the limit that the texts have before. */
export function atMost(charactersMax: number, row: ParameterRow): ParameterRow {
  if (!('hostile' in row)) return row
  return {
    plain: row.plain,
    hostile: (place) => row.hostile(place).map(({ name, make }) => ({ name, make: (length) => make(Math.min(length, charactersMax)) })),
  }
}

interface InputOf<Value> extends Input {
  make(bytes: number): Value
}

/** @param at the member or the list that holds the input in the result */
function mapped<Value>(inputs: readonly (InputOf<Value> | TextInput)[], wrap: (value: Value) => unknown, at = ''): readonly Input[] {
  return inputs.map(({ name, place, make }) => ({
    name: at === '' ? name : `${at} = ${name}`,
    place: at === '' ? place : `${at} = ${place ?? ''}`,
    // Holds: callers wrap what their inputs make.
    make: (length: number) => wrap(make(length) as Value),
  }))
}
