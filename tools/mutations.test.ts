import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allMutations } from './all-mutations.ts'
import type { Mutation } from './mutations.ts'

const root = join(import.meta.dir, '..')

/** Why a mutation cannot be applied as it is written; `null`: it can. */
function staleness({ name, file, text, becomes, tests, only }: Mutation): string | null {
  const missing = [file, ...tests].find((path) => !existsSync(join(root, path)))
  if (missing !== undefined) return `${name}: there is no ${missing}`
  const times = readFileSync(join(root, file), 'utf8').split(text).length - 1
  if (times !== 1) return `${name}: its text stands ${times} times in ${file}`
  const absent = only?.split('|').find((title) => !tests.some((path) => hasTitle(path, title)))
  if (absent !== undefined) return `${name}: no test is named ${absent}`
  return text === becomes ? `${name}: it changes nothing` : null
}

/** Titles may have placeholders and stand on lines of their own, so their text is enough. */
const hasTitle = (path: string, title: string): boolean => new RegExp(title).test(readFileSync(join(root, path), 'utf8'))

test('each mutation names a text that occurs in its file exactly once, and tests that exist', () => {
  expect(allMutations.length).toBeGreaterThan(100)
  expect(allMutations.map(staleness).filter((line) => line !== null)).toEqual([])
})
