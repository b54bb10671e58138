import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chatResponse, type FakeUpstream, json, startFakeUpstream } from '../../test/fake-upstream.ts'
import { createServerPlace, type ServerPlace } from '../../test/server-place.ts'
import { runServer, type ServerProcess, startServer } from '../../test/server-process.ts'

// A database whose master key is missing, damaged or another one, as operators meet it.

const metricsToken = 'a-token-for-metrics'

let upstream: FakeUpstream
let at: ServerPlace
let keyFile: string
beforeAll(async () => {
  upstream = await startFakeUpstream()
  at = await createServerPlace('lost-key')
  keyFile = join(at.variables['DATA_DIR'] ?? '', 'secret.key')
  expect(existsSync(keyFile)).toBe(false)
  const server = await startServer(at.variables)
  const channel = { name: 'up', type: 1, key: 'the-old-key', models: 'gpt-4o-mini', base_url: upstream.url, headers: '{"x-org":"our-org"}' }
  expect((await api(server, '/api/channel/', { method: 'POST', body: channel })).success).toBe(true)
  expect((await api(server, '/api/token/', { method: 'POST', body: { name: 't', unlimited_quota: true } })).success).toBe(true)
  expect((await api(server, '/api/redemption/', { method: 'POST', body: { name: 'code', quota: 5 } })).success).toBe(true)
  const option = { key: 'TurnstileSecretKey', value: 'hush' }
  expect((await api(server, '/api/option/', { method: 'PUT', body: option })).success).toBe(true)
  await stop(server)
}, 60_000)
afterAll(async () => {
  await upstream.close()
  await at.remove()
})

