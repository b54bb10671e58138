import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, type InputOf } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setOptions, statusOf, until } from '../../../test/channel-scene.ts'
import { chatResponse, chatStream, json, type Script } from '../../../test/fake-upstream.ts'
import { startHttpProxy, startSocksProxy } from '../../../test/proxies.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

type Settings = Omit<InputOf<typeof contract.channel.update>, 'id'>

/** An account whose channels have settings, highest priority first. */
async function scene(...settings: readonly Settings[]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 10_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const ids: number[] = []
  for (const [index, edit] of settings.entries()) {
    const id = await app.make.channel({ groups: group, priority: -index })
    await app.data(contract.channel.update, { id, key: 'upstream-key', ...edit })
    ids.push(id)
  }
  async function ask(more: Readonly<Record<string, unknown>> = {}) {
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], ...more }),
    })
    const text = await response.text()
    const code: unknown = text.startsWith('{"error"') ? JSON.parse(text).error.code : null
    return { status: response.status, code, retryAfter: response.headers.get('retry-after'), text }
  }
  return { ask, key, ids, id: ids[0] ?? 0 }
}

const portOf = (url: string): number => Number(new URL(url).port)
const last = () => app.upstream.received.at(-1)

test('a channel without content of the key refuses requests that name it, in every protocol, and the next channel is tried', async () => {
  const { key, ids } = await scene({ content_of_key: false }, { content_of_key: true })
  const post = async (path: string, body: object) => {
    const response = await app.request(path, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: JSON.stringify(body) })
    const [row] = await app.data(contract.log.list, { size: 1 })
    return { status: response.status, text: await response.text(), channel: row?.channel }
  }
  const file = { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-of-another' } }] }] }
  app.upstream.script(json(chatResponse()), json(chatResponse()))
  const named = await post('/v1/chat/completions', { model: 'gpt-4o-mini', ...file })
  expect(named).toMatchObject({ status: 200, channel: ids[1] })
  expect(await post('/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] })).toMatchObject({
    status: 200,
    channel: ids[0],
  })
  await app.data(contract.channel.update, { id: ids[1] ?? 0, content_of_key: false })
  const before = app.upstream.received.length
  const refused = await post('/v1/chat/completions', { model: 'gpt-4o-mini', ...file })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('messages[0].content[0].file.file_id')])
  const cached = { contents: [{ parts: [{ text: 'Hi' }] }], cachedContent: 'cachedContents/of-another' }
  const google = await post('/v1beta/models/gpt-4o-mini:generateContent', cached)
  expect([google.status, google.text]).toEqual([400, expect.stringContaining('cachedContent')])
  const stored = await post('/v1/responses', { model: 'gpt-4o-mini', input: 'Hi', prompt: { id: 'pmpt_1' } })
  expect([stored.status, stored.text]).toEqual([400, expect.stringContaining('prompt')])
  expect(app.upstream.received.length).toBe(before)
})

