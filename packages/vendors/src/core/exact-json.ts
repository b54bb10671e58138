import { ExactNumber } from './exact-number.ts'
import type { Json, JsonObject } from './json.ts'

/** ECMAScript proposal "JSON.parse source text access" (read 2026-11-29): the engine has it, the library of TypeScript not yet. */
interface SourceJson {
  parse(text: string, reviver: (name: string, value: Json, context: { readonly source?: string }) => unknown): unknown
}

// Holds: a test reads numbers with it.
const sourceJson = JSON as unknown as SourceJson

/**
 * Members whose content is not the gateway's: arguments and results of tools, schemas. Everything below them keeps the form of its numbers.
 * Elsewhere numbers are read as settings and counts, and `"temperature": 1.0` may be written as 1.
 */
const foreignMembers: ReadonlySet<string> = new Set([
  ...['arguments', 'input', 'args', 'functionResponse', 'function_response', 'metadata'],
  ...['parameters', 'parametersJsonSchema', 'parameters_json_schema', 'input_schema', 'inputSchema', 'schema', 'json_schema'],
  ...['responseSchema', 'responseJsonSchema', 'response_schema', 'response_json_schema'],
])

const white = String.raw`[\t\n\r ]*`
/** A number whose text may change: it has 16 digits in a row, ends its fraction with a zero or after 15 digits, has an exponent, or is -0. */
const number = String.raw`(?<![-+\d.eE])(?:-0|-?(?:\d{16}|\d+(?:\.(?:\d{15}|\d*0(?!\d))|(?:\.\d+)?[eE])))`
const numbersBefore = String.raw`[-+\d.eE,\t\n\r \[]*?`
/** A quote that no backslash escapes: behind one with a colon or a comma is no string. */
const quote = String.raw`"(?<!(?<!\\)(?:\\\\)*\\")`
const inMember = new RegExp(String.raw`(?:^|${quote}${white}:)${white}(?:${number}|\[${numbersBefore}${number})`)
const inAnyList = new RegExp(String.raw`(?:^|${quote}${white}[:,]|[\]}]${white},)${numbersBefore}${number}`)

/**
 * Parses JSON as `JSON.parse` does; numbers that it would change are `ExactNumber`s where they are the client's or the vendor's own. Only a text
 * with such numbers is searched, and only one in which they would change is parsed again.
 * @throws SyntaxError as JSON.parse
 */
export function parseExactly(text: string): Json {
  // Holds: whatever JSON.parse returns is JSON.
  const value = JSON.parse(text) as Json
  return isChanged(text, placeOfNumbers(value, false)) ? plainOutside(keepNumbers(text)) : value
}

/** Parses arguments and results of tools, all of whose numbers are foreign. @throws SyntaxError as JSON.parse */
export function parseForeign(text: string): Json {
  // Holds: as above.
  const value = JSON.parse(text) as Json
  return isChanged(text, placeOfNumbers(value, true)) ? keepNumbers(text) : value
}

/** Whether a number would change. @param place where the text has numbers that count */
function isChanged(text: string, place: Place): boolean {
  return place !== nowhere && (inMember.test(text) || (place === inLists && inAnyList.test(text)))
}

const [nowhere, inMembers, inLists] = [0, 1, 2]
type Place = typeof nowhere | typeof inMembers | typeof inLists

/** Where numbers stand whose text counts. `inLists`: behind something else, or in a list of lists, where `inMember` does not look. */
function placeOfNumbers(value: Json, isForeign: boolean): Place {
  if (typeof value === 'number') return isForeign || isBeyondDoubles(value) ? inMembers : nowhere
  if (Array.isArray(value)) return placeInList(value, isForeign)
  // Holds: what JSON.parse returns has no exact numbers.
  return typeof value === 'object' && value !== null ? placeInObject(value as JsonObject, isForeign) : nowhere
}

function placeInObject(object: JsonObject, isForeign: boolean): Place {
  let place: Place = nowhere
  for (const name in object) {
    const member = object[name] ?? null
    if (member === null || typeof member === 'string') continue
    place = Math.max(place, placeOfNumbers(member, isForeign || isForeignMember(name, member)))
    if (place === inLists) return place
  }
  return place
}

function placeInList(list: readonly Json[], isForeign: boolean): Place {
  let place: Place = nowhere
  for (const entry of list) {
    if (entry === null || typeof entry === 'string') continue
    const inner = placeOfNumbers(entry, isForeign)
    const isFirst = typeof entry === 'number' ? typeof list[0] === 'number' : !Array.isArray(entry)
    place = Math.max(place, inner === nowhere || isFirst ? inner : inLists)
    if (place === inLists) return place
  }
  return place
}

const isBeyondDoubles = (number: number): boolean => Number.isInteger(number) && !Number.isSafeInteger(number)

/** The `input` of embeddings may be a long list of tokens, which are whole numbers. */
function isForeignMember(name: string, member: Json): boolean {
  return foreignMembers.has(name) && !(Array.isArray(member) && typeof member[0] !== 'object')
}

function keepNumbers(text: string): Json {
  const exact = sourceJson.parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? new ExactNumber(source) : value,
  )
  // Holds: exact numbers are written as the numbers they were, and nothing takes them for objects (see `isObject`).
  return exact as Json
}

/** Makes exact numbers outside of foreign members plain ones, unless digits would be lost. Changes the value, which nobody else has yet. */
function plainOutside(value: Json): Json {
  if (value instanceof ExactNumber) return isBeyondDoubles(value.valueOf()) ? value : value.valueOf()
  if (typeof value !== 'object' || value === null) return value
  // Holds: it was parsed just now.
  const members = value as Record<string, Json>
  for (const name in members) {
    const member = members[name] ?? null
    if (typeof member === 'object' && !isForeignMember(name, member)) members[name] = plainOutside(member)
  }
  return value
}
