import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { type Input, someTexts, type TextInput } from './hostile-texts.ts'

/** A hostile JSON value of a given size. */
export interface JsonInput extends Input {
  make(bytes: number): Json
}

/** Deepest nesting that a body may have: `depthMax` of the server's `lib/parse-json.ts`. */
const depthMax = 60

export function many<Value>(bytes: number, itemBytes: number, make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: Math.max(1, Math.floor(bytes / itemBytes)) }, (_, index) => make(index))
}

/** Values of each form, without names that some function reads. */
export const hostileValues: readonly JsonInput[] = [
  { name: 'list of empty objects', make: (bytes) => many(bytes, 3, () => ({})) },
  { name: 'list of empty lists', make: (bytes) => many(bytes, 3, () => []) },
  { name: 'list of empty texts', make: (bytes) => many(bytes, 3, () => '') },
  { name: 'list of short texts', make: (bytes) => many(bytes, 8, (index) => `t${index}`) },
  { name: 'list of nulls', make: (bytes) => many(bytes, 5, () => null) },
  { name: 'list of numbers', make: (bytes) => many(bytes, 6, (index) => index * 1.5) },
  { name: 'list of large numbers', make: (bytes) => many(bytes, 6, () => 1e308) },
  { name: 'object of many members', make: wide },
  {
    name: 'object of __proto__ and long names',
    make: (bytes) => ({ ['__proto__']: {}, ['n'.repeat(bytes / 2)]: { ['/'.repeat(bytes / 2)]: '' } }),
  },
  { name: 'nested lists', make: (bytes) => many(bytes, 2 * depthMax, () => nested(depthMax, (value) => [value])) },
  { name: 'nested objects', make: (bytes) => many(bytes, 6 * depthMax, () => nested(depthMax, (value) => ({ a: value }))) },
  { name: 'schema that refers to itself', make: (bytes) => ({ $ref: '#', $defs: definitions(bytes), properties: definitions(bytes / 2) }) },
  { name: 'schema of levels that each refer twice to the next', make: levels },
  { name: 'schema of many alternatives', make: (bytes) => ({ anyOf: many(bytes, 22, () => ({ type: 'object', oneOf: [] })) }) },
]

function wide(bytes: number): JsonObject {
  return Object.fromEntries(many(bytes, 10, (index) => [`k${index}`, index]))
}

function nested(depth: number, wrap: (value: Json) => Json): Json {
  let value: Json = 1
  for (let level = 0; level < depth; level += 1) value = wrap(value)
  return value
}

function definitions(bytes: number): JsonObject {
  return Object.fromEntries(many(bytes, 30, (index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }]))
}

function levels(bytes: number): JsonObject {
  const next = (index: number): JsonObject => ({ $ref: `#/$defs/l${index + 1}` })
  const rows = many(bytes, 90, (index) => [
    `l${index}`,
    { type: 'object', allOf: [next(index), next(index)], properties: { a: next(index) } },
  ])
  return { type: 'object', ...next(-1), $defs: Object.fromEntries(rows) }
}

/**
 * A document made hostile in each way: every text in it long, a list of it long, every object wide; small otherwise.
 * @param words texts that mean something, such as types: they stay
 */
export function hostileForms(document: JsonObject): readonly JsonInput[] {
  const name = `{${Object.keys(document).slice(0, 6).join(', ')}}`
  const texts = Math.max(1, countTexts(document))
  return [
    ...textsFor(name).map((text) => ({
      name: `${name} with each text a ${text.name}`,
      place: name,
      make: (bytes: number) => withTexts(document, text.make(Math.floor(bytes / texts))),
    })),
    ...(texts > 1 && texts <= fewTexts ? hostileTexts(document).map((input) => prefixed(name, input)) : []),
    ...listPaths(document).map((path) => ({
      name: `${name} with a long list at ${path.join('.')}`,
      place: `${name}, list at ${path.join('.')}`,
      make: (bytes: number) => changeAt(document, path, (list) => lengthen(list, bytes)),
    })),
    ...objectPaths(document).map((path) => ({
      name: `${name} with many members at ${path.join('.') || 'the top'}`,
      place: `${name}, members at ${path.join('.')}`,
      make: (bytes: number) => changeAt(document, path, (object) => ({ ...(isObject(object) ? object : {}), ...wide(bytes) })),
    })),
  ]
}