describe('the settings of a channel', () => {
  test('are stored encrypted, and shown without their secrets', async () => {
    const { id } = await scene({
      proxy: 'http://ann:secret-word@127.0.0.1:3128',
      headers: '{"X-Team":"secret-value"}',
      system_prompt: 'Be brief.',
      in_flight_max: 7,
      first_byte_seconds: 90,
      auto_disable: false,
    })
    const row = await app.data(contract.channel.get, { id })
    expect(row).toMatchObject({
      proxy: 'http://ann:***@127.0.0.1:3128',
      headers: '{"X-Team":""}',
      system_prompt: 'Be brief.',
      in_flight_max: 7,
      first_byte_seconds: 90,
      idle_seconds: 0,
      auto_disable: false,
    })
    const stored = await app.app.store.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(JSON.stringify(stored)).not.toContain('secret-')
  })

  test('are kept if a form sends back what it was shown, and deleted if it sends an empty value', async () => {
    const { id } = await scene({ proxy: 'http://ann:secret-word@127.0.0.1:3128', headers: '{"x-team":"blue","x-gone":"old"}' })
    const { db } = app.app.store
    const sealed = async () =>
      (await db.selectFrom('channels').select('settings_sealed').where('id', '=', id).executeTakeFirst())?.settings_sealed
    const before = await sealed()
    await app.data(contract.channel.update, await app.data(contract.channel.get, { id }))
    expect(await sealed()).toBe(before)
    await app.data(contract.channel.update, { id, headers: '{"x-team":"","x-new":"new"}' })
    await app.data(contract.channel.update, { id, key: 'upstream-key', proxy: '', headers: '{"x-team":"blue","x-new":"new"}' })
    await app.data(contract.channel.update, { id, base_url: app.upstream.url })
    expect(await app.data(contract.channel.get, { id })).toMatchObject({ proxy: '', headers: '{"x-team":"","x-new":""}' })
    await app.data(contract.channel.update, { id, headers: '', in_flight_max: 0 })
    expect(await sealed()).toBe('')
  })

  test.each([
    [{ proxy: 'ftp://127.0.0.1' }, 'The proxy must start with'],
    [{ proxy: 'http://127.0.0.1:3128/path' }, 'The proxy must start with'],
    [{ proxy: 'http://169.254.169.254:80' }, 'This proxy address is not allowed'],
    [{ headers: '{"Connection":"close"}' }, 'Headers must be a JSON object'],
    [{ headers: '{"x-a":"1\\r\\nx-b: 2"}' }, 'Headers must be a JSON object'],
    [{ headers: '{"Authorization":"Bearer other"}' }, 'Headers must be a JSON object'],
    [{ headers: '{"x-a":"1","X-A":"2"}' }, 'Headers must be a JSON object'],
    [{ headers: '["x-a"]' }, 'Headers must be a JSON object'],
    [{ in_flight_max: -1 }, 'Max concurrent requests must be'],
    [{ first_byte_seconds: 1.5 }, 'The timeout must be'],
    [{ system_prompt: 'x'.repeat(65_537) }, 'The system prompt can have at most'],
    [{ test_model: 'no spaces please' }, 'Model names can contain'],
  ] as const)('is refused where it cannot be: %j', async (edit, message) => {
    const { id } = await scene({})
    const response = await app.call(contract.channel.update, { id, ...edit })
    expect(response.success).toBe(false)
    expect(response.message).toContain(message)
  })
})

describe('headers of a channel', () => {
  test('are sent, with the key inserted, and replace ours instead of repeating them', async () => {
    const { ask } = await scene({ headers: '{"X-Team":"blue","Authorization":"Token {api_key}","Accept":"application/json;v=2"}' })
    expect((await ask()).status).toBe(200)
    expect(last()?.headers).toMatchObject({
      'x-team': 'blue',
      authorization: 'Token upstream-key',
      accept: 'application/json;v=2',
      'content-type': 'application/json',
    })
  })
})

test('the system prompt of a channel precedes the client’s messages', async () => {
  const { ask } = await scene({ system_prompt: 'Be brief.' })
  await ask({
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'Hi' },
    ],
  })
  expect(JSON.parse(last()?.body ?? '').messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'Hi' },
  ])
})

test('the system prompt precedes the instructions of a response, native or not', async () => {
  const { key, ids } = await scene({ system_prompt: 'Be brief.' })
  const respond = (more: object) =>
    app.request('/v1/responses', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', input: 'Hi', ...more }),
    })
  const response = json({ id: 'resp_1', object: 'response', output: [], status: 'completed' })
  app.upstream.script(response, response)
  await respond({})
  expect(JSON.parse(last()?.body ?? '')).toMatchObject({ input: 'Hi', instructions: 'Be brief.' })
  await respond({ instructions: 'Be kind.' })
  expect(JSON.parse(last()?.body ?? '').instructions).toBe('Be brief.\n\nBe kind.')
  await app.data(contract.channel.update, { id: ids[0] ?? 0, type: 29 })
  await respond({ instructions: 'Be kind.' })
  expect(JSON.parse(last()?.body ?? '').messages).toEqual([
    { role: 'system', content: 'Be brief.\n\nBe kind.' },
    { role: 'user', content: 'Hi' },
  ])
})

describe('a channel with a maximum of concurrent requests', () => {
  test('leaves further requests to the next one; if none is left, the client gets a Retry-After', async () => {
    const { ask } = await scene({ in_flight_max: 2 }, { in_flight_max: 1 })
    const held: Script = [{ do: 'wait', name: 'full' }, ...json(chatResponse())]
    const before = app.upstream.received.length
    app.upstream.script(held, held, held)
    const running = [ask(), ask(), ask()]
    await until(
      () => app.data(contract.channel.progress, {}).then(() => app.upstream.received.length),
      (count) => count === before + 3,
    )
    expect(await ask()).toMatchObject({ status: 503, code: 'channels_busy', retryAfter: '1' })
    app.upstream.release('full')
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await ask()).status).toBe(200)
  })

  test('counts a stream until its end', async () => {
    const { ask } = await scene({ in_flight_max: 1 })
    for (let count = 0; count < 3; count++) {
      app.upstream.script(chatStream(['a', 'b']))
      expect((await ask({ stream: true })).status).toBe(200)
    }
  })
})

