import { answerForms } from './answer-forms.ts'
import type { Failure, Outgoing, ReferableItem } from './dialect.ts'
import { isObject, parseJson } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import { itemsOf } from './responses/made-items.ts'

/**
 * The schema of a chat's answer, if the request has it only as a text: a model that was told the schema in words may answer otherwise, so the
 * answer is checked. `undefined` = there is none, or the vendor itself keeps the model to it.
 */
export function toldSchema(
  chat: JsonObject,
  { body, messages, unwrapTool }: Pick<Outgoing, 'body' | 'messages' | 'unwrapTool'>,
): JsonObject | undefined {
  const { response_format: format } = chat
  if (!isObject(format) || format['type'] !== 'json_schema' || unwrapTool !== undefined) return undefined
  // The vendor gets the schema in its place: a search through a long request would cost as much as to serialize it.
  if (body['response_format'] === format) return undefined
  const { json_schema: declared } = format
  const schema = isObject(declared) ? declared['schema'] : undefined
  if (!isObject(schema)) return undefined
  const asText = JSON.stringify(JSON.stringify(schema)).slice(1, -1)
  return (messages?.join('') ?? JSON.stringify(body)).includes(asText) ? schema : undefined
}

/** Models like to put JSON into a block of Markdown. */
const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/

/** A whole answer of a kind, the schema that it must fit, and the name of the field that the client gave it in. */
interface SchemaRule {
  readonly kind: Kind
  readonly schema: JsonObject
  readonly field: string
}

export interface Fitted {
  readonly reply: JsonObject
  /** The parts of it to store, if they are other ones now. */
  readonly items?: readonly ReferableItem[]
}

/** The answer, if its content fits the schema: without the block of Markdown around it. An answer that calls tools or was refused stays. */
export function fitted(reply: JsonObject, { kind, schema, field }: SchemaRule): Fitted | { readonly failed: Failure } {
  const form = answerForms[kind]
  if (form === undefined) return { reply }
  const made: JsonObject[] = []
  for (const answer of form.answersIn(reply)) {
    const content = form.textOf(answer)
    const text = content === null ? null : (fenced.exec(content)?.[1] ?? content)
    const place = text === null ? null : placeOf(text, schema)
    if (place !== null) return { failed: unfit(place, field) }
    made.push(text === content || text === null ? answer : form.withText(answer, text))
  }
  const fit = form.withAnswers(reply, made)
  return kind === 'responses' ? { reply: fit, items: itemsOf(fit) } : { reply: fit }
}

function placeOf(text: string, schema: JsonObject): string | null {
  const value = parseJson(text)
  return value === undefined ? 'it is no JSON' : misfit(value, schema, { root: schema, place: '$' })
}

const unfit = (place: string, field: string): Failure => ({
  kind: 'unavailable',
  message: `the model's answer does not fit the schema of ${field}: ${place}`,
  type: null,
  param: field,
  code: 'answer_unfit',
})

interface At {
  /** Where references are looked up. */
  readonly root: JsonObject
  readonly place: string
}

/**
 * The first place where a value does not fit a schema; `null` = it fits. Read are the keywords of OpenAI's strict schemas ("Structured outputs",
 * read 2026-11-22): type, enum, const, properties, required, additionalProperties, items, anyOf, oneOf, allOf and $ref into the schema itself.
 */
function misfit(value: Json, schema: Json | undefined, at: At): string | null {
  if (!isObject(schema)) return schema === false ? at.place : null
  const { $ref: reference, allOf } = schema
  if (typeof reference === 'string') return misfit(value, lookedUp(reference, at.root), at)
  if (!isOfForm(value, schema) || !isOneOf(value, schema, at)) return at.place
  const inAll = Array.isArray(allOf) ? firstOf(allOf, (one) => misfit(value, one, at)) : null
  if (inAll !== null) return inAll
  return Array.isArray(value) ? inList(value, schema, at) : isObject(value) ? inObject(value, schema, at) : null
}

/** The keywords that look at the value itself. */
function isOfForm(value: Json, { type, enum: list, const: only }: JsonObject): boolean {
  const types = Array.isArray(type) ? type : type === undefined ? null : [type]
  if (types !== null && !types.some((name) => isOfType(value, name))) return false
  if (Array.isArray(list) && !list.some((one) => isSame(one, value))) return false
  return only === undefined || isSame(only, value)
}

function isOneOf(value: Json, { anyOf, oneOf = anyOf }: JsonObject, at: At): boolean {
  return !Array.isArray(oneOf) || oneOf.some((one) => misfit(value, one, at) === null)
}

function firstOf<T>(list: readonly T[], of: (entry: T, index: number) => string | null): string | null {
  for (const [index, entry] of list.entries()) {
    const found = of(entry, index)
    if (found !== null) return found
  }
  return null
}

function inList(value: readonly Json[], { items }: JsonObject, { root, place }: At): string | null {
  return firstOf(value, (entry, index) => misfit(entry, items, { root, place: `${place}[${index}]` }))
}

function inObject(
  value: JsonObject,
  { properties, required, additionalProperties: others }: JsonObject,
  { root, place }: At,
): string | null {
  const known = isObject(properties) ? properties : {}
  const missing = (Array.isArray(required) ? required : []).find((name) => typeof name === 'string' && !Object.hasOwn(value, name))
  if (missing !== undefined) return `${place}.${String(missing)} is missing`
  return firstOf(Object.entries(value), ([name, member]) => {
    const inside = `${place}.${name}`
    return misfit(member ?? null, Object.hasOwn(known, name) ? known[name] : others, { root, place: inside })
  })
}

function isOfType(value: Json, name: Json): boolean {
  if (name === 'integer') return Number.isInteger(value)
  if (name === 'null') return value === null
  if (name === 'array') return Array.isArray(value)
  if (name === 'object') return isObject(value)
  return typeof value === name
}

const isSame = (one: Json, other: Json): boolean => JSON.stringify(one) === JSON.stringify(other)

/** `#/$defs/step` names a part of the schema, `#` all of it. A part that is missing fits everything. */
function lookedUp(reference: string, root: JsonObject): Json | undefined {
  const names = reference.replace(/^#\/?/, '').split('/')
  return reference === '#' ? root : names.reduce<Json | undefined>((part, name) => (isObject(part) ? part[name] : undefined), root)
}
