import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { freePort } from './database-host.ts'
import { type PostgresServer, sharedPostgres, startPostgres } from './postgres-server.ts'
import { runServer } from './server-process.ts'

// What the start says of an address that leads nowhere: what is wrong, where, and what to do, and never the password.

const openssl = Bun.which('openssl')
const password = 'not-to-be-printed'
let server: PostgresServer
let dataDir: string
beforeAll(async () => {
  server = await sharedPostgres()
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-messages-'))
}, 60_000)
afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true })
})

async function startOn(url: string): Promise<string> {
  const { code, text } = await runServer([], { DATABASE_URL: url, DATA_DIR: dataDir, SLUICE_SECRET: 'a master key for the tests' })
  expect(code).toBe(1)
  expect(text).not.toContain(password)
  expect(text).toMatch(/^Sluice cannot start:\n {2}- .+\n$/)
  return text
}

/** A response of PostgreSQL to a start that it refuses (https://www.postgresql.org/docs/current/protocol-error-fields.html). */
function refusal(errno: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${errno}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** A server that gives each connection this response and ends it, or hands it on; `null`: it says nothing. */
async function listen(
  response: Buffer | null,
  handOn?: (socket: Socket) => void,
): Promise<{ readonly port: number; readonly server: Server }> {
  const port = freePort()
  const listening = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      if (response === null) return
      if (handOn === undefined) return void socket.end(response)
      socket.write(response)
      handOn(socket)
    })
  })
  await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve))
  return { port, server: listening }
}

test.each([
  [`postgres://sluice:${password}/@127.0.0.1:5432/sluice`, 'DATABASE_URL must be an address like'],
  [`postgres://sluice:${password}#@127.0.0.1:5432/sluice`, 'percent-encoded (%2F %3F %23 %25 %40)'],
  [`postgres://sluice:${password}?@127.0.0.1:5432/sluice`, 'percent-encoded (%2F %3F %23 %25 %40)'],
  [`postgres://sluice:12/${password}@127.0.0.1:5432/sluice`, 'percent-encoded (%2F %3F %23 %25 %40)'],
  [`postgres://sluice:100%${password}@127.0.0.1:5432/sluice`, 'has a % that encodes nothing'],
  [`postgres://sluice:${password}@127.0.0.1:5432`, 'must name a host and a database'],
  [`postgres://sluice:${password}@127.0.0.1:5432/sluice?schema=a&search_path=b`, 'has both schema and search_path'],
  [`mysql://sluice:${password}@127.0.0.1/sluice`, 'must be an address like postgres://'],
])(
  'of the address %p: %s',
  async (url, message) => {
    expect(await startOn(url)).toContain(message)
  },
  60_000,
)

test('a name that is not known', async () => {
  const text = await startOn(`postgres://sluice:${password}@no-such-host.invalid/sluice`)
  expect(text).toContain('the host name no-such-host.invalid cannot be resolved')
}, 60_000)

test('a port where nothing listens', async () => {
  const port = freePort()
  const text = await startOn(`postgres://sluice:${password}@127.0.0.1:${port}/sluice`)
  expect(text).toContain(`nothing listens at 127.0.0.1:${port} (connection refused): start PostgreSQL`)
}, 60_000)

test('a socket that is not there', async () => {
  const text = await startOn(`postgres://sluice:${password}@localhost/sluice?host=${dataDir}`)
  expect(text).toContain(`no socket accepts connections at ${dataDir}/.s.PGSQL.5432 (ENOENT)`)
}, 60_000)

test('a server that does not respond', async () => {
  const silent = await listen(null)
  const text = await startOn(`postgres://sluice:${password}@127.0.0.1:${silent.port}/sluice`)
  expect(text).toContain(`127.0.0.1:${silent.port} accepts connections, but opened no session in time`)
  silent.server.close()
}, 60_000)

test('a database that does not exist', async () => {
  const text = await startOn(Object.assign(new URL(server.address), { pathname: '/nothing' }).href)
  expect(text).toContain('database "nothing" does not exist: CREATE DATABASE "nothing" OWNER "postgres"')
}, 60_000)

test('a role that does not exist', async () => {
  const text = await startOn(Object.assign(new URL(server.address), { username: 'nobody', password }).href)
  expect(text).toContain(`role "nobody" does not exist: CREATE ROLE "nobody" LOGIN PASSWORD`)
}, 60_000)

test('a server without TLS', async () => {
  const text = await startOn(`${server.address}?sslmode=require`)
  expect(text).toMatch(/127\.0\.0\.1:\d+ does not support TLS: enable ssl there, or remove sslmode/)
}, 60_000)

test.skipIf(openssl === null)(
  'a certificate that does not hold, and a file of certificates that is missing',
  async () => {
    const [key, certificate] = [join(dataDir, 'key.pem'), join(dataDir, 'cert.pem')]
    const options = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=db.example.com']
    Bun.spawnSync([openssl ?? '', 'req', '-x509', ...options, '-keyout', key, '-out', certificate])
    const secure = createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) })
    const { port, server: plain } = await listen(Buffer.from('S'), (socket) => secure.emit('connection', socket))
    const url = `postgres://sluice:${password}@127.0.0.1:${port}/sluice?sslmode=verify-full`
    expect(await startOn(url)).toContain(
      `self signed certificate: the certificate of 127.0.0.1:${port} is verified; set sslrootcert to the file of its authority`,
    )
    expect(await startOn(`${url}&sslrootcert=${certificate}`)).toContain('the host name in the certificate')
    expect(await startOn(`${url}&sslrootcert=/nothing.pem`)).toContain('check sslrootcert, sslcert and sslkey in DATABASE_URL')
    plain.close()
  },
  60_000,
)

test.each([
  ['28P01', 'password authentication failed for user "sluice"', 'set the right password of the role sluice in DATABASE_URL'],
  ['28000', 'no pg_hba.conf entry for host "::1", user "sluice", no encryption', 'add ?sslmode=require to DATABASE_URL'],
  ['28000', 'no pg_hba.conf entry for host "::1", user "sluice", SSL on', 'allow the role sluice in pg_hba.conf'],
  ['57P03', 'the database system is starting up', 'start again when it is ready'],
  ['57014', 'canceling statement due to statement timeout', 'remove statement_timeout from DATABASE_URL'],
  ['53300', 'sorry, too many clients already', 'it is at its limit of connections'],
  ['08P01', 'unsupported startup parameter: statement_timeout', 'the pooler does not support this setting in an address'],
])(
  'a server that refuses with %s: %s',
  async (errno, message, advice) => {
    const refusing = await listen(refusal(errno, message))
    const text = await startOn(`postgres://sluice:${password}@127.0.0.1:${refusing.port}/sluice`)
    expect(text).toContain(`postgres://127.0.0.1:${refusing.port}/sluice cannot be opened: ${message}: `)
    expect(text).toContain(advice)
    refusing.server.close()
  },
  60_000,
)

test('a standby', async () => {
  const standby = await startPostgres(server.address)
  expect(await startOn(standby.address)).toContain('it is a standby, which is read-only: point DATABASE_URL to the primary')
  await standby.stop()
}, 60_000)

test('a command says the same', async () => {
  const port = freePort()
  const { code, text } = await runServer(['verify', `postgres://sluice:${password}@127.0.0.1:${port}/sluice`], {})
  expect([code, text]).toEqual([1, expect.stringContaining(`nothing listens at 127.0.0.1:${port}`)])
  expect(text).not.toContain(password)
}, 60_000)
