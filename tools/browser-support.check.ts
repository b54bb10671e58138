import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'acorn'
import { oldestBrowsers } from '../apps/console/build/browsers.ts'
import { unsupportedIn, unsupportedInScript, unsupportedInStyle } from './browser-support.ts'
import { optionalFeatures } from './optional-features.ts'

// Run after a build of the console, in `npm run check`.

const root = join(import.meta.dir, '..')
const folder = join(root, 'apps/console/dist')
const uses = unsupportedIn(folder)

describe('the built console', () => {
  test('uses nothing that a browser of its list lacks', () => {
    expect(uses.filter(({ feature }) => !Object.hasOwn(optionalFeatures, feature))).toEqual([])
  })

  test('uses every feature that is listed as optional', () => {
    const names = uses.map(({ feature }) => feature)
    expect(Object.keys(optionalFeatures).filter((feature) => !names.includes(feature))).toEqual([])
  })

  test('begins with a script that browsers of any age understand, and names the oldest versions to their readers', () => {
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)]
    expect(scripts).toHaveLength(1)
    for (const [, script = ''] of scripts) parse(script, { ecmaVersion: 5 })
    for (const version of Object.values(oldestBrowsers)) expect(page).toContain(version)
    expect(page).not.toMatch(/%\w+%/)
  })
})

test('the documentation names the versions of the list', () => {
  const documentation = readFileSync(join(root, 'docs/browsers.md'), 'utf8')
  const { chrome, edge, firefox, safari, ios } = oldestBrowsers
  for (const row of [`| Chrome | ${chrome} |`, `| Edge | ${edge} |`, `| Firefox | ${firefox} |`, `| Safari | ${safari} |`, `iOS ${ios}`])
    expect(documentation).toContain(row)
})

describe('the check finds', () => {
  test.each([
    ['URL.parse(address)', 'URL.parse'],
    ['Promise.withResolvers()', 'Promise.withResolvers'],
    ['Object.groupBy(rows, keyOf)', 'Object.groupBy'],
    ['Array.fromAsync(rows)', 'Array.fromAsync'],
    ['AbortSignal.any([])', 'AbortSignal.any'],
    ['one.union(other)', '.union()'],
    ['text.toWellFormed()', '.toWellFormed()'],
    ['new DisposableStack()', 'DisposableStack'],
  ])('%s', (code, feature) => expect(unsupportedInScript(code)).toContain(feature))

  test.each([
    'const { a } = await import("./a.json", { with: { type: "json" } })',
    'using file = open()',
    'const letters = /[\\p{L}--[a-z]]/v',
    'const letters = new RegExp("[\\\\p{L}--[a-z]]", "v")',
    'const day = /(?<y>\\d{4})-x|x-(?<y>\\d{4})/',
    'const text = /(?i:a)b/',
  ])('the syntax of %s', (code) => expect(() => unsupportedInScript(code)).toThrow())

  test.each([
    ['a { color: light-dark(red, blue) }', 'css light-dark()'],
    ['a:has(b) { color: red }', 'css :has'],
    ['a { & b { color: red } }', 'css &'],
    ['@starting-style { a { color: red } }', 'css @starting-style'],
  ])('%s', (css, feature) => expect(unsupportedInStyle(css)).toContain(feature))

  test('no fault in what every browser of the list has', () => {
    expect(unsupportedInScript('structuredClone(rows.toSorted().findLast(Boolean)); /(?<=a)b/u.test(Object.hasOwn(a, b))')).toEqual([])
    expect(unsupportedInStyle('@container (width > 1px) { a:is(b) { color: color-mix(in oklab, red, oklch(50% 0 0)) } }')).toEqual([])
  })
})
