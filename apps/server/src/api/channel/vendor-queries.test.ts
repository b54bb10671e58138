import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { removeAll, runOver, type SetClock, setClock, setOptions, setStatus, statusOf, until } from '../../../test/channel-scene.ts'
import { json, type Script } from '../../../test/fake-upstream.ts'

let app: TestApp
let clock: SetClock
beforeAll(async () => {
  clock = setClock(Date.UTC(2026, 10, 21, 12))
  app = await testApp({ clock })
})
afterAll(() => app.close())
beforeEach(() => removeAll(app))

const hardLimit = (usd: number): Script => json({ object: 'billing_subscription', has_payment_method: true, hard_limit_usd: usd })
const usedCents = (cents: number): Script => json({ object: 'list', total_usage: cents })
const modelList = (...ids: readonly string[]): Script => json({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) })

const received = () => app.upstream.received.map(({ method, path }) => `${method} ${path}`)

/** The message of a call if the upstream responses with this script. */
async function messageOf(id: number, script: Script): Promise<string> {
  app.upstream.script(script)
  const response = await app.call(contract.channel.updateBalance, { id })
  return response.success ? 'a balance' : response.message
}

describe('the balance of a channel', () => {
  test('is queried, stored, and returned in the data and beside it', async () => {
    const id = await app.make.channel({ key: 'key-1' })
    app.upstream.script(hardLimit(20), usedCents(425))
    const response = await app.request(`/api/channel/update_balance/${id}/`, { headers: app.root.headers })
    expect(await response.json()).toEqual({ success: true, message: '', data: { balance: 15.75 }, balance: 15.75 })
    expect(received().slice(-2)).toEqual([
      'GET /v1/dashboard/billing/subscription',
      'GET /v1/dashboard/billing/usage?start_date=2026-11-01&end_date=2026-11-21',
    ])
    expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer key-1')
    expect(await app.data(contract.channel.get, { id })).toMatchObject({
      balance: 15.75,
      balance_updated_time: Math.floor(clock.nowMs() / 1000),
    })
  })

  test("is queried at the channel's base URL instead of the vendor's address", async () => {
    const id = await app.make.channel({ type: 36, baseUrl: `${app.upstream.url}/v1` })
    app.upstream.script(json({ is_available: true, balance_infos: [{ currency: 'CNY', total_balance: '7.5' }] }))
    expect(await app.data(contract.channel.updateBalance, { id })).toEqual({ balance: 7.5 })
    expect(received().at(-1)).toBe('GET /user/balance')
  })

  test('is refused with a message for types without balances and unknown types, where other servers crashed', async () => {
    const id = await app.make.channel({ type: 14 })
    expect(await app.call(contract.channel.updateBalance, { id })).toMatchObject({ success: false, message: en.balance_unsupported })
    await app.app.store.db.updateTable('channels').set({ type: 999 }).where('id', '=', id).execute()
    await app.data(contract.channel.update, { id, priority: 1 })
    expect(await app.call(contract.channel.updateBalance, { id })).toMatchObject({ success: false, message: en.channel_unusable })
    expect(await app.call(contract.channel.updateBalance, { id: 99_999 })).toMatchObject({ message: 'Channel not found' })
  })

  test('that cannot be read is reported with a message, keeps the old one and never shows the key', async () => {
    const id = await app.make.channel({ key: 'canary-key' })
    app.upstream.script(hardLimit(3), usedCents(100))
    await app.data(contract.channel.updateBalance, { id })
    const request = `GET ${app.upstream.url}/v1/dashboard/billing/subscription`
    expect(await messageOf(id, json({ error: { message: 'canary-key may not ask' } }, 403))).toBe(
      `${request} returned status 403: *** may not ask`,
    )
    const unreadable = `Unexpected response from ${request} (200)`
    expect(await messageOf(id, json({ message: 'canary-key again' }))).toBe(`${unreadable}: *** again`)
    expect(await messageOf(id, json({ hard_limit_usd: 'much' }))).toBe(`${unreadable}: the response has no balance`)
    expect(await messageOf(id, json('<html>', 502))).toBe(`${request} returned status 502: bad response status code 502`)
    expect(
      await messageOf(id, [
        { do: 'head', status: 200 },
        { do: 'send', bytes: '{"hard_limit' },
      ]),
    ).toBe(`${unreadable}: {"hard_limit`)
    // The HTTP client repeats a GET once if its connection broke.
    app.upstream.fallback(() => [{ do: 'cut' }])
    expect(await messageOf(id, [{ do: 'cut' }])).toStartWith(`No response from ${request}: `)
    expect(await messageOf(id, [{ do: 'head', status: 302, headers: { location: `${app.upstream.url}/elsewhere` } }])).toBe(
      `${request} returned a redirect (status 302). Redirects are not followed; enter the final address.`,
    )
    expect(received()).not.toContain('GET /elsewhere')
    expect((await app.data(contract.channel.get, { id })).balance).toBe(2)
  })

  test('has a timeout that is short enough for a person', async () => {
    const id = await app.make.channel()
    const before = app.upstream.received.length
    const pending = messageOf(id, [{ do: 'hang' }])
    await until(
      () => app.data(contract.status.get, {}),
      () => app.upstream.received.length > before,
    )
    clock.advance(20_000)
    expect(await pending).toBe(`GET ${app.upstream.url}/v1/dashboard/billing/subscription timed out after 15 s`)
  })

  test('is never queried at forbidden addresses, and the message does not contain the address', async () => {
    const id = await app.make.channel()
    for (const base_url of ['http://169.254.169.254', `http://127.0.0.1:${app.app.port}`, 'http://metadata.google.internal']) {
      await app.app.store.db.updateTable('channels').set({ base_url }).where('id', '=', id).execute()
      await app.data(contract.channel.update, { id, priority: 1 })
      expect(await app.call(contract.channel.updateBalance, { id })).toEqual({ success: false, message: en.base_url_forbidden })
      expect(await app.call(contract.channel.upstreamModels, { id })).toEqual({ success: false, message: en.base_url_forbidden })
    }
  })
})

