import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../src/core/is-object.ts'
import type { Json } from '../src/core/json.ts'
import { noUsage } from '../src/core/no-usage.ts'
import type { Usage } from '../src/core/usage.ts'

/** A JSON file, deeply frozen, so that changing it throws. */
export function readJson(path: string): unknown {
  return freeze(JSON.parse(readFileSync(path, 'utf8')))
}

/** Every JSON file of a folder by its name without the extension; none if the folder is missing. */
export function jsonFilesIn(folder: string): ReadonlyArray<readonly [string, unknown]> {
  return filesIn(folder, '.json').map((name) => [name, readJson(join(folder, `${name}.json`))])
}

/** The names of a folder's files without the extension; none if the folder is missing. */
export function filesIn(folder: string, ending: string): readonly string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith(ending))
  return names.sort().map((name) => name.slice(0, -ending.length))
}

export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}

/** A value as JSON sends it: without fields that are `undefined`. */
export function onTheWire(value: unknown): Json {
  // Holds: whatever JSON.parse returns is JSON.
  return JSON.parse(JSON.stringify(value)) as Json
}

/** Completes the usages of a fixture, which leave out members with their default. */
export function withWholeUsages<T>(expected: T): T {
  const text = JSON.stringify(expected, (_key, value: unknown) =>
    isObject(value) && 'promptTokens' in value ? { ...noUsage, ...value } : value,
  )
  // Holds: usages get the members of their type, and nothing else changes.
  return JSON.parse(text) as T
}

/** All counts of a usage. */
export function countsOf(usage: Usage | null): readonly number[] {
  return Object.values(usage ?? {}).filter((count) => typeof count === 'number')
}
