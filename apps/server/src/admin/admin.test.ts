import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chatResponse, type FakeUpstream, json, startFakeUpstream } from '../../test/fake-upstream.ts'
import { createServerPlace, type ServerPlace } from '../../test/server-place.ts'
import { runServer, type ServerProcess, startServer, until } from '../../test/server-process.ts'
import { openTestStore, testEngine } from '../../test/stores.ts'
import { startWebhookReceiver, verifyWebhook, type WebhookReceiver } from '../../test/webhook-receiver.ts'
import type { Db } from '../db/connect.ts'
import { connectStore } from '../db/connect-store.ts'
import { openForChanges } from '../db/open-beside.ts'
import { createSeal } from '../lib/seal.ts'
import { columnsOfMasterKey, lookupsOfMasterKey } from './uses-of-master-key.ts'

// Runs the commands for operators as separate processes, while a server runs or not.

const rootPassword = 'a root password'

interface Envelope {
  readonly success: boolean
  readonly message: string
  readonly data: unknown
}

async function api(server: ServerProcess, path: string, init: { method?: string; body?: object; headers?: Record<string, string> } = {}) {
  const { method = 'GET', body, headers = {} } = init
  const bodyInit = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${server.url}${path}`, { method, headers: { 'content-type': 'application/json', ...headers }, ...bodyInit })
  // Holds: every response of the management API is an envelope.
  return { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '', ...((await response.json()) as Envelope) }
}

const logIn = (server: ServerProcess, password: string) =>
  api(server, '/api/user/login', { method: 'POST', body: { username: 'root', password } })

async function stop(server: ServerProcess): Promise<void> {
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
}

const admin = (at: ServerPlace, words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  runServer(['admin', ...words], { ...at.variables, ...more })

/** Reads or changes the database while no server runs. */
async function inStore<Value>({ place }: ServerPlace, work: (db: Db) => Promise<Value>): Promise<Value> {
  const store = await connectStore(place, { report: () => {} })
  try {
    return await work(store.db)
  } finally {
    await store.close()
  }
}

/** Changes the database while a server runs. */
async function inStoreBeside({ place }: ServerPlace, work: (db: Db) => Promise<unknown>): Promise<void> {
  const { db, close } = await openForChanges(place)
  await work(db)
  await close()
}

const passwordIn = (text: string): string => /is now: (\w{20})/.exec(text)?.[1] ?? ''

describe('while a server runs', () => {
  let at: ServerPlace
  let server: ServerProcess
  beforeAll(async () => {
    at = await createServerPlace('admin')
    // A test that waits for a change sends far more requests than people do.
    server = await startServer({ ...at.variables, RATE_LIMITS: 'off' })
  })
  afterAll(async () => {
    await stop(server)
    await at.remove()
  })

  test('a lost password is replaced by a new one, and the sessions of the account end', async () => {
    const { cookie } = await logIn(server, rootPassword)
    expect((await api(server, '/api/user/self', { headers: { cookie } })).success).toBe(true)
    const { code, text } = await admin(at, ['reset-password', 'root', '--keep-access-tokens'])
    expect(code).toBe(0)
    expect((await logIn(server, rootPassword)).success).toBe(false)
    expect((await logIn(server, passwordIn(text))).success).toBe(true)
    expect((await api(server, '/api/user/self', { headers: { cookie } })).success).toBe(false)
    expect((await api(server, '/api/user/self', { headers: { authorization: at.accessToken } })).success).toBe(true)
  })

  test.each(['reset-password', 'clear-second-factor'])(
    '%s revokes the access tokens of the account, unless they are to be kept',
    async (command) => {
      const headers = { authorization: at.accessToken }
      const body = { username: command, password: 'a good password' }
      expect((await api(server, '/api/user/', { method: 'POST', headers, body })).success).toBe(true)
      const { cookie } = await api(server, '/api/user/login', { method: 'POST', body })
      // Holds: the call returns the token.
      const authorization = (await api(server, '/api/user/token', { headers: { cookie } })).data as unknown as string
      const isValid = async () => (await api(server, '/api/user/self', { headers: { authorization } })).success
      expect((await admin(at, [command, command, '--keep-access-tokens'])).text).toContain('Its access tokens stay valid.')
      expect([await isValid(), (await api(server, '/api/user/self', { headers: { cookie } })).success]).toEqual([true, false])
      expect((await admin(at, [command, command])).text).toContain('its access tokens are revoked')
      expect(await isValid()).toBe(false)
    },
  )

  test('a reset reports that login by password is switched off, and set-option switches it on again', async () => {
    const headers = { authorization: at.accessToken }
    await api(server, '/api/option/', { method: 'PUT', headers, body: { key: 'PasswordLoginEnabled', value: 'false' } })
    const { text } = await admin(at, ['reset-password', 'root', '--keep-access-tokens'])
    expect(text).toContain('Password login is disabled')
    expect((await logIn(server, passwordIn(text))).success).toBe(false)
    expect((await admin(at, ['set-option', 'PasswordLoginEnabled', 'true'])).code).toBe(0)
    await until(async () => (await logIn(server, passwordIn(text))).success)
  })

  test('an option is set as by root, with the same checks, and a secret is read from standard input', async () => {
    const headers = { authorization: at.accessToken }
    expect(await admin(at, ['set-option', 'NoSuchOption', 'x'])).toMatchObject({ code: 1, text: expect.stringContaining('Unknown option') })
    expect((await admin(at, ['set-option', 'QuotaPerUnit', '0'])).code).toBe(1)
    expect((await admin(at, ['set-option', 'SMTPServer', 'mail.example'])).code).toBe(0)
    const child = Bun.spawn([process.execPath, join(import.meta.dir, '../main.ts'), 'admin', 'set-option', 'TurnstileSecretKey', '-'], {
      env: at.variables,
      stdin: new Blob(['from-standard-input\n']),
      stdout: 'ignore',
    })
    expect(await child.exited).toBe(0)
    await admin(at, ['set-option', 'TurnstileSiteKey', 'site'])
    const options = async () => JSON.stringify((await api(server, '/api/option/', { headers })).data)
    await until(async () => (await options()).includes('mail.example') && (await options()).includes('"site"'))
    expect((await api(server, '/api/option/waiting', { headers })).data).toMatchObject({ options: [] })
    const on = { key: 'TurnstileCheckEnabled', value: 'true' }
    expect((await api(server, '/api/option/', { method: 'PUT', headers, body: on })).success).toBe(true)
    const cleared = await admin(at, ['set-option', 'TurnstileSecretKey', '--clear'])
    expect(cleared).toMatchObject({ code: 1, text: expect.stringContaining('TurnstileCheckEnabled') })
  })

  test('every account is listed with its ways to log in', async () => {
    const { code, text } = await admin(at, ['list-users'])
    expect([code, text.trim().split('\n')[1]]).toEqual([0, '1\troot\troot\tactive\t-\tpassword, access token'])
  })

  test('commands that need the database alone report that the server must be stopped', async () => {
    const { code, text } = await admin(at, ['rotate-secret', '--yes'])
    expect([code, text]).toEqual([1, expect.stringContaining('another process is using this database')])
  })

  test('an unknown command prints the list of commands', async () => {
    for (const words of [[], ['no-such-command'], ['reset-password'], ['set-option', 'SystemName'], ['backup'], ['rotate-secret', 'x']]) {
      expect([words, await admin(at, words)]).toEqual([words, { code: 1, text: expect.stringContaining('Usage: admin COMMAND') }])
    }
    const unknown = await admin(at, ['reset-password', 'nobody'])
    expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining('account "nobody" not found') })
  })
})

test.if(testEngine === 'sqlite')('a copy of a database in use is complete, has the key only on request, and can be restored', async () => {
  const at = await createServerPlace('backup')
  const folder = at.variables['DATA_DIR'] ?? ''
  const server = await startServer(at.variables)
  const headers = { authorization: at.accessToken }
  const create = (name: string) =>
    api(server, '/api/user/', { method: 'POST', headers, body: { username: name, password: 'a good password' } })
  await create('before')
  const writing = Array.from({ length: 20 }, (_, number) => create(`during${number}`))
  const copied = await admin(at, ['backup', join(folder, 'copy')])
  await Promise.all(writing)
  expect([copied.code, copied.text]).toEqual([0, expect.stringContaining('is not in it')])
  expect(existsSync(join(folder, 'copy', 'secret.key'))).toBe(false)
  expect(statSync(join(folder, 'copy', 'sluice.db')).mode & 0o777).toBe(0o600)
  expect((await runServer(['verify', join(folder, 'copy', 'sluice.db')], at.variables)).code).toBe(0)
  expect((await admin(at, ['backup', join(folder, 'copy')])).text).toContain('already exists')
  expect((await admin(at, ['restore', join(folder, 'copy')])).text).toContain('another process is using this database')
  await create('after')
  expect((await admin(at, ['backup', join(folder, 'with-key'), '--with-key'])).code).toBe(0)
  expect(readFileSync(join(folder, 'with-key', 'secret.key'), 'utf8')).toBe(readFileSync(join(folder, 'secret.key'), 'utf8'))
  await stop(server)
  expect((await admin(at, ['restore', join(folder, 'copy')])).code).toBe(0)
  const names = async () => (await admin(at, ['list-users'])).text
  expect(await names()).toContain('\tbefore\t')
  expect(await names()).not.toContain('\tafter\t')
  await at.remove()
})

test.if(testEngine === 'sqlite')('a restore that is killed leaves the old or the new database, and a second run completes it', async () => {
  const at = await createServerPlace('restore')
  const folder = at.variables['DATA_DIR'] ?? ''
  const first = await startServer(at.variables)
  await stop(first)
  await admin(at, ['backup', join(folder, 'copy'), '--with-key'])
  const headers = { authorization: at.accessToken }
  const second = await startServer(at.variables)
  await api(second, '/api/user/', { method: 'POST', headers, body: { username: 'later', password: 'a good password' } })
  await stop(second)
  expect((await admin(at, ['rotate-secret', '--yes'])).code).toBe(0)
  for (const point of ['restore-copied', 'restore-kept']) {
    const killed = await admin(at, ['restore', join(folder, 'copy'), '--with-key'], { FAIL_AT: `${point}:1` })
    expect([point, killed.code]).toEqual([point, 128 + 9])
    expect((await admin(at, ['list-users'])).text).toContain('\tlater\t')
  }
  expect((await admin(at, ['restore', join(folder, 'copy')])).text).toContain('another master key')
  expect((await admin(at, ['restore', join(folder, 'copy'), '--with-key'])).code).toBe(0)
  expect((await admin(at, ['list-users'])).text).not.toContain('\tlater\t')
  expect(existsSync(join(folder, 'sluice.db.before-restore'))).toBe(true)
  await at.remove()
})

test.if(testEngine === 'postgres')('backup and restore are refused for PostgreSQL', async () => {
  const at = await createServerPlace('dumps')
  for (const words of [
    ['backup', 'folder'],
    ['restore', 'folder'],
  ])
    expect((await admin(at, words)).text).toContain('pg_dump')
  await at.remove()
})

describe('a new master key', () => {
  let upstream: FakeUpstream
  let receiver: WebhookReceiver
  beforeAll(async () => {
    upstream = await startFakeUpstream()
    receiver = startWebhookReceiver()
  })
  afterAll(async () => {
    await upstream.close()
    await receiver.close()
  })

  /** Creates a channel, a token, a code, a secret option and a webhook. @returns functions that use their secrets */
  async function prepared(name: string, more: Readonly<Record<string, string>> = {}, before?: (db: Db) => Promise<void>) {
    const at = await createServerPlace(name)
    if (before !== undefined) await inStore(at, before)
    const headers = { authorization: at.accessToken }
    const server = await startServer({ ...at.variables, ...more })
    const channel = {
      name: 'up',
      type: 1,
      key: 'the-channel-key',
      models: 'gpt-4o-mini',
      base_url: upstream.url,
      headers: '{"x-org":"our-org"}',
    }
    await api(server, '/api/channel/', { method: 'POST', headers, body: channel })
    const token = await api(server, '/api/token/', { method: 'POST', headers, body: { name: 't', unlimited_quota: true } })
    const chats = { ...channel, type: 29, models: 'llama-3.3-70b-versatile', key: 'another-channel-key' }
    await api(server, '/api/channel/', { method: 'POST', headers, body: chats })
    upstream.script(json(chatResponse('Kept words')))
    // Holds: a response and the row of a new token have these members.
    const response = (await (await respond(server.url, (token.data as { key: string }).key, 'hi')).json()) as { output: { id: string }[] }
    const code = await api(server, '/api/redemption/', { method: 'POST', headers, body: { name: 'code', quota: 5, count: 1 } })
    for (const [key, value] of [['TurnstileSiteKey', 'site'] as const, ['TurnstileSecretKey', 'hush'] as const])
      await api(server, '/api/option/', { method: 'PUT', headers, body: { key, value } })
    const rule = { name: 'low', kind: 'balance', scope: 'own', threshold: 1, target: 'webhook', url: receiver.url, is_on: false }
    const notification = await api(server, '/api/notification/', { method: 'POST', headers, body: rule })
    await stop(server)
    // Holds: these are a new token's row, the list of new codes and the response for a new rule.
    return {
      at,
      webhook: notification.data as { readonly id: number; readonly secret: string },
      headers,
      key: (token.data as { key: string }).key,
      code: (code.data as string[])[0] ?? '',
      itemId: response.output[0]?.id ?? '',
    }
  }

  function respond(url: string, key: string, input: unknown): Promise<Response> {
    const body = JSON.stringify({ model: 'llama-3.3-70b-versatile', input })
    return fetch(`${url}/v1/responses`, { method: 'POST', headers: { authorization: `Bearer sk-${key}` }, body })
  }

  async function expectEverythingOpens(
    { headers, key, code, itemId, webhook }: Awaited<ReturnType<typeof prepared>>,
    variables: Readonly<Record<string, string>>,
  ) {
    const server = await startServer(variables)
    upstream.script(json(chatResponse()))
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer sk-${key}` },
      body,
    })
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    expect(upstream.received.at(-1)?.headers).toMatchObject({ authorization: 'Bearer the-channel-key', 'x-org': 'our-org' })
    upstream.script(json(chatResponse()))
    expect(
      (
        await respond(server.url, key, [
          { type: 'item_reference', id: itemId },
          { role: 'user', content: 'and?' },
        ])
      ).status,
    ).toBe(200)
    expect(upstream.received.at(-1)?.body).toContain('Kept words')
    expect(JSON.stringify((await api(server, '/api/token/', { headers })).data)).toContain(key)
    expect((await api(server, '/api/user/topup', { method: 'POST', headers, body: { key: code } })).data).toBe(5)
    const on = { key: 'TurnstileCheckEnabled', value: 'true' }
    expect((await api(server, '/api/option/', { method: 'PUT', headers, body: on })).success).toBe(true)
    const delivery = await api(server, `/api/notification/${webhook.id}/test`, { method: 'POST', headers, body: {} })
    expect(delivery.data).toMatchObject({ state: 'sent', error: '' })
    const last = receiver.received.at(-1)
    if (last === undefined) throw new Error('the webhook got nothing')
    expect(verifyWebhook(last, webhook.secret)).toBeGreaterThan(0)
    await stop(server)
    expect((await runServer(['verify'], variables)).code).toBe(0)
  }

  for (const point of ['next-key-written', 'resealing', 'resealed', 'closing'] as const) {
    test(`decrypts everything after a kill at ${point} and a second run`, async () => {
      const installation = await prepared(`rotate-${point}`)
      const { at } = installation
      const keyFile = join(at.variables['DATA_DIR'] ?? '', 'secret.key')
      const before = readFileSync(keyFile, 'utf8')
      // PostgreSQL has no such step.
      const isReached = point !== 'closing' || testEngine === 'sqlite'
      expect((await admin(at, ['rotate-secret', '--yes'], { FAIL_AT: `${point}:1` })).code).toBe(isReached ? 128 + 9 : 0)
      const { code, text } = await admin(at, ['rotate-secret', '--yes'])
      expect([code, text]).toEqual([0, expect.stringContaining('encrypted with')])
      expect(readFileSync(keyFile, 'utf8')).not.toBe(before)
      expect(existsSync(`${keyFile}.next`)).toBe(false)
      await expectEverythingOpens(installation, at.variables)
      await at.remove()
    })
  }

  test('decrypts everything at the next start if the command was killed after the last write; before, the old key does', async () => {
    for (const point of ['resealing', 'resealed']) {
      const installation = await prepared(`start-${point}`)
      expect((await admin(installation.at, ['rotate-secret', '--yes'], { FAIL_AT: `${point}:1` })).code).toBe(128 + 9)
      await expectEverythingOpens(installation, installation.at.variables)
      await installation.at.remove()
    }
  })

  test('is read from the environment if the old one is', async () => {
    const SLUICE_SECRET = 'the first master key'
    const installation = await prepared('variable', { SLUICE_SECRET })
    const { at } = installation
    const refused = await admin(at, ['rotate-secret', '--yes'], { SLUICE_SECRET })
    expect([refused.code, refused.text]).toEqual([1, expect.stringContaining('SLUICE_SECRET_NEXT')])
    const next = { SLUICE_SECRET, SLUICE_SECRET_NEXT: 'the second master key' }
    expect((await admin(at, ['rotate-secret', '--yes'], next)).text).toContain('Now set SLUICE_SECRET')
    expect(await admin(at, ['rotate-secret', '--yes'], next)).toMatchObject({
      code: 0,
      text: expect.stringContaining('Everything is encrypted'),
    })
    const lost = await runServer([], { ...at.variables, SLUICE_SECRET })
    expect([lost.code, lost.text]).toEqual([1, expect.stringContaining('another master key than that of SLUICE_SECRET')])
    await expectEverythingOpens(installation, { ...at.variables, SLUICE_SECRET: 'the second master key' })
    await at.remove()
  })

  test('in a store of the first versions stays readable for them until the command derives it slowly, from the same variable', async () => {
    const SLUICE_SECRET = 'a phrase that people chose'
    const first = createSeal(createHash('sha256').update(SLUICE_SECRET).digest(), { bindsRows: false })
    const installation = await prepared('derived', { SLUICE_SECRET }, async (db) => {
      await db
        .insertInto('master_key')
        .values({ fingerprint: first.lookup('master key', 'fingerprint'), derivation: '' })
        .execute()
    })
    const { at } = installation
    const keysOf = () => inStore(at, (db) => db.selectFrom('channels').select(['id', 'key_sealed']).orderBy('id').execute())
    expect((await keysOf()).map(({ key_sealed }) => first.open(key_sealed, 'channel-key'))).toEqual([
      'the-channel-key',
      'another-channel-key',
    ])
    const old = await startServer({ ...at.variables, SLUICE_SECRET })
    await until(() => old.printed().includes('run `admin rotate-secret` once'))
    await stop(old)

    const { code, text } = await admin(at, ['rotate-secret', '--yes'], { SLUICE_SECRET })
    expect([code, text]).toEqual([0, expect.stringContaining('encrypted with a new master key')])
    expect(text).not.toContain('Now set')
    for (const { key_sealed } of await keysOf()) expect(() => first.open(key_sealed, 'channel-key')).toThrow()
    const again = await admin(at, ['rotate-secret', '--yes'], { SLUICE_SECRET })
    expect([again.code, again.text]).toEqual([1, expect.stringContaining('SLUICE_SECRET_NEXT')])
    await expectEverythingOpens(installation, { ...at.variables, SLUICE_SECRET })
    await at.remove()
  })

  test('opens the key of a channel in its own row only', async () => {
    const { at, headers } = await prepared('bound')
    const rows = await inStore(at, (db) => db.selectFrom('channels').select(['id', 'key_sealed']).orderBy('id').execute())
    const [one, other] = rows
    await inStore(at, async (db) => {
      await db
        .updateTable('channels')
        .set({ key_sealed: other?.key_sealed ?? '' })
        .where('id', '=', one?.id ?? 0)
        .execute()
    })
    const server = await startServer({ ...at.variables, LOG_LEVEL: 'error' })
    const before = upstream.received.length
    const tested = await api(server, `/api/channel/test/${one?.id}`, { headers })
    expect(tested.success).toBe(false)
    expect(upstream.received).toHaveLength(before)
    await until(() => server.printed().includes('key not decryptable with this master key'))
    await stop(server)
    await at.remove()
  })

  test('lists accounts whose system access tokens are lost, because only their hashes are stored', async () => {
    const at = await createServerPlace('revoked')
    const server = await startServer(at.variables)
    const headers = { authorization: at.accessToken }
    await api(server, '/api/user/', { method: 'POST', headers, body: { username: 'ann', password: 'a good password' } })
    const { cookie } = await api(server, '/api/user/login', { method: 'POST', body: { username: 'ann', password: 'a good password' } })
    const { data } = await api(server, '/api/user/token', { headers: { cookie } })
    const personal = { name: 'a script', scopes: ['log:read'], expired_time: -1 }
    expect((await api(server, '/api/access_token/', { method: 'POST', headers: { cookie }, body: personal })).success).toBe(true)
    await inStoreBeside(at, (db) => db.insertInto('recovery_codes').values({ user_id: 2, code_lookup: 'x' }).execute())
    await stop(server)
    const before = await inStore(at, (db) => db.selectFrom('master_key').select('fingerprint').execute())
    const { code, text: unconfirmedText } = await admin(at, ['rotate-secret'])
    expect(await inStore(at, (db) => db.selectFrom('master_key').select('fingerprint').execute())).toEqual(before)
    expect(existsSync(join(at.variables['DATA_DIR'] ?? '', 'secret.key.next'))).toBe(false)
    expect([code, unconfirmedText]).toEqual([1, expect.stringContaining('add --yes')])
    const listed = [unconfirmedText, (await admin(at, ['rotate-secret', '--yes'])).text]
    for (const text of listed) {
      expect(text).toMatch(/system access tokens, which must be made anew: ann$/m)
      expect(text).toMatch(/personal access tokens, which must be made anew: 1$/m)
      expect(text).toMatch(/recovery codes, .*: ann$/m)
      expect(text).toContain('The access token of INITIAL_ROOT_ACCESS_TOKEN stays valid')
      expect(text).toContain('webhook addresses of channels')
    }
    const after = await startServer(at.variables)
    expect((await api(after, '/api/user/self', { headers })).success).toBe(true)
    expect((await api(after, '/api/user/self', { headers: { authorization: String(data) } })).success).toBe(false)
    await stop(after)
    await at.remove()
  })

  test('a token of the environment ends where the variable is not set for the command', async () => {
    const at = await createServerPlace('unset')
    await stop(await startServer(at.variables))
    const { code, text } = await admin(at, ['rotate-secret', '--yes'], { INITIAL_ROOT_ACCESS_TOKEN: '' })
    expect([code, text]).toEqual([0, expect.stringMatching(/system access tokens, which must be made anew: root$/m)])
    expect(text).not.toContain('INITIAL_ROOT_ACCESS_TOKEN')
    const server = await startServer(at.variables)
    expect((await api(server, '/api/user/self', { headers: { authorization: at.accessToken } })).success).toBe(false)
    await until(() => server.printed().includes('INITIAL_ROOT_ACCESS_TOKEN has no effect'))
    await stop(server)
    await at.remove()
  })

  test('says for every use of it what a rotation does', () => {
    const folder = join(import.meta.dir, '..')
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name))
    const purposes = sources.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/\.lookup\(.*?, ['`]([a-z][a-z -]*[a-z])(?::\$\{.*?\})?['`]\)/g)].map(
        (match) => match[1] ?? '',
      ),
    )
    // Their purposes are names of tables.
    const listed = Object.keys(lookupsOfMasterKey).filter((purpose) => purpose !== 'token' && purpose !== 'redemption')
    const read = new Set(purposes.filter((purpose) => purpose !== 'token' && purpose !== 'redemption'))
    expect([...read].toSorted()).toEqual(listed.toSorted())
  })

  test('encrypts or hashes every column that depends on it', async () => {
    const store = await openTestStore()
    const tables = await store.db.introspection.getTables()
    const columns = tables.flatMap(({ name, columns: all }) => all.map((column) => `${name}.${column.name}`))
    await store.close()
    // Hashes of passwords, sessions, setup links and orders do not depend on the key.
    const known = [
      ...Object.keys(columnsOfMasterKey),
      'users.password_hash',
      'sessions.id_hash',
      'setup_links.secret_hash',
      'task_order_keys.order_hash',
    ]
    const dependent = columns.filter((name) => /(?:_sealed|_lookup|_hash|fingerprint)$/.test(name))
    expect(dependent.filter((name) => !known.includes(name))).toEqual([])
    expect(known.filter((name) => !columns.includes(name))).toEqual([])
  })
})
