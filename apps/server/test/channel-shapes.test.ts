import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en, rawProxyType } from '@sluice/contract'
import { vendors } from '@sluice/vendors/registry/list'
import { type TestApp, testApp } from './app.ts'

// What a channel must have is checked when it is saved, for every vendor whose record says so.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const save = (type: number, key: string, more: { readonly base_url?: string; readonly config?: string; readonly other?: string } = {}) =>
  app.call(contract.channel.create, {
    ...{ name: `of ${type}`, type, key, models: 'm', group: 'default' },
    ...(type === rawProxyType && { proxy_methods: 'GET', proxy_paths: '/' }),
    ...more,
  })

/** Keys that are not whole, by type, and one that is. */
const shapes: Readonly<Record<number, { readonly wrong: readonly string[]; readonly right: string; readonly base_url?: string }>> = {
  3: { wrong: ['tenant|client', 'tenant||secret'], right: 'tenant|client|secret', base_url: 'https://upstream.example' },
  15: { wrong: ['api|', '|secret', 'a|b|c'], right: 'api|secret' },
  18: { wrong: ['app|secret', 'app||key', '|secret|key', 'app|secret|undefined'], right: 'app|secret|key' },
  22: { wrong: ['a-key', 'fastgpt-key-', 'fastgpt-key-64f0'], right: 'fastgpt-z51pkjqm9nrk03a1rx2funoy-642adec15f04d67d4613efdb' },
  23: { wrong: ['app|id', 'app||key', '|id|key'], right: 'app|id|key' },
  33: { wrong: ['ak', 'ak||us-east-1', '|sk|us-east-1', 'ak|sk|'], right: 'ak|sk|us-east-1' },
  42: { wrong: ['us|project', 'us|project|{', '|project|AQ.key', 'us||AQ.key'], right: 'us|project|AQ.an-api-key-of-the-cloud' },
  49: {
    wrong: ['us|project', 'us||AQ.key', 'us|project|{"type": "service_account"}', '{}'],
    right: 'us|project|AQ.an-api-key-of-the-cloud',
  },
}

test('the types whose keys have a shape are those of the table', () => {
  const shaped = vendors.filter(({ key }) => key.isValid !== undefined).map(({ type }) => String(type))
  expect(shaped.toSorted()).toEqual(Object.keys(shapes).toSorted())
})

for (const [type, { wrong, right, base_url }] of Object.entries(shapes)) {
  const vendor = vendors.find((one) => one.type === Number(type))
  const more = base_url === undefined ? {} : { base_url }
  test.each(wrong.map((key) => [key] as const))(`a key %s of type ${type} is refused with what it lacks`, async (key) => {
    const message = en.channel_key_shape.replace('{shape}', vendor?.key.hint ?? '')
    expect(await save(Number(type), key, more)).toMatchObject({ success: false, message, field: 'key' })
  })

  test(`a key ${right} of type ${type} is saved`, async () => {
    expect(await save(Number(type), right, more)).toMatchObject({ success: true })
  })
}

/** No header can carry these as one credential, whatever the vendor. */
const noWords = ['Bearer sk-1', 'two words', 'tab\there', 'https://upstream.example/v1', 'sk-1\u200b', '密钥']

for (const {
  type,
  name,
  key: { hint },
  rawProxy,
} of vendors) {
  const title = rawProxy === undefined ? 'is refused with the shape that it must have' : 'is saved, because it is the whole header'
  test.each(noWords.map((key) => [key] as const))(`a key %j of ${name} ${title}`, async (key) => {
    const more = { base_url: 'https://upstream.example', other: 'given', config: '{"user_id":"account-1"}' }
    const message = en.channel_key_word.replace('{shape}', hint)
    const expected = rawProxy === undefined ? { success: false, message, field: 'key' } : { success: true }
    expect(await save(type, key, more)).toMatchObject(expected)
  })
}

const account = { config: '{"user_id":"account-1"}' }
const elsewhere = { ...account, base_url: 'https://gateway.example' }

