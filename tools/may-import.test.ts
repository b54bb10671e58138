import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { edges, islands, type Row, rows } from './may-import.ts'
import { productSources, type Source, withoutComments } from './sources.ts'

const importPattern = /(?:^|\n)\s*(?:import|export)\s(?:[^'"]*?\sfrom\s)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]/g

function importsOf({ path, text }: Source): readonly string[] {
  return [...withoutComments(text).matchAll(importPattern)].map((match) => {
    const target = match[1] ?? match[2] ?? ''
    return target.startsWith('.') ? join(dirname(path), target) : target
  })
}

const isBelow = (target: string, name: string): boolean => target === name || target.startsWith(name.endsWith(':') ? name : `${name}/`)
const rowOf = (path: string): Row | undefined => rows.find(({ folder }) => isBelow(path, folder))

/** The subfolder of an island that a path lies in. */
function islandOf(path: string): string | null {
  for (const folder of islands) {
    const rest = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/') : []
    if (rest.length > 1) return `${folder}/${rest[0]}`
  }
  return null
}

test('every file lies in a folder of the table', () => {
  const lost = productSources().filter(
    ({ path }) => rowOf(path) === undefined && !path.includes('/test/') && !path.endsWith('vite.config.ts'),
  )
  expect(lost.map(({ path }) => path)).toEqual([])
})

test('every import is allowed by the table', () => {
  const broken = productSources().flatMap((source) => {
    const row = rowOf(source.path)
    if (row === undefined) return []
    const allowed = [...row.may, row.folder]
    return importsOf(source)
      .filter((target) => !allowed.some((name) => isBelow(target, name)) && !/\.(css|json)$/.test(target))
      .map((target) => `${source.path} imports ${target}, but ${row.folder} may not: ${row.why}`)
  })
  expect(broken).toEqual([])
})

test('nouns and features do not know each other', () => {
  const broken = productSources().flatMap((source) => {
    const own = islandOf(source.path)
    return importsOf(source)
      .filter((target) => own !== null && islandOf(target) !== null && islandOf(target) !== own)
      .map((target) => `${source.path} imports ${target}`)
  })
  expect(broken).toEqual([])
})

for (const { what, pattern, within, allowed } of edges) {
  test(`${what} stands in one place only`, () => {
    const found = productSources().filter(
      ({ path, text }) => path.startsWith(within) && !allowed.test(path) && !path.includes('/test/') && pattern.test(withoutComments(text)),
    )
    expect(found.map(({ path }) => path)).toEqual([])
  })
}

test('a vendor is named in its own record, in the list and in the prices only', () => {
  const found = productSources().filter(
    ({ path, text }) =>
      /groq|deepseek/i.test(text) && !/vendors\/src\/(list\.ts|prices\.\w+|openai-compatible\/(groq|deepseek)\.ts)$/.test(path),
  )
  expect(found.map(({ path }) => path)).toEqual([])
})
