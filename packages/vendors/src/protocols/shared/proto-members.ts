import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'

/** Characters of a client's name in an error. */
export const nameMax = 40

/** A member of a request, which Google's servers take in camel case and in snake case (proto3 JSON mapping, read 2026-11-23). */
export function member(object: JsonObject, name: string): Json | undefined {
  if (object === noMembers) return undefined
  const value = object[name]
  if (value !== undefined && value !== null) return value
  const snakeCase = snakeCaseOf(name)
  return snakeCase === name ? undefined : (object[snakeCase] ?? undefined)
}

/** What a request leaves out, such as all its settings: dozens of members are looked up even in a short one. */
const noMembers: JsonObject = Object.freeze({})

/** Names in snake case by those that are looked up, which are our own: making them anew for each part of a long chat would take most of its time. */
const snakeCaseNames = new Map<string, string>()

function snakeCaseOf(name: string): string {
  const known = snakeCaseNames.get(name)
  if (known !== undefined) return known
  const snakeCase = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  snakeCaseNames.set(name, snakeCase)
  return snakeCase
}

/** The name of a member that is there in both cases, of which a server may read the other one; `null` = none. */
export function twiceNamed(object: JsonObject): string | null {
  const camel = (name: string) => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())
  const snake = Object.keys(object).find((name) => name.includes('_') && Object.hasOwn(object, camel(name)))
  return snake === undefined ? null : camel(snake)
}

export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = member(object, name)
  return isObject(value) ? value : noMembers
}

/** The objects of a list; a single object is a list of one. */
export function listMember(object: JsonObject, name: string): readonly JsonObject[] {
  const value = member(object, name)
  if (isObject(value)) return [value]
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** The request whose tokens are counted: clients send it as it is, or as a member. */
export function countedRequest(body: JsonObject): JsonObject {
  const inner = member(body, 'generateContentRequest')
  return isObject(inner) ? inner : body
}
