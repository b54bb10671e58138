import { plainNumber } from './exact-number.ts'
import { isObject } from './is-object.ts'
import type { Json, JsonObject } from './json.ts'

/** Work that outside data may cause: below 0 = it was too much, and nothing more is done. */
export interface Steps {
  stepsLeft: number
}

/** Characters of two texts that are compared in one step. */
const charactersAStep = 64

/** Whether the steps are within what is left. If they are not, nothing is any more, so the work ends soon. */
export function spend(work: Steps, steps: number): boolean {
  work.stepsLeft = steps <= work.stepsLeft ? work.stepsLeft - steps : -1
  return work.stepsLeft >= 0
}

export function isSame(one: Json | undefined, other: Json | undefined, work: Steps): boolean {
  if (typeof one === 'string' && typeof other === 'string') return isSameText(one, other, work)
  if (!spend(work, 1)) return false
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((entry, index) => isSame(entry, other[index], work))
  return isObject(one) && isObject(other) ? haveSameMembers(one, other, work) : plainNumber(one) === plainNumber(other)
}

function isSameText(one: string, other: string, work: Steps): boolean {
  const compared = one.length === other.length ? one.length : 0
  return spend(work, 1 + Math.floor(compared / charactersAStep)) && one === other
}

function haveSameMembers(one: JsonObject, other: JsonObject, work: Steps): boolean {
  const names = Object.keys(one)
  if (!spend(work, names.length) || names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name], work))
}
