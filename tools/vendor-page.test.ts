import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { doubles } from '../apps/server/test/vendors/doubles/all.ts'
import type { Feature as Lack } from '../apps/server/test/vendors/vendor-double.ts'
import { type ChatParameter, chatParameters, type Feature } from '../packages/vendors/src/core/feature.ts'
import { vendorByType, vendors } from '../packages/vendors/src/registry/list.ts'
import { root } from './documentation.ts'
import { channelOf, featureOf, stateOf } from './vendor-features.ts'
import { vendorPage } from './vendor-page.ts'
import { parameterOf } from './vendor-parameters.ts'

const file = join(root, 'docs/vendors.md')
if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, vendorPage())

test('docs/vendors.md is the page that `npm run docs` writes', () => {
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(vendorPage())
})

test('every cell of docs/vendors.md has a state, and each that lacks something a source', () => {
  const rows = vendorPage()
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
  const chatting = vendors.filter(({ dialects, rawProxy }) => dialects.chat !== undefined || rawProxy !== undefined)
  expect(rows).toHaveLength(vendors.length * 2 + chatting.length)
  for (const row of rows)
    for (const cell of row.split('|').slice(3, -1))
      expect(cell).toMatch(
        /^ (?:passed on|translated|\[(?:refused|not offered|left out)(?:\]\[docs \d+[a-z ]*|: own server\]\[own server|: nothing published, looked for 20\d\d-\d\d-\d\d\]\[nothing published)\]) $/,
      )
})

test('every link of a cell leads to a page or to a section', () => {
  const page = vendorPage()
  for (const [, name] of page.matchAll(/\]\[([^\]]+)\]/g)) expect(page).toContain(`\n[${name}]: `)
  for (const [, anchor = ''] of page.matchAll(/^\[[^\]]+\]: #(\S+)$/gm))
    expect(page.toLowerCase().replaceAll(' ', '-')).toContain(`\n##-${anchor}\n`)
})

/** Hosts of companies whose pages are about a vendor of another name: its own documentation is published there. */
const publishers: Readonly<Record<number, RegExp>> = {
  ...{
    3: /^learn\.microsoft\.com$/,
    13: /^github\.com$/,
    14: /^platform\.claude\.com$/,
    15: /^cloud\.baidu\.com$/,
    16: /^docs\.bigmodel\.cn$/,
  },
  ...{
    17: /^help\.aliyun\.com$/,
    18: /^www\.xfyun\.cn$/,
    22: /^doc\.fastgpt\.io$/,
    23: /^cloud\.tencent\.com$/,
    25: /^platform\.kimi\.com$/,
  },
  ...{ 33: /^docs\.aws\.amazon\.com$/, 40: /^www\.volcengine\.com$/, 45: /^docs\.newapi\.pro$/, 44: /^fal\.ai$/, 47: /^docs\.bfl\.ai$/ },
  ...{
    11: /^ai\.google\.dev$/,
    24: /^ai\.google\.dev$/,
    49: /^ai\.google\.dev$/,
    50: /^ai\.google\.dev$/,
    42: /^docs\.cloud\.google\.com$/,
  },
  ...{ 31: /^platform\.lingyiwanwu\.com$/, 48: /^developers\.openai\.com$/, 19: /^ai\.360\.com$/, 46: /^docs\.platform\.pixverse\.ai$/ },
  // Apifox publishes the documentation of companies of China under their own names.
  ...{
    2: /^api2d-doc\.apifox\.cn$/,
    7: /^ohmygpt-docs\.apifox\.cn$/,
    12: /^s\.apifox\.cn$/,
    26: /^(?:platform\.baichuan-ai\.com|f8cxtsvnr8\.apifox\.cn)$/,
  },
}

test.each(vendors.flatMap(({ type, name, docs }) => (docs === undefined ? [] : [[type, name, docs] as const])))(
  'every page that type %d, %s, cites is one of its own',
  (type, name, docs) => {
    const hosts = [docs.page, docs.chat ?? docs.page, ...Object.values(docs.pages ?? {})].map((page) => new URL(page).host)
    const own =
      publishers[type] ??
      new RegExp(
        `(?:^|\\.)${name
          .toLowerCase()
          .replace(/^.* (?=openrouter|ai proxy)/, '')
          .replaceAll(/ ?ai$|\\.ai$|[ .]/g, '')}`,
      )
    expect(hosts.filter((host) => !own.test(host))).toEqual([])
  },
)

test("a vendor has documentation or a reason why it has none: its server is the operator's, or nothing was found", () => {
  const reasons = vendors.flatMap(({ type, undocumented }) => (undocumented === undefined ? [] : [[type, undocumented.why] as const]))
  expect(reasons.toSorted(([one], [other]) => one - other)).toEqual([
    [6, 'nothing published'],
    [8, 'own server'],
    [9, 'nothing published'],
    [10, 'nothing published'],
    [43, 'own server'],
  ])
  for (const { name, docs, undocumented } of vendors)
    expect([name, (docs === undefined) !== (undocumented === undefined)]).toEqual([name, true])
})

test('only what tunes the sampling, or makes sure of a schema, is left out', () => {
  const leftOut = chatParameters.filter((parameter) => vendors.some((vendor) => parameterOf(vendor, parameter) === 'left out'))
  expect(leftOut).toEqual(['seed', 'penalties'])
})

test('parameters are what requests of these vendors have long been known to make of them', () => {
  const of = (type: number, parameter: ChatParameter) => {
    const vendor = vendorByType(type)
    return vendor && parameterOf(vendor, parameter)
  }
  expect([of(1, 'several choices'), of(14, 'several choices'), of(14, 'stop'), of(14, 'seed')]).toEqual([
    ...(['passed on', 'refused', 'translated', 'left out'] as const),
  ])
  expect([of(30, 'images by address'), of(30, 'forced tool'), of(23, 'log probabilities')]).toEqual(['translated', 'refused', 'refused'])
  expect([of(43, 'json'), of(47, 'json')]).toEqual(['passed on', null])
})

describe('docs/vendors.md agrees with the suite of', () => {
  const columns: ReadonlyArray<readonly [Lack, Feature]> = [
    ['stream', 'stream'],
    ['tools', 'tools'],
    ['parallel tools', 'parallel tools'],
    ['images', 'images in'],
    ['cached', 'cache usage'],
  ]
  test.each(doubles.map((double) => [double.name, double] as const))('%s', (_, double) => {
    for (const [lack, feature] of columns) {
      const state = stateOf(feature, channelOf(double))
      const works = state === 'passed on' || state === 'translated'
      expect(`${feature}: ${works}`).toBe(`${feature}: ${double.lacks?.includes(lack) !== true}`)
    }
  })
})

test('what the documentation of a vendor says is said of features that its record does not show otherwise', () => {
  for (const vendor of vendors) {
    for (const feature of vendor.docs?.untranslated ?? []) expect([vendor.name, feature, featureOf(vendor, feature)]).toContain('refused')
    const { without = [], ...docs } = vendor.docs ?? { page: '' }
    for (const feature of without) expect(['passed on', 'translated']).toContain(featureOf({ ...vendor, docs }, feature))
  }
})
