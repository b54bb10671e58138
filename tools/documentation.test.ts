import { describe, expect, test } from 'bun:test'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { everyKind } from '../packages/vendors/src/protocols/every-kind.ts'
import {
  anchorsOf,
  columns,
  filesEndingWith,
  type Language,
  linksOf,
  pages,
  root,
  textOf,
  vendorTable,
  withVendorTable,
} from './documentation.ts'

const fronts: ReadonlyArray<readonly [page: string, language: Language]> = [
  ['README.md', 'en'],
  ['README.zh.md', 'zh'],
]

if (process.env['UPDATE_DOCS'] === '1')
  for (const [page, language] of fronts) writeFileSync(join(root, page), withVendorTable(textOf(page), language))

describe('the table of vendors', () => {
  test.each(fronts)('in %s is the one that `npm run docs` writes', (page, language) => {
    expect(textOf(page)).toBe(withVendorTable(textOf(page), language))
  })

  test('has a column for every kind of call', () => {
    const kinds: readonly string[] = columns.flatMap(({ kinds }) => kinds)
    expect(kinds.toSorted()).toEqual(Object.keys(everyKind).toSorted())
  })

  test('shows what works with a vendor that has chats only', () => {
    expect(vendorTable('en').split('\n')).toContain('| 25 | Moonshot AI | ✓ | ✓ |  |  |  |  |  |  |  |  |  |  |')
  })
})

test('the front pages give the same clients the same addresses and keys', () => {
  const rowsOf = (page: string) =>
    textOf(page)
      .split('\n')
      .filter((line) => /^\| .*(?:localhost:3000|your\.host)/.test(line))
      .map((line) => {
        const [, client = '', ...cells] = line.split('|')
        return { client: client.replace("'s SDKs", ' SDK').trim(), code: cells.flatMap((cell) => cell.match(/`[^`]+`/g)?.toSorted() ?? []) }
      })
  expect(rowsOf('README.md')).toEqual(rowsOf('README.zh.md'))
  expect(rowsOf('README.md').map(({ client }) => client)).toEqual([
    ...['OpenAI SDK', 'Anthropic SDK', 'Google SDK', 'AI SDK', 'Claude Code', 'Codex CLI', 'Gemini CLI'],
    ...['Cursor', 'Cline', 'Open WebUI', 'LobeChat'],
  ])
})

test('the image of the front page has at most 200 KB', () => {
  expect(statSync(join(root, 'docs/images/console.png')).size).toBeLessThanOrEqual(200_000)
})

test('every link of a page leads to an existing file, and to an existing heading if it names one', () => {
  const dead = pages().flatMap((page) =>
    linksOf(textOf(page))
      .filter((address) => !/^(?:https?|mailto):/.test(address))
      .filter((address) => !leadsSomewhere(page, address))
      .map((address) => `${page}: ${address}`),
  )
  expect(dead).toEqual([])
})

function leadsSomewhere(page: string, address: string): boolean {
  const [path = '', anchor = ''] = address.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return false
  return anchor === '' || anchorsOf(textOf(target)).includes(anchor)
}

test('every page of `docs/` is linked from the front pages, directly or through other pages', () => {
  const linked = (front: string) => new Set(linksOf(textOf(front)).map((address) => address.split('#')[0]))
  for (const [front] of fronts) {
    const known = linked(front)
    expect(pages('docs').filter((page) => !known.has(page))).toEqual([])
  }
})

test('every decision that code or a page names exists', () => {
  const named = filesEndingWith(/\.(?:md|tsx?|mjs)$/).flatMap((file) =>
    [...textOf(file).matchAll(/\b(\d{4}-\d\d-\d\d-[a-z][\w-]+\.md)/g)].map(([, name = '']): [string, string] => [file, name]),
  )
  expect(named.filter(([, name]) => !existsSync(join(root, 'decisions', name)))).toEqual([])
})

test('every file that ARCHITECTURE names exists', () => {
  const named = [...textOf('ARCHITECTURE.md').matchAll(/`([\w./-]+\/[\w.-]+\.ts|[\w-]+\.ts)`/g)].map(([, path = '']) => path)
  const places = ['', 'apps/server/src/', 'apps/server/src/relay/']
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !places.some((place) => existsSync(join(root, place + path))))).toEqual([])
})