function prefixed(name: string, input: JsonInput): JsonInput {
  return { ...input, name: `${name}, ${input.name}`, place: `${name}, ${input.place}` }
}

/** Some of the texts, other ones for each document: most are read by several functions in several documents. */
function textsFor(name: string): readonly TextInput[] {
  const start = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
  return someTexts.filter((_, index) => (index + start) % eachOf === 0)
}

const eachOf = 3
/** Documents with so few texts are also tried with one of them hostile and the others as they are. */
const fewTexts = 4

/** A document with each of its texts hostile, one at a time. */
export function hostileTexts(document: JsonObject): readonly JsonInput[] {
  return textPaths(document).flatMap((path) =>
    someTexts.map((text) => ({
      name: `${path.join('.')} = ${text.name}`,
      place: path.join('.'),
      make: (bytes: number) => changeAt(document, path, () => text.make(bytes)),
    })),
  )
}

/** A document with each of its objects and lists replaced by values of other forms. */
export function hostileMembers(document: JsonObject): readonly JsonInput[] {
  return [...objectPaths(document), ...listPaths(document)].flatMap((path, at) =>
    hostileValues
      .filter((_, index) => (index + at) % 3 === 0)
      .map((value) => ({
        name: `${path.join('.') || 'the whole'} = ${value.name}`,
        place: path.join('.'),
        make: (bytes: number) => changeAt(document, path, () => value.make(bytes)),
      })),
  )
}

type Path = readonly (string | number)[]

/** Names of members that say what an object is: their texts stay, so that the others are read. */
const identifyingMembers = new Set([
  'type',
  'role',
  'object',
  'event',
  'status',
  'model',
  'finish_reason',
  'stop_reason',
  'finishReason',
  'stopReason',
  'task_status',
  'state',
])

function withTexts(value: Json, text: string): Json {
  if (typeof value === 'string') return text
  if (isList(value)) return value.map((item) => withTexts(item, text))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      member === undefined || identifyingMembers.has(name) ? member : withTexts(member, text),
    ]),
  )
}

function countTexts(value: Json): number {
  if (typeof value === 'string') return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [name, member]) => sum + (member === undefined || identifyingMembers.has(name) ? 0 : countTexts(member)),
    0,
  )
}

/** The items again and again; where they have an id or an index, another for each. */
function lengthen(list: Json, bytes: number): Json {
  const items = isList(list) && list.length > 0 ? list : [{}]
  const itemBytes = Math.max(3, JSON.stringify(items).length / items.length)
  return many(bytes, itemBytes, (index) => numbered(items[index % items.length] ?? null, index))
}

/** The item with other ids and indexes than those of the items before it. */
export function numbered(item: Json, index: number): Json {
  if (isList(item)) return item.map((inner) => numbered(inner, index))
  if (!isObject(item)) return item
  const members = Object.entries(item).map(([name, member]) => [name, member === undefined ? member : numberedMember(name, member, index)])
  return Object.fromEntries(members)
}

function numberedMember(name: string, member: Json, index: number): Json {
  if (typeof member === 'number' && /index$/i.test(name)) return index
  if (typeof member === 'string' && /(?:^|_)id$/i.test(name)) return `${member}${index}`
  return typeof member === 'object' ? numbered(member, index) : member
}

function pathsTo(value: Json, isWanted: (value: Json) => boolean, path: Path = []): readonly Path[] {
  const own = isWanted(value) ? [path] : []
  if (typeof value !== 'object' || value === null) return own
  const entries: readonly (readonly [string | number, Json | undefined])[] = isList(value)
    ? value.slice(0, 3).map((item, index) => [index, item] as const)
    : Object.entries(value)
  return [...own, ...entries.flatMap(([name, member]) => (member === undefined ? [] : pathsTo(member, isWanted, [...path, name])))]
}

const textPaths = (value: Json): readonly Path[] => pathsTo(value, (inner) => typeof inner === 'string')
const listPaths = (value: Json): readonly Path[] => pathsTo(value, isList)
const objectPaths = (value: Json): readonly Path[] => pathsTo(value, isObject)

function changeAt(value: Json, path: Path, change: (value: Json) => Json): Json {
  const [name, ...rest] = path
  if (name === undefined) return change(value)
  if (isList(value)) return value.map((item, index) => (index === name ? changeAt(item, rest, change) : item))
  if (!isObject(value)) return value
  return { ...value, [name]: changeAt(value[name] ?? null, rest, change) }
}

function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