describe('time limits of a channel', () => {
  test('override the general ones', async () => {
    const { ask } = await scene({ first_byte_seconds: 1 }, {})
    app.upstream.script([{ do: 'hang' }], json(chatResponse()))
    expect((await ask()).status).toBe(200)
  })

  test('end a silent stream', async () => {
    const { ask } = await scene({ idle_seconds: 1 })
    app.upstream.script([...chatStream(['a']).slice(0, 2), { do: 'hang' }])
    expect((await ask({ stream: true })).text).toContain('upstream_timeout')
  })
})

test('a channel without automatic disabling stays enabled, however its key is refused', async () => {
  await setOptions(app, { AutomaticDisableChannelEnabled: true })
  const { ask, ids } = await scene({ auto_disable: false }, {})
  const refused = json({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, 401)
  app.upstream.script(refused, refused)
  await ask()
  await until(
    () => statusOf(app, ids[1] ?? 0),
    (status) => status === 3,
  )
  expect(await statusOf(app, ids[0] ?? 0)).toBe(1)
  await setOptions(app, { AutomaticDisableChannelEnabled: false })
})

describe.each([
  ['http', startHttpProxy],
  ['socks5', startSocksProxy],
] as const)('a proxy that speaks %s', (scheme, startProxy) => {
  test('gets the name of the vendor and tunnels to it, with and without a login, and its connection is reused', async () => {
    const open = await startProxy({ port: portOf(app.upstream.url) })
    const locked = await startProxy({ port: portOf(app.upstream.url), login: 'ann:pass word' })
    const plain = await scene({ proxy: open.url, base_url: 'http://vendor.example:8080' })
    expect((await plain.ask()).status).toBe(200)
    expect((await plain.ask()).status).toBe(200)
    expect(open.requests).toEqual([{ to: 'vendor.example:8080', login: '' }])
    expect(last()?.headers['host']).toBe('vendor.example:8080')
    const login = locked.url.replace('//', '//ann:pass%20word@')
    const withLogin = await scene({ proxy: login, base_url: 'http://192.0.2.7' })
    expect((await withLogin.ask()).status).toBe(200)
    expect(locked.requests).toEqual([{ to: '192.0.2.7:80', login: 'ann:pass word' }])
    open.close()
    locked.close()
  })

  test('that refuses its login, or is unreachable, counts as an unreachable vendor: nothing was sent', async () => {
    const proxy = await startProxy({ port: portOf(app.upstream.url), login: 'ann:right' })
    for (const address of [proxy.url.replace('//', '//ann:wrong@'), `${scheme}://127.0.0.1:9`]) {
      const { ask } = await scene({ proxy: address, base_url: 'http://vendor.example' })
      expect(await ask()).toMatchObject({ status: 502, code: 'upstream_unreachable' })
    }
    proxy.close()
  })

  test('gets no request for a forbidden address', async () => {
    const proxy = await startProxy({ port: portOf(app.upstream.url) })
    const { ask, id } = await scene({ proxy: proxy.url })
    await app.app.store.db.updateTable('channels').set({ base_url: 'http://169.254.169.254' }).where('id', '=', id).execute()
    await app.data(contract.channel.update, { id, weight: 1 })
    expect((await ask()).status).toBe(502)
    expect(proxy.requests).toEqual([])
    proxy.close()
  })

  test('carries TLS end to end: the vendor’s certificate is verified', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-tls-'))
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const openssl = Bun.spawnSync(
      [
        'openssl',
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        keyFile,
        '-out',
        certFile,
        '-days',
        '2',
        '-subj',
        '/CN=vendor.example',
      ],
      { stderr: 'ignore' },
    )
    expect(openssl.exitCode).toBe(0)
    const server = Bun.serve({
      port: 0,
      tls: { key: readFileSync(keyFile), cert: readFileSync(certFile) },
      fetch: () => new Response('{}'),
    })
    const proxy = await startProxy({ port: server.port ?? 0 })
    const { ask } = await scene({ proxy: proxy.url, base_url: 'https://vendor.example' })
    expect(await ask()).toMatchObject({ status: 502, code: 'upstream_tls' })
    expect(proxy.requests).toEqual([{ to: 'vendor.example:443', login: '' }])
    proxy.close()
    await server.stop(true)
  })
})
