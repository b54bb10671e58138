import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@sluice/http1/http-server'
import { type FakeUpstream, startFakeUpstream } from '../../test/fake-upstream.ts'
import { processPassword, runServer, type ServerProcess, startServer } from '../../test/server-process.ts'

// `sluice doctor` as operators run it: beside a server or without one.

const accessToken = 'doctor'.padEnd(40, 'x')
const folder = mkdtempSync(join(tmpdir(), 'sluice-doctor-'))
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(async () => {
  await upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

type Variables = Readonly<Record<string, string>>

let installations = 0
/** Variables of an installation of its own. */
const fresh = (): Variables & { readonly DATA_DIR: string } => ({
  DATA_DIR: join(folder, String(installations++)),
  PORT: String(freePort('127.0.0.1', 0)),
  INITIAL_ROOT_PASSWORD: processPassword,
  INITIAL_ROOT_ACCESS_TOKEN: accessToken,
})

async function doctor(variables: Variables) {
  const { code, text } = await runServer(['doctor'], variables)
  return { code, text, problems: text.split('\n').filter((line) => line.startsWith('PROBLEM')) }
}

async function start(variables: Variables): Promise<ServerProcess> {
  const server = await startServer(variables)
  ending.push(async () => {
    server.signal('SIGKILL')
    await server.exited
  })
  return server
}

/** Makes a call of the management API as root. */
async function call(server: ServerProcess, method: 'POST' | 'PUT', path: string, body: object): Promise<void> {
  const response = await fetch(server.url + path, { method, headers: { authorization: accessToken }, body: JSON.stringify(body) })
  expect(await response.json()).toMatchObject({ success: true })
}

const setOption = (server: ServerProcess, key: string, value: string) => call(server, 'PUT', '/api/option/', { key, value })

test('before the first start everything is right, and nothing is made', async () => {
  const variables = fresh()
  const { code, text } = await doctor(variables)
  expect([code, text]).toEqual([0, expect.stringContaining('No problems found.')])
  for (const words of ['does not exist yet; the first start creates it', `127.0.0.1:${variables['PORT']} is free`, 'MB free in'])
    expect(text).toContain(words)
  expect(existsSync(variables.DATA_DIR)).toBe(false)
}, 60_000)

test('variables that a start refuses are all named, and what is probably misspelled is a warning', async () => {
  const { code, problems } = await doctor({ ...fresh(), LOG_LEVEL: 'loud', BODY_TIMEOUT_MS: 'soon' })
  expect([code, problems.length]).toEqual([1, 2])
  const { code: warned, text } = await doctor({ ...fresh(), TRUSTED_PROXY: '127.0.0.1/32' })
  expect([warned, text]).toEqual([0, expect.stringMatching(/^warning +variables +TRUSTED_PROXY is not .*TRUSTED_PROXIES/m)])
}, 60_000)

test('a port of another program, and a folder that cannot be made, are named', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  ending.push(async () => other.close())
  const { code, text } = await doctor({ ...fresh(), PORT: String(portOf(other)), DATA_DIR: '/dev/null/data' })
  expect(code).toBe(1)
  expect(text).toMatch(/^PROBLEM +address .*is in use by another program/m)
  expect(text).toMatch(/^PROBLEM +data folder /m)
}, 60_000)

test('a lost master key and a damaged database say what to do', async () => {
  const variables = fresh()
  const server = await start(variables)
  await setOption(server, 'SMTPToken', 'not to be printed')
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  renameSync(join(variables.DATA_DIR, 'secret.key'), join(folder, 'moved.key'))
  const lost = await doctor(variables)
  expect([lost.code, lost.text]).toEqual([1, expect.stringMatching(/^PROBLEM +master key .*admin reset-secret/m)])
  expect(existsSync(join(variables.DATA_DIR, 'secret.key'))).toBe(false)
  renameSync(join(folder, 'moved.key'), join(variables.DATA_DIR, 'secret.key'))
  expect((await doctor(variables)).text).toMatch(/^ok +master key/m)
  for (const name of ['sluice.db-wal', 'sluice.db-shm']) rmSync(join(variables.DATA_DIR, name), { force: true })
  truncateSync(join(variables.DATA_DIR, 'sluice.db'), 8_192)
  const damaged = await doctor(variables)
  expect([damaged.code, damaged.text]).toEqual([1, expect.stringMatching(/^PROBLEM +database .*(?:damaged|restore)/m)])
}, 60_000)

test('beside a running server, channels and mail are tried without their keys being printed or sent', async () => {
  const variables = fresh()
  const server = await start(variables)
  const dead = freePort('127.0.0.1', 0)
  const channel = { type: 1, key: 'sk-not-to-be-printed', models: 'gpt-4o-mini' }
  await call(server, 'POST', '/api/channel/', { ...channel, name: 'alive', base_url: upstream.url })
  await call(server, 'POST', '/api/channel/', { ...channel, name: 'the same vendor', base_url: upstream.url })
  await call(server, 'POST', '/api/channel/', { ...channel, name: 'dead', base_url: `http://127.0.0.1:${dead}` })
  await setOption(server, 'SMTPServer', '127.0.0.1')
  await setOption(server, 'SMTPPort', String(dead))
  await setOption(server, 'SMTPAccount', 'mail@example.com')
  await setOption(server, 'SMTPToken', 'mail-token-not-to-be-printed')
  const { code, text, problems } = await doctor(variables)
  expect(code).toBe(1)
  expect(text).toContain(`a server is running at ${server.url}`)
  expect(text).toMatch(new RegExp(`^ok +channels 1, 2 +${upstream.url} responds`, 'm'))
  expect(problems.map((line) => line.slice(0, 28).trim())).toEqual(['PROBLEM  mail', 'PROBLEM  channels 3'])
  expect(text).not.toContain('not-to-be-printed')
  expect(upstream.received.at(-1)?.headers['authorization']).toBeUndefined()
}, 60_000)

test('an outgoing proxy that does not respond is named without its password', async () => {
  const variables = fresh()
  const server = await start(variables)
  const proxy = `http://name:not-to-be-printed@127.0.0.1:${freePort('127.0.0.1', 0)}`
  const { code, text } = await doctor({ ...variables, HTTPS_PROXY: proxy })
  expect([code, text]).toEqual([1, expect.stringMatching(/^PROBLEM +outgoing proxy/m)])
  expect(text).not.toContain('not-to-be-printed')
  expect(server.printed()).not.toContain('not-to-be-printed')
}, 60_000)

type Change = (headers: IncomingHttpHeaders, client: string) => IncomingHttpHeaders

/** A proxy in front of a server that changes the fields of requests. */
async function startFront(target: string, change: Change) {
  const front = createServer(async (request, response) => {
    const { host = '', ...rest } = change(request.headers, request.socket.remoteAddress ?? '')
    const headers = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
    const proxied = await fetch(target + request.url, { headers: { ...headers, host } })
    response.writeHead(proxied.status, { 'content-type': 'application/json' }).end(await proxied.text())
  }).listen(0, '127.0.0.1')
  ending.push(async () => front.close())
  return `http://localhost:${portOf(front)}`
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const right: Change = (headers, client) => ({ ...headers, 'x-forwarded-for': client, 'x-forwarded-proto': 'http' })
const trusting = { TRUSTED_PROXIES: '127.0.0.1/32' }

test.each<[name: string, change: Change, variables: Variables, line: RegExp]>([
  ['that is right', right, trusting, /^ok +public address +\S+ reaches this server/m],
  [
    'that drops the port of the host',
    (headers, client) => ({ ...right(headers, client), host: 'localhost' }),
    trusting,
    /^PROBLEM +public address .*forward the original Host header/m,
  ],
  ['that is not trusted', right, {}, /^PROBLEM +public address .*missing from TRUSTED_PROXIES/m],
  ['that passes on what a client claims', (headers) => headers, trusting, /^PROBLEM +public address .*forge their IP address/m],
  [
    'that says that the connection is https',
    (headers, client) => ({ ...right(headers, client), 'x-forwarded-proto': 'https' }),
    trusting,
    /^PROBLEM +public address .*https:/m,
  ],
])(
  'a proxy %s',
  async (_name, change, more, line) => {
    const variables = { ...fresh(), ...more }
    const server = await start(variables)
    const address = await startFront(server.url, change)
    await setOption(server, 'ServerAddress', address)
    expect((await doctor(variables)).text).toMatch(line)
  },
  60_000,
)

test('another server at the public address is noticed', async () => {
  const variables = fresh()
  const server = await start(variables)
  await setOption(server, 'ServerAddress', upstream.url)
  expect((await doctor(variables)).text).toMatch(/^PROBLEM +public address .*is not Sluice/m)
}, 60_000)

test('an empty database beside a key is named, before a start makes a new installation of it', async () => {
  const variables = fresh()
  const server = await start(variables)
  server.signal('SIGTERM')
  await server.exited
  for (const name of ['sluice.db', 'sluice.db-wal', 'sluice.db-shm']) rmSync(join(variables.DATA_DIR, name), { force: true })
  const missing = await doctor(variables)
  expect([missing.code, missing.text]).toEqual([1, expect.stringMatching(/^PROBLEM +database .*although its folder was used before/m)])
  writeFileSync(join(variables.DATA_DIR, 'sluice.db'), '')
  const empty = await doctor(variables)
  expect([empty.code, empty.text]).toEqual([1, expect.stringMatching(/^PROBLEM +database .*although its folder was used before/m)])
}, 60_000)

test('ways out and backups are checked before there is a database', async () => {
  const dead = `http://127.0.0.1:${freePort('127.0.0.1', 0)}`
  const file = join(folder, 'no-folder')
  writeFileSync(file, '')
  const { code, problems } = await doctor({
    ...fresh(),
    HTTPS_PROXY: dead,
    NO_PROXY: '127.0.0.1',
    CLICKHOUSE_URL: dead,
    OTEL_EXPORTER_OTLP_ENDPOINT: dead,
    RELEASES_URL: upstream.url,
    BACKUP_EVERY: '1d',
    BACKUP_DIR: file,
  })
  expect(code).toBe(1)
  expect(problems.map((line) => line.slice(9, 28).trim())).toEqual(['backups', 'outgoing proxy', 'log copy', 'traces'])
}, 60_000)

test('another program at the port is not taken for a server of ours', async () => {
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('hello') })
  ending.push(async () => await other.stop(true))
  const { code, text } = await doctor({ ...fresh(), PORT: String(other.port) })
  expect([code, text]).toEqual([1, expect.stringMatching(/^PROBLEM +address .*is in use by another program/m)])
}, 60_000)
