import { expect, test } from 'bun:test'
import { withFactsOnly } from '../apps/console/build/vendor-facts.ts'

test('a record in the browser keeps what the console shows and asks for, and nothing else', () => {
  const code = `
export const example: Vendor = {
  type: 99,
  name: 'Example',
  color: 'blue',
  docs: { page: 'https://vendor.example/docs' },
  group: 'global',
  dialects: { chat: (model) => (model.includes('old') ? 'old' : 'openai') },
  routes: { baseUrl: 'https://vendor.example', pathFor: examplePath },
  auth: bearer,
  /** Its comment. */
  key: { hint: 'sk-...', isValid: (key) => hasParts(key, 2), fields: ['ak', 'sk'] },
  patch: (body) => withoutFields(body, ['seed']),
  models: exampleModels,
  askBalance: balances[9],
}
`
  const changed = withFactsOnly(code)
  for (const kept of [
    'type: 99',
    "name: 'Example'",
    "color: 'blue'",
    "group: 'global'",
    "routes: { baseUrl: 'https://vendor.example', }",
    "hint: 'sk-...'",
    "fields: ['ak', 'sk']",
    'askBalance: true',
  ]) {
    expect(changed).toContain(kept)
  }
  for (const dropped of ['docs', 'dialects', 'auth', 'hasParts', 'patch', 'examplePath', 'models']) expect(changed).not.toContain(dropped)
})

test('what several records share loses the same members, and other objects stay as they are', () => {
  const code = `
export const reseller = (own) => ({ group: 'proxies', auth: bearer, key: { hint: 'sk-...' }, ...own })
export const one = reseller({ type: 98, name: 'One', color: 'red', patch })
export const failures = { group: 'not a vendor', models: [] }
`
  const changed = withFactsOnly(code)
  expect(changed).toContain("({ group: 'proxies', key: { hint: 'sk-...' }, ...own })")
  expect(changed).toContain("reseller({ type: 98, name: 'One', color: 'red', })")
  expect(changed).toContain("{ group: 'not a vendor', models: [] }")
})