for (const {
  type,
  name,
  key: { hint, isValid },
  rawProxy,
  group,
  routes: { baseUrl },
} of vendors) {
  if (baseUrl === null || isValid !== undefined || rawProxy !== undefined) continue
  const isVendor = group !== 'proxies' && group !== 'self_hosted'
  test(`a key of two parts of ${name} is ${isVendor ? 'refused, except for another server' : 'saved, because its key format is undocumented'}`, async () => {
    const refused = { success: false, message: en.channel_key_own.replace('{shape}', hint), field: 'key' }
    expect(await save(type, 'a|b', { ...account, other: 'given' })).toMatchObject(isVendor ? refused : { success: true })
    expect(await save(type, 'a|b', { ...elsewhere, other: 'given' })).toMatchObject({ success: true })
  })
}

test('a key that begins as those of another vendor do is refused, but for another server', async () => {
  const prefixed = vendors.flatMap(({ type, key: { prefix } }) => (prefix === undefined ? [] : [[type, `${prefix}0123`] as const]))
  expect(prefixed.length).toBeGreaterThan(3)
  for (const [own, key] of prefixed) {
    for (const [type] of prefixed) {
      expect([type, key, (await save(type, key)).success]).toEqual([type, key, type === own || type === 20])
      expect(await save(type, key, elsewhere)).toMatchObject({ success: true })
    }
    expect(await save(2, key)).toMatchObject({ success: true })
  }
})

test('a key of Zhipu is an id and a secret, but for another server', async () => {
  const open = 'https://open.bigmodel.cn/api/coding/paas/v4'
  for (const more of [{}, { base_url: open }, { other: 'jwt' }]) {
    const refused = { success: false, message: expect.stringContaining('id.secret'), field: 'key' }
    for (const key of ['sk-0123456789', 'a.b.c', 'id.', '.secret']) expect(await save(16, key, more)).toMatchObject(refused)
    expect(await save(16, '1234567890abcdef.AbCdEf', more)).toMatchObject({ success: true })
  }
  expect(await save(16, 'sk-0123456789', elsewhere)).toMatchObject({ success: true })
})

test('one wrong key of several is refused', async () => {
  expect(await save(1, 'sk-1\nBearer sk-2')).toMatchObject({ success: false, field: 'key' })
})

test('a newer key of FastGPT names no app', async () => {
  expect(await save(22, 'fastgpt-z51pkjqm9nrk03a1rx2funoy')).toMatchObject({ success: true })
})

test('a part of a stored key that is missing after an edit is reported with the shape, too', async () => {
  await app.data(contract.channel.create, { name: 'edited', type: 18, key: 'app|secret|key', models: 'm' })
  const [row] = await app.data(contract.channel.search, { keyword: 'edited' })
  const edited = await app.call(contract.channel.update, { id: row?.id ?? 0, key: '|secret|key' })
  expect(edited).toMatchObject({ success: false, message: expect.stringContaining('APPID|APISecret|APIKey') })
})

test('a library without its id is refused, in the language of the reader', async () => {
  const fields = { name: 'library', type: 21, key: 'sk-1', models: 'm', base_url: 'https://library.example' }
  const message = 'This channel type needs one more setting: Library ID'
  expect(await app.call(contract.channel.create, fields)).toMatchObject({ success: false, message, field: 'other' })
  expect(await app.call(contract.channel.create, { ...fields, other: ' ' })).toMatchObject({ success: false, message })
  expect(await app.call(contract.channel.create, { ...fields, other: 'library-1' })).toMatchObject({ success: true })
  const [row] = await app.data(contract.channel.search, { keyword: 'library' })
  expect(await app.call(contract.channel.update, { id: row?.id ?? 0, other: '' })).toMatchObject({ success: false, message })
})

test('a channel without the account that its vendor’s address needs is refused, and so is one without any address', async () => {
  expect(await save(37, 'token')).toMatchObject({ success: false, message: expect.stringContaining('{user_id}'), field: 'config.user_id' })
  for (const config of ['{"user_id":""}', '{"user_id":"a/b"}'])
    expect(await save(37, 'token', { config })).toMatchObject({ success: false, field: 'config.user_id' })
  expect(await save(37, 'token', { config: '{"user_id":"account-1"}' })).toMatchObject({ success: true })
  for (const {
    type,
    routes: { baseUrl },
    key: { isValid },
  } of vendors) {
    if (baseUrl !== null || isValid !== undefined) continue
    expect(await save(type, 'key')).toMatchObject({ success: false, message: en.channel_base_url_required, field: 'base_url' })
  }
})
