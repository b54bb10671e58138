import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { vendors } from '@sluice/vendors/registry/list'
import OpenAI from 'openai'
import { uncounted } from '../../../../packages/vendors/src/protocols/openai/without-usage.ts'
import { type TestApp, testApp } from '../app.ts'
import { json } from '../fake-upstream.ts'
import { doubleOf } from './double-of.ts'
import { pieces } from './vendor-double.ts'

// Every channel type with chats, as an administrator makes it: saved by the call of the console's form, tested, and called by a client.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
})

const usage = { prompt: 100, completion: 20 }
const chatting = vendors.filter(({ dialects }) => dialects.chat !== undefined)

test('the types with chats are 1 to 42 and 50', () => {
  expect(chatting.map(({ type }) => type).toSorted((one, other) => one - other)).toEqual([
    ...Array.from({ length: 42 }, (_, at) => at + 1),
    50,
  ])
})

describe.each(chatting.map((vendor) => [vendor.type, vendor.name, vendor] as const))('type %d, %s,', (type, _name, vendor) => {
  const double = doubleOf(vendor)
  const { key, model, config, other = '' } = double
  // FastGPT's counts are placeholders.
  const countsTokens = double.lacks?.includes('usage') !== true && vendor.dialects.chat !== uncounted

  async function scene() {
    const group = `g${crypto.randomUUID().slice(0, 8)}`
    const form = {
      ...{ type, name: group, group, models: model, base_url: app.upstream.url, other },
      key: key.replaceAll('{upstream}', app.upstream.url),
      config: JSON.stringify(config ?? {}),
    }
    app.upstream.always((request) => double.grant?.(request) ?? null)
    await app.data(contract.channel.create, form)
    const [row] = await app.data(contract.channel.search, { keyword: group })
    const user = await app.make.user({ groups: group })
    const { key: token } = await app.make.token(user)
    return { id: row?.id ?? 0, user, client: new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 }) }
  }

  const ask = { model, messages: [{ role: 'user' as const, content: 'Hi' }] }

  test('is saved, and its channel test passes', async () => {
    const { id } = await scene()
    app.upstream.script(double.whole({ text: 'Hello', usage }))
    expect(await app.call(contract.channel.test, { id, model: '' })).toMatchObject({ success: true })
    expect(await app.data(contract.channel.tests, { ids: String(id) })).toMatchObject([{ passed: true, model }])
  })

  test('completes a chat, whole and as a stream, and is charged', async () => {
    const { id, client, user } = await scene()
    app.upstream.script(double.whole({ text: 'Hello there', usage }))
    expect((await client.chat.completions.create(ask)).choices[0]?.message.content).toBe('Hello there')
    const { contentType, frames } = double.stream({ text: 'Hello there', usage })
    const isStreamed = double.lacks?.includes('events') !== true
    app.upstream.script(isStreamed ? pieces(contentType, frames) : double.whole({ text: 'Hello there', usage }))
    let text = ''
    for await (const { choices } of await client.chat.completions.create({ ...ask, stream: true })) text += choices[0]?.delta.content ?? ''
    expect(text).toBe('Hello there')
    await app.app.ledger.drain()
    const rows = await app.data(contract.log.list, { username: user.username })
    const counts = countsTokens ? { prompt_tokens: 100, completion_tokens: 20, estimated: false } : { usage_suspect: false }
    expect(rows).toMatchObject([
      { channel: id, end_reason: 'complete', is_stream: true, ...counts },
      { channel: id, end_reason: 'complete', is_stream: false, ...counts },
    ])
    for (const { quota } of rows) expect(quota).toBeGreaterThan(0)
  })
})

describe('type 43, Proxy,', () => {
  async function scene() {
    const name = `p${crypto.randomUUID().slice(0, 8)}`
    const base_url = `${app.upstream.url}/base`
    await app.data(contract.channel.create, {
      ...{ type: 43, name, group: 'default', models: '', base_url, key: 'Bearer the-key' },
      ...{ proxy_methods: 'GET,POST', proxy_paths: '/' },
    })
    const [row] = await app.data(contract.channel.search, { keyword: name })
    return row?.id ?? 0
  }

  test('is saved, and responds to whatever a client sends to it', async () => {
    const id = await scene()
    const { key: token } = await app.make.token(await app.make.user())
    app.upstream.script(json({ own: 'form' }))
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await app.request(`/v1/oneapi/proxy/${id}/any/path`, { method: 'POST', headers, body: '{"any":"body"}' })
    expect([response.status, await response.text()]).toEqual([200, '{"own":"form"}'])
    expect(app.upstream.received.at(-1)).toMatchObject({ path: '/base/any/path', body: '{"any":"body"}' })
  })

  test.each([
    ['answers', json({ fine: true }), true],
    ['has nothing at this path', json({ error: { message: 'no such page' } }, 404), true],
    ['redirects', [{ do: 'head', status: 302, headers: { location: 'https://elsewhere.example' } }] as const, true],
    ['refuses the key', json({ error: { message: 'not with this key' } }, 401), false],
    ['is broken', json({ error: { message: 'not today' } }, 503), false],
  ] as const)('is tested by a request to its address: a server that %s', async (_what, script, passed) => {
    const id = await scene()
    app.upstream.script(script)
    expect(await app.call(contract.channel.test, { id, model: '' })).toMatchObject({ success: passed })
    expect(app.upstream.received.at(-1)).toMatchObject({ method: 'GET', path: '/base', headers: { authorization: 'Bearer the-key' } })
  })
})
