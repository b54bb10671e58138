import { plainNumber } from '../../core/exact-number.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isSame, type Steps, spend } from '../../core/same-json.ts'
import { referenced } from './schema-reference.ts'

/** Checks values against one schema of a client. All values together may take `stepsMax` steps. */
export interface SchemaCheck {
  /** The place of the first part that does not fit; `null` = it fits, or the check was given up. */
  misfitIn(value: Json): string | null
  /** Nothing is known of the values: the schema or a value is too large, or the schema leads in a circle. */
  readonly isGivenUp: boolean
  giveUp(): null
}

/**
 * Most steps of one check, about ten milliseconds: the check runs while everybody waits. A response of 100 KB takes 30,000 against an ordinary
 * schema, but a schema whose parts refer to each other may need any number.
 */
const stepsMax = 100_000
/** Most references and schemas within schemas on the way to one part of a value: each takes a frame of the stack, and a circle never ends. */
const levelsMax = 512

interface Check extends Steps {
  /** Where references are looked up. */
  readonly root: JsonObject
}

interface At {
  readonly check: Check
  readonly place: string
  readonly level: number
}

export function createSchemaCheck(schema: JsonObject): SchemaCheck {
  const check: Check = { root: schema, stepsLeft: stepsMax }
  return {
    misfitIn: (value) => misfit(value, schema, { check, place: '$', level: 0 }),
    get isGivenUp() {
      return check.stepsLeft < 0
    },
    giveUp() {
      check.stepsLeft = -1
      return null
    },
  }
}

/**
 * The first place where a value does not fit a schema; `null` = it fits. Read are the keywords of OpenAI's strict schemas ("Structured outputs",
 * read 2026-11-22), and what else objects and lists may have in them: type, enum, const, properties, patternProperties, required,
 * additionalProperties, prefixItems, items, anyOf, oneOf, allOf and $ref into the schema itself.
 */
function misfit(value: Json, schema: Json | undefined, at: At): string | null {
  const { check, level, place } = at
  if (!spend(check, level < levelsMax ? 1 : stepsMax + 1)) return null
  if (!isObject(schema)) return schema === false ? place : null
  const { $ref: reference, allOf } = schema
  const inner = { check, place, level: level + 1 }
  if (typeof reference === 'string') return misfit(value, referenced(check.root, reference, check), inner)
  if (!isOfForm(value, schema, check) || !isOneOf(value, schema, inner)) return place
  const inAll = Array.isArray(allOf) ? firstOf(allOf, check, (one) => misfit(value, one, inner)) : null
  if (inAll !== null) return inAll
  return Array.isArray(value) ? inList(value, schema, inner) : isObject(value) ? inObject(value, schema, inner) : null
}

/** The keywords that look at the value itself. */
function isOfForm(value: Json, { type, enum: list, const: only }: JsonObject, check: Check): boolean {
  const types = Array.isArray(type) ? type : type === undefined ? null : [type]
  if (types !== null && !types.some((name) => spend(check, 1) && isOfType(value, name))) return false
  if (Array.isArray(list) && !list.some((one) => isSame(one, value, check))) return false
  return only === undefined || isSame(only, value, check)
}

function isOneOf(value: Json, { anyOf, oneOf = anyOf }: JsonObject, at: At): boolean {
  return !Array.isArray(oneOf) || oneOf.some((one) => misfit(value, one, at) === null)
}

function firstOf<T>(list: readonly T[], check: Check, of: (entry: T, index: number) => string | null): string | null {
  for (const [index, entry] of list.entries()) {
    const mismatch = of(entry, index)
    if (mismatch !== null || check.stepsLeft < 0) return mismatch
  }
  return null
}

/** Items that are declared one by one come first: `prefixItems`, or a list as `items` with `additionalItems` (drafts before 2020-12). */
function inList(value: readonly Json[], { items, prefixItems, additionalItems }: JsonObject, { check, place, level }: At): string | null {
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const others = Array.isArray(items) ? additionalItems : items
  if (places.length === 0 && others === undefined) return null
  return firstOf(value, check, (entry, index) =>
    misfit(entry, index < places.length ? places[index] : others, { check, level, place: `${place}[${index}]` }),
  )
}

function inObject(value: JsonObject, schema: JsonObject, at: At): string | null {
  const { check, place, level } = at
  const { properties, required } = schema
  const known = isObject(properties) ? properties : {}
  const needed = Array.isArray(required) ? required : []
  const names = Object.keys(value)
  if (!spend(check, needed.length + names.length)) return null
  const missing = needed.find((name) => typeof name === 'string' && !Object.hasOwn(value, name))
  if (missing !== undefined) return `${place}.${String(missing)} is missing`
  return firstOf(names, check, (name) => {
    // Other names are words of the output, which an error must not deliver.
    if (!Object.hasOwn(known, name)) return undeclared(value[name] ?? null, schema, { check, level, place: `${place}.*` })
    return misfit(value[name] ?? null, known[name], { check, level, place: `${place}.${name}` })
  })
}

/**
 * A member with a name that is not declared. Patterns of a client are not run, because an expression may take any time: the member fits if it could be
 * one of any pattern.
 */
function undeclared(value: Json, { additionalProperties: others, patternProperties: patterns }: JsonObject, at: At): string | null {
  const place = misfit(value, others, at)
  if (place === null || !isObject(patterns)) return place
  return Object.values(patterns).some((schema) => misfit(value, schema, at) === null) ? null : place
}

function isOfType(exact: Json, name: Json): boolean {
  const value = plainNumber(exact)
  if (name === 'integer') return Number.isInteger(value)
  if (name === 'null') return value === null
  if (name === 'array') return Array.isArray(value)
  if (name === 'object') return isObject(value)
  return typeof value === name
}