describe('the balances of all channels', () => {
  test('are queried for enabled channels whose vendors report one; a failure or an empty account disables none', async () => {
    await setOptions(app, { AutomaticDisableChannelEnabled: true })
    const [off, empty, refused, silent] = [
      await app.make.channel(),
      await app.make.channel(),
      await app.make.channel(),
      await app.make.channel({ type: 14 }),
    ]
    await setStatus(app, off, 2)
    app.upstream.script(json({ error: { message: 'no' } }, 401), hardLimit(0), usedCents(100))
    expect(await app.data(contract.channel.updateBalances, {})).toMatchObject({ work: 'balance', running: true, total: 2 })
    expect(await runOver(app)).toMatchObject({ work: 'balance', total: 2, done: 2, failed: 1, disabled: 0 })
    expect((await app.data(contract.channel.get, { id: empty })).balance).toBe(-1)
    for (const id of [empty, refused, silent]) expect(await statusOf(app, id)).toBe(1)
    await setOptions(app, { AutomaticDisableChannelEnabled: false })
  })
})

describe('the models of an upstream', () => {
  test('are listed in order, without duplicates and names that no channel could have', async () => {
    const id = await app.make.channel({ key: 'key-2' })
    app.upstream.script(modelList('gpt-4o', 'a/b:c', 'gpt-4o', 'with space', ''))
    expect(await app.data(contract.channel.upstreamModels, { id })).toEqual(['a/b:c', 'gpt-4o'])
    expect(received().at(-1)).toBe('GET /v1/models')
    expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer key-2')
  })

  test('are read page by page, and not without end', async () => {
    const id = await app.make.channel({ type: 14, key: 'key-3' })
    const page = (name: string, more: boolean) => json({ data: [{ id: name, type: 'model' }], has_more: more, last_id: name })
    app.upstream.script(page('one', true), page('two', false))
    expect(await app.data(contract.channel.upstreamModels, { id })).toEqual(['one', 'two'])
    expect(received().slice(-2)).toEqual(['GET /v1/models?limit=1000', 'GET /v1/models?limit=1000&after_id=one'])
    expect(app.upstream.received.at(-1)?.headers).toMatchObject({ 'x-api-key': 'key-3', 'anthropic-version': '2023-06-01' })
    app.upstream.fallback(() => page('again', true))
    const before = app.upstream.received.length
    expect(await app.call(contract.channel.upstreamModels, { id })).toEqual({ success: false, message: en.upstream_invalid_response })
    expect(app.upstream.received.length - before).toBe(20)
  })

  test('can be listed before a channel is saved', async () => {
    app.upstream.script(modelList('m1'))
    const form = { type: 8, key: ' key-4 ', base_url: `${app.upstream.url}/` }
    expect(await app.data(contract.channel.upstreamModelsOf, form)).toEqual(['m1'])
    expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer key-4')
    expect(await app.data(contract.channel.list, {})).toEqual([])
    const message = async (change: object) => (await app.call(contract.channel.upstreamModelsOf, { ...form, ...change })).message
    expect(await message({ type: 1, key: ' ' })).toBe(en.channel_key_required)
    expect(await message({ type: 4_711 })).toBe(en.channel_type_unknown)
    expect(await message({ base_url: '' })).toBe(en.channel_base_url_required)
    expect(await message({ base_url: 'http://169.254.169.254' })).toBe(en.base_url_forbidden)
  })

  test('that cannot be listed are reported with a message', async () => {
    const id = await app.make.channel()
    const request = `GET ${app.upstream.url}/v1/models`
    const message = async (script: Script) => {
      app.upstream.script(script)
      return (await app.call(contract.channel.upstreamModels, { id })).message
    }
    expect(await message(json({ error: { message: 'Incorrect API key provided' } }, 401))).toBe(
      `${request} returned status 401: Incorrect API key provided`,
    )
    expect(await message(json({ detail: 'Not Found' }, 404))).toBe(`${request} returned status 404: Not Found`)
    expect(await message(modelList())).toBe(`${request} returned an empty model list`)
    expect(await message(json('Ollama is running'))).toBe(`Unexpected response from ${request} (200): the response is not a list of models`)
    expect((await app.call(contract.channel.upstreamModels, { id: 99_999 })).message).toBe('Channel not found')
  })
})
