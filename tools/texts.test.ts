import { expect, test } from 'bun:test'
import { posix } from 'node:path'
import type { Node } from 'typescript/unstable/ast'
import { isNoSubstitutionTemplateLiteral, isStringLiteral, isTemplateHead } from 'typescript/unstable/ast/is'
import { type TextGroup, textGroups } from '../apps/console/src/lib/messages/groups.ts'
import { importsOf, nameOf } from './imports.ts'
import { readSources, type Source, walk } from './sources.ts'

const sources = new Map((await readSources()).filter(({ path }) => path.startsWith('apps/console/src/')).map((s) => [nameOf(s.path), s]))
const names = Object.keys(textGroups) as TextGroup[]
const groupOfKey = new Map(
  (await Promise.all(names.map(async (name) => Object.keys(await textGroups[name].en()).map((key) => [key, name] as const)))).flat(),
)

const lazyPage = /(?:withTexts|lazyPage|dataPage)\(\s*\(\) => import\('(?<file>[^']+)'\)(?<groups>[^)]*)\)/g

/** The files that are loaded by `withTexts(() => import(file), ...groups)` or by `lazyPage` or `dataPage(() => import(file), name, ...groups)`, with their groups. */
function pagesWithTexts(): ReadonlyMap<string, ReadonlySet<string>> {
  const pagesByPath = new Map<string, Set<string>>()
  for (const { path, text } of sources.values()) {
    for (const { groups } of text.matchAll(lazyPage)) {
      const page = nameOf(posix.join(posix.dirname(path), groups?.['file'] ?? ''))
      const listed = [...(groups?.['groups'] ?? '').matchAll(/'(\w+)'/g)].map(([, name = '']) => name)
      pagesByPath.set(page, new Set([...(pagesByPath.get(page) ?? []), ...listed]))
    }
  }
  return pagesByPath
}

const pages = pagesWithTexts()

/** All files that a file imports, directly or through others, without the pages that load texts of their own. */
function closureOf(start: string): readonly string[] {
  const closure = new Set([start])
  for (const file of closure) {
    const source = sources.get(file)
    if (source === undefined || file.startsWith('console/lib/messages/')) continue
    for (const { to } of importsOf(source)) if (sources.has(to) && (!pages.has(to) || to === start)) closure.add(to)
  }
  return [...closure].filter((file) => !file.startsWith('console/lib/messages/'))
}

/** The groups of the texts that a file names, in full or by the beginning of a template. */
function groupsUsedBy(source: Source): ReadonlyMap<string, string> {
  const used = new Map<string, string>()
  walk(source.tree, (node) => {
    for (const key of keysOf(node)) {
      const group = groupOfKey.get(key)
      if (group !== undefined) used.set(group, key)
    }
  })
  return used
}

function keysOf(node: Node): readonly string[] {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return [node.text]
  if (isTemplateHead(node) && node.text.includes('.')) return [...groupOfKey.keys()].filter((key) => key.startsWith(node.text))
  return []
}

function missingIn(start: string, loaded: ReadonlySet<string>): readonly string[] {
  return closureOf(start).flatMap((file) => {
    const source = sources.get(file)
    const used = source === undefined ? [] : [...groupsUsedBy(source)]
    return used.filter(([group]) => !loaded.has(group)).map(([group, key]) => `${file} uses '${key}' of ${group}`)
  })
}

test('the walk finds pages and their texts', () => {
  expect(pages.size).toBeGreaterThan(5)
  expect(missingIn('console/features/token/list-page.tsx', new Set())).not.toEqual([])
})

test('every page loads the groups of texts that it uses', () => {
  expect([...pages].flatMap(([page, groups]) => missingIn(page, groups).map((missing) => `${page}: ${missing}`))).toEqual([])
})

test('what every page loads uses no text of a feature', () => {
  expect(missingIn('console/app/main.tsx', new Set())).toEqual([])
})
