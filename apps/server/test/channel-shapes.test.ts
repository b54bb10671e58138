import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { vendors } from '@sluice/vendors/list'
import { type TestApp, testApp } from './app.ts'

// What a channel must have is checked when it is saved, for every vendor whose record says so.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const save = (type: number, key: string, more: { readonly base_url?: string; readonly config?: string } = {}) =>
  app.call(contract.channel.create, { name: `of ${type}`, type, key, models: 'm', group: 'default', ...more })

/** Keys that are not whole, by type, and one that is. */
const shapes: Readonly<Record<number, { readonly wrong: readonly string[]; readonly right: string; readonly base_url?: string }>> = {
  3: { wrong: ['tenant|client', 'tenant||secret'], right: 'tenant|client|secret', base_url: 'https://upstream.example' },
  15: { wrong: ['api|', 'a|b|c'], right: 'api|secret' },
  18: { wrong: ['app|secret', 'app||key'], right: 'app|secret|key' },
  23: { wrong: ['app|id', 'app||key'], right: 'app|id|key' },
  33: { wrong: ['ak', 'ak||us-east-1'], right: 'ak|sk|us-east-1' },
  42: { wrong: ['us|project', 'us|project|{'], right: 'us|project|AQ.an-api-key-of-the-cloud' },
}

test('the types whose keys have a shape are those of the table', () => {
  const shaped = vendors.filter(({ isKey }) => isKey !== undefined).map(({ type }) => String(type))
  expect(shaped.toSorted()).toEqual(Object.keys(shapes).toSorted())
})

for (const [type, { wrong, right, base_url }] of Object.entries(shapes)) {
  const vendor = vendors.find((one) => one.type === Number(type))
  const more = base_url === undefined ? {} : { base_url }
  test.each(wrong.map((key) => [key] as const))(`a key %s of type ${type} is refused with what it lacks`, async (key) => {
    const shape = en.channel_key_shape.replace('{shape}', vendor?.keyHint ?? '')
    const message = key.split('|').includes('') ? 'A part of the key is missing, please fill in every part of it' : shape
    expect(await save(Number(type), key, more)).toMatchObject({ success: false, message })
  })

  test(`a key ${right} of type ${type} is saved`, async () => {
    expect(await save(Number(type), right, more)).toMatchObject({ success: true })
  })
}

test('a channel without the account that its vendor’s address needs is refused, and so is one without any address', async () => {
  expect(await save(37, 'token')).toMatchObject({ success: false, message: expect.stringContaining('{user_id}') })
  expect(await save(37, 'token', { config: '{"user_id":"account-1"}' })).toMatchObject({ success: true })
  for (const { type, baseUrl, isKey } of vendors) {
    if (baseUrl !== null || isKey !== undefined) continue
    expect(await save(type, 'key')).toMatchObject({ success: false, message: en.channel_base_url_required })
  }
})
