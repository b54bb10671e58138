import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Usage } from '../src/dialect.ts'
import { isObject } from '../src/is-object.ts'
import type { Json } from '../src/json.ts'
import { noUsage } from '../src/no-usage.ts'

/** A file of JSON, frozen all the way down: whoever changes it is found out. */
export function readJson(path: string): unknown {
  return freeze(JSON.parse(readFileSync(path, 'utf8')))
}

/** Every JSON file of a folder by its name without the ending; none where there is no such folder. */
export function jsonFilesIn(folder: string): ReadonlyArray<readonly [string, unknown]> {
  return filesIn(folder, '.json').map((name) => [name, readJson(join(folder, `${name}.json`))])
}

/** The names, without their ending, of a folder's files; none where there is no such folder. */
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

/** A value as it looks after a journey over the wire: fields that are `undefined` are gone. */
export function onTheWire(value: unknown): Json {
  // Holds: whatever JSON.parse returns is JSON.
  return JSON.parse(JSON.stringify(value)) as Json
}

/** What a fixture expects: its usages name only what is not nothing. */
export function withWholeUsages<T>(expected: T): T {
  const text = JSON.stringify(expected, (_key, value: unknown) =>
    isObject(value) && 'promptTokens' in value ? { ...noUsage, ...value } : value,
  )
  // Holds: usages have what their type says, all else is as it was.
  return JSON.parse(text) as T
}

/** All counts of a usage. */
export function countsOf(usage: Usage | null): readonly number[] {
  return Object.values(usage ?? {}).filter((count) => typeof count === 'number')
}