/** Access tokens are found by a hash that depends on the key, sessions are not. */
async function logIn(server: ServerProcess): Promise<Readonly<Record<string, string>>> {
  const body = JSON.stringify({ username: 'root', password: at.variables['INITIAL_ROOT_PASSWORD'] })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${server.url}/api/user/login`, { method: 'POST', headers, body })
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

interface Call {
  readonly method?: string
  readonly body?: object
  readonly as?: Readonly<Record<string, string>>
}

async function api(server: ServerProcess, path: string, { method = 'GET', body, as = { authorization: at.accessToken } }: Call = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...as },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // Holds: every response of the management API is an envelope, and the lists requested here have rows.
  const envelope = (await response.json()) as {
    readonly success: boolean
    readonly message: string
    readonly data: Record<string, unknown>[]
  }
  return { status: response.status, ...envelope }
}

async function stop(server: ServerProcess): Promise<void> {
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
}

async function refused(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, text } = await runServer([], { ...at.variables, ...more })
  expect(code).toBe(1)
  expect(text).not.toContain('at openSeal')
  return text
}

describe('a server does not start on a sealed database, and writes no key file,', () => {
  const kept = (): string => `${keyFile}.kept`
  async function without(damage: () => void, check: () => Promise<void>): Promise<void> {
    renameSync(keyFile, kept())
    try {
      damage()
      await check()
    } finally {
      rmSync(keyFile, { recursive: true, force: true })
      renameSync(kept(), keyFile)
    }
  }

  test('where the key file is missing', async () => {
    await without(
      () => {},
      async () => {
        expect(await refused()).toMatch(/there is no .*secret\.key, and SLUICE_SECRET is not set.*admin reset-secret/)
        expect(existsSync(keyFile)).toBe(false)
        // Commands make none either.
        expect((await runServer(['admin', 'rotate-secret'], at.variables)).text).toContain('the master key is missing')
        expect((await runServer(['admin', 'set-option', 'TurnstileSecretKey', 'x'], at.variables)).text).toContain('there is no')
        expect(existsSync(keyFile)).toBe(false)
        expect(existsSync(`${keyFile}.next`)).toBe(false)
      },
    )
  }, 60_000)

  test('where SLUICE_SECRET is another key', async () => {
    expect(await refused({ SLUICE_SECRET: 'another secret of many characters' })).toContain('another master key than that of SLUICE_SECRET')
  }, 60_000)

  test('where the file holds another key', async () => {
    await without(
      () => writeFileSync(keyFile, `${Buffer.alloc(32).toString('base64')}\n`),
      async () => expect(await refused()).toContain('another master key than that in'),
    )
  }, 60_000)

  for (const [name, content] of [
    ['is empty', ''],
    ['is too short', 'c2hvcnQ=\n'],
    ['is far too long', 'A'.repeat(100_000)],
  ] as const)
    test(`where the file ${name}`, async () => {
      await without(
        () => writeFileSync(keyFile, content),
        async () => {
          expect(await refused()).toContain('it does not contain a master key')
          expect(readFileSync(keyFile, 'utf8')).toBe(content)
        },
      )
    }, 60_000)

  test('where the file is a folder', async () => {
    await without(
      () => mkdirSync(keyFile),
      async () => expect(await refused()).toMatch(/secret\.key is a folder, and must be a file/),
    )
  }, 60_000)

  test('but starts again when the file is back', async () => {
    const server = await startServer(at.variables)
    expect((await api(server, '/api/channel/')).data).toMatchObject([{ name: 'up', unreadable: [] }])
    await stop(server)
  }, 60_000)
})

test('after `admin reset-secret` everything is shown, is marked where it cannot be read, and takes new values', async () => {
  expect(await runServer(['admin', 'reset-secret'], at.variables)).toMatchObject({
    code: 1,
    text: expect.stringContaining('fits the database'),
  })
  rmSync(keyFile)
  const { code, text } = await runServer(['admin', 'reset-secret'], at.variables)
  expect([code, text]).toEqual([0, expect.stringMatching(/1 {2}channels\n.*1 {2}tokens\n.*1 {2}redemptions\n.*1 {2}options/)])
  const server = await startServer({ ...at.variables, METRICS_TOKEN: metricsToken })
  const as = await logIn(server)
  const metrics = async () => await (await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()
  const ready = async () => {
    const response = await fetch(`${server.url}/readyz`)
    return [response.status, await response.json()]
  }
  // The first count has begun before the server says that it runs, and takes a moment.
  const none = { channels: 0, tokens: 0, redemptions: 0, options: 0, notification_rules: 0, second_factors: 0 }
  let counts: unknown = none
  while (Bun.deepEquals(counts, none)) counts = (await api(server, '/api/option/unreadable', { as })).data
  expect(counts).toEqual({ ...none, channels: 1, tokens: 1, redemptions: 1, options: 1 })
  expect(await ready()).toEqual([200, { status: 'ready', unreadable: ['channels', 'tokens', 'redemptions', 'options'] }])
  expect(await metrics()).toContain('sluice_unreadable_values{kind="channels"} 1')

  const [channel] = (await api(server, '/api/channel/', { as })).data
  const [token] = (await api(server, '/api/token/', { as })).data
  const [redemption] = (await api(server, '/api/redemption/', { as })).data
  expect(channel).toMatchObject({ name: 'up', unreadable: ['key', 'settings'] })
  expect(token).toMatchObject({ name: 't', key: '', unreadable: ['key'] })
  expect(redemption).toMatchObject({ name: 'code', key: '', unreadable: ['key'] })
  const ids = { ids: [channel?.['id']] }
  const file = await api(server, '/api/channel/export', { method: 'POST', body: ids, as })
  expect(file.success ? file.data : file).toMatchObject({ channels: [], left_out: [{ id: channel?.['id'], name: 'up' }] })

  const edit = { id: channel?.['id'], key: 'the-new-key', config: '', headers: '' }
  expect(await api(server, '/api/channel/', { method: 'PUT', body: edit, as })).toMatchObject({ success: true, data: { unreadable: [] } })
  const renewed = await api(server, `/api/token/${token?.['id']}/key`, { method: 'POST', body: {}, as })
  // Holds: the row of a token has its key.
  const { key } = renewed.data as unknown as { readonly key: string }
  expect(key).toMatch(/^\w{48}$/)
  expect(renewed.data).toMatchObject({ unreadable: [] })
  const recoded = await api(server, `/api/redemption/${redemption?.['id']}/key`, { method: 'POST', body: {}, as })
  expect(recoded.data).toMatchObject({ key: expect.stringMatching(/^\w{32}$/), unreadable: [] })
  const option = { key: 'TurnstileSecretKey', value: 'hush again' }
  expect((await api(server, '/api/option/', { method: 'PUT', body: option, as })).success).toBe(true)

  upstream.script(json(chatResponse()))
  const chat = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${key}` },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] }),
  })
  expect([chat.status, await chat.text()]).toEqual([200, expect.any(String)])
  expect(upstream.received.at(-1)?.headers).toMatchObject({ authorization: 'Bearer the-new-key' })
  await stop(server)
}, 60_000)
