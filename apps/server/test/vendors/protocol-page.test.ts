import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressed } from '../../../../packages/vendors/src/registry/channel-facts.ts'
import { dialectOf } from '../../../../packages/vendors/src/registry/dialect-of.ts'
import { vendorByType } from '../../../../packages/vendors/src/registry/list.ts'
import { chatDialects } from '../../../../packages/vendors/test/chat-dialects.ts'
import { type TestApp, testApp } from '../app.ts'
import { citedBy, namesNoPages } from './cited-responses.ts'
import { type Columns, protocolCells } from './protocol-cells.ts'
import { wires, withFeatures, withoutReason } from './protocol-page.ts'

// The tables of docs/protocols.md are what requests to a running gateway showed.

const file = join(import.meta.dir, '../../../../docs/protocols.md')

let app: TestApp
let cells: Columns
beforeAll(async () => {
  app = await testApp({ env: { ABANDONED_MS: '0' } })
  cells = await protocolCells(app, wires)
  if (process.env['UPDATE_DOCS'] === '1') writeFileSync(file, withFeatures(readFileSync(file, 'utf8'), cells))
}, 240_000)
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

test('the tables of docs/protocols.md are those that `npm run docs` writes', () => {
  const page = readFileSync(file, 'utf8')
  expect(withFeatures(page, cells)).toBe(page)
})

test('every protocol of vendors has a column', () => {
  /** They are OpenAI’s, but for what they read in a response, and the search. */
  const variants = ['uncounted', 'openai-searching']
  const tried = wires.map(({ type, key, config = {}, other = '', model }) => {
    const vendor = vendorByType(type)
    const channel = vendor && addressed(vendor, { baseUrl: 'https://upstream.example', key, config: JSON.stringify(config), other })
    return channel && dialectOf(channel.vendor, 'chat', model)
  })
  const missing = Object.entries(chatDialects).filter(([name, dialect]) => !variants.includes(name) && !tried.includes(dialect))
  expect(missing.map(([name]) => name)).toEqual([])
})

test('vendors without an example of a citation have no search, or name no pages', () => {
  for (const double of wires) {
    if (citedBy(double) !== null || namesNoPages.includes(double.name)) continue
    for (const [client, columns] of cells) {
      const state = columns.get(double.name)?.get('web search') ?? ''
      expect([client, double.name, state]).toEqual([client, double.name, expect.stringContaining('refused')])
    }
  }
})

test.each([
  ['Google', /^refused: (?:contents|tools|toolConfig|generationConfig|cachedContent)\b/],
  ['OpenAI, responses', /^refused: (?:input|input_image|input_file|input_audio|tools|tool_choice|text\.format)\b/],
  ['Anthropic', /^refused: (?:messages|tools|tool_choice|output_config|stop_sequences)\b/],
] as const)('parameters are named as clients of %s write them', (client, form) => {
  const reasons = [...(cells.get(client)?.values() ?? [])].flatMap((column) => [...column.values()]).filter((cell) => cell.includes(': '))
  expect(reasons.length).toBeGreaterThan(20)
  expect(reasons.filter((reason) => !form.test(reason))).toEqual([])
})

test('every refusal says why, and names the field', () => {
  expect(withoutReason(cells)).toEqual([])
  const all = [...cells.values()].flatMap((columns) => [...columns.values()].flatMap((column) => [...column.values()]))
  const refused = all.filter((cell) => cell.startsWith('refused'))
  expect(refused.length).toBeGreaterThan(100)
  expect(refused.filter((cell) => !/^refused: [a-z_]\w*/i.test(cell))).toEqual([])
  expect(all.filter((cell) => cell.trim() === '')).toEqual([])
})
