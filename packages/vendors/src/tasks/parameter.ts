import type { Json, JsonObject } from '../json.ts'
import type { TaskOrder } from './task.ts'

// Checks of parameters by the vendors' own names, which a client sends beside OpenAI's.

/** Whether a parameter may have a value. */
export type Check = (value: Json) => boolean

export const isText: Check = (value) => typeof value === 'string'
export const isSwitch: Check = (value) => typeof value === 'boolean'
export const isWhole: Check = (value) => Number.isSafeInteger(value)

export function oneOf(values: readonly Json[]): Check {
  return (value) => values.includes(value)
}

/** The first parameter of an order that is unknown or has a value that it cannot have; `null`: none. A value `null` counts as not given. */
export function wrongIn({ extra }: Pick<TaskOrder, 'extra'>, checks: Readonly<Record<string, Check>>): string | null {
  const wrong = Object.entries(extra).find(([name, value]) => {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined
    return check === undefined || !(value === undefined || value === null || check(value))
  })
  return wrong?.[0] ?? null
}

/** A number that a client may also send as text, as OpenAI's `seconds`; `undefined`: not given, or no number. */
export function numberIn(extra: JsonObject, name: string): number | undefined {
  const value = extra[name]
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : undefined
}

export function textIn(extra: JsonObject, name: string): string | undefined {
  const value = extra[name]
  return typeof value === 'string' ? value : undefined
}
