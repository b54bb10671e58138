import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatChunk, chatResponse, type FakeUpstream, startFakeUpstream } from '../test/fake-upstream.ts'
import { byHand, isClosed, prepare, processPassword, runServer, type ServerProcess, startServer, until } from '../test/server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-main-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let folders = 0
/** A new folder, and settings with a known root password. */
const fresh = () => ({ DATA_DIR: join(folder, `data${folders++}`), INITIAL_ROOT_PASSWORD: processPassword })

const chat = (isStream: boolean) => JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] })

describe('the first start', () => {
  test('prints the address and a link to log in by, and a signal ends it', async () => {
    const server = await startServer({ DATA_DIR: join(folder, 'first'), ...byHand })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    await until(() => /Open this link .*: http:\/\/127\.0\.0\.1:\d+\/setup#[\w-]{43}\n/.test(server.printed()))
    await until(() => server.printed().includes('"level":"warn"'))
    server.signal('SIGTERM')
    expect(await server.exited).toBe(0)
  })

  test('ends normally at a signal right after it printed its address', async () => {
    const ends = Array.from({ length: 4 }, async () => {
      const server = await startServer(fresh())
      server.signal('SIGTERM')
      return await server.exited
    })
    expect(await Promise.all(ends)).toEqual([0, 0, 0, 0])
  })

  test('with a configured password mentions neither a link nor the default password', async () => {
    const server = await startServer(fresh())
    expect(server.printed()).not.toMatch(/123456|setup#/)
    server.signal('SIGTERM')
    await server.exited
  })

  test('creates the only root account: a later start creates no second, also if the first was renamed (W43)', async () => {
    const token = 'x'.repeat(40)
    const variables = { ...fresh(), INITIAL_ROOT_ACCESS_TOKEN: token }
    const first = await startServer(variables)
    const login = { method: 'POST', body: JSON.stringify({ username: 'root', password: variables.INITIAL_ROOT_PASSWORD }) }
    const cookie = (await fetch(`${first.url}/api/user/login`, login)).headers.getSetCookie().join('; ')
    const init = { method: 'PUT', headers: { cookie }, body: JSON.stringify({ username: 'boss', password: '' }) }
    expect(await (await fetch(`${first.url}/api/user/self`, init)).json()).toMatchObject({ success: true })
    first.signal('SIGTERM')
    await first.exited
    const second = await startServer(variables)
    const list = await (await fetch(`${second.url}/api/user/`, { headers: { authorization: token } })).json()
    expect(list).toMatchObject({ success: true, data: [{ id: 1, username: 'boss' }] })
    expect(JSON.stringify(list)).not.toContain('"root"')
    second.signal('SIGTERM')
    await second.exited
  })

  test('fails if variables are wrong, and lists all of them', async () => {
    const { code, text } = await runServer([], { PORT: 'eighty', LOG_LEVEL: 'loud', TRUSTED_PROXIES: 'everybody', DATA_DIR: folder })
    expect(code).toBe(1)
    for (const name of ['Sluice cannot start', 'PORT', 'LOG_LEVEL', 'TRUSTED_PROXIES']) expect(text).toContain(name)
  })
})

describe('a second process', () => {
  test('is refused on a port in use, with a message', async () => {
    const server = await startServer(fresh())
    const second = await runServer([], { ...fresh(), PORT: String(server.port) })
    expect(second.code).toBe(1)
    expect(second.text).toContain(`Failed to listen at 127.0.0.1:${server.port}: port ${server.port} is in use by another program.`)
    expect(second.text).not.toContain('app.ts')
    server.signal('SIGTERM')
    await server.exited
  })

  test('is refused while the first uses the same folder, and can start after it', async () => {
    const variables = fresh()
    const first = await startServer(variables)
    const second = await runServer([], variables)
    expect(second.code).toBe(1)
    expect(second.text).toContain('another process is using this database')
    expect(second.text).not.toContain('app.ts')
    first.signal('SIGKILL')
    await first.exited
    const third = await startServer(variables)
    third.signal('SIGTERM')
    expect(await third.exited).toBe(0)
  })
})

describe('commands', () => {
  test('the exit code of healthcheck shows whether a server responds on the port', async () => {
    const variables = fresh()
    const server = await startServer(variables)
    const check = () => runServer(['healthcheck'], { ...variables, PORT: String(server.port) })
    expect((await check()).code).toBe(0)
    server.signal('SIGTERM')
    await server.exited
    expect((await check()).code).toBe(1)
  })

  test('verify reports in one line what it cannot read', async () => {
    const variables = fresh()
    const missing = join(folder, 'missing.db')
    expect(await runServer(['verify', missing], variables)).toEqual({ code: 1, text: `No database found at ${missing}.\n` })
    const other = join(folder, 'other.db')
    writeFileSync(other, 'This is a text.\n'.repeat(100))
    const { code, text } = await runServer(['verify', other], variables)
    expect(code).toBe(1)
    expect(text).toBe(`${other} is not a database of Sluice: file is not a database.\n`)
  })

  test('verify reports whether the ledger of a database is consistent', async () => {
    const variables = fresh()
    const server = await startServer(variables)
    server.signal('SIGTERM')
    await server.exited
    const { code, text } = await runServer(['verify'], variables)
    expect(text).toContain('The ledger is consistent.')
    expect(code).toBe(0)
  })
})

describe('a vendor behind TLS', () => {
  const certificate = join(import.meta.dir, '../test/fixtures/localhost-certificate.pem')
  const tls = { cert: Bun.file(certificate), key: Bun.file(join(import.meta.dir, '../test/fixtures/localhost-key.pem')) }
  let vendor: ReturnType<typeof Bun.serve>
  beforeAll(() => {
    vendor = Bun.serve({ port: 0, tls, fetch: () => Response.json(chatResponse('Over TLS')) })
  })
  afterAll(() => vendor.stop(true))

  async function ask(variables: Record<string, string>, host: string): Promise<Response> {
    const server = await startServer({ ...fresh(), ...variables })
    const headers = await prepare(server, { url: `https://${host}:${vendor.port}` })
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body: chat(false) })
    server.signal('SIGTERM')
    await server.exited
    return response
  }

  test('is used if its certificate is trusted', async () => {
    expect(await (await ask({ NODE_EXTRA_CA_CERTS: certificate }, 'localhost')).json()).toEqual(chatResponse('Over TLS'))
  })

  test('gets no request if its certificate is unknown, or of another host', async () => {
    expect((await ask({}, 'localhost')).status).toBe(502)
    expect((await ask({ NODE_EXTRA_CA_CERTS: certificate }, '[::1]')).status).toBe(502)
  })
})

describe('a running server', () => {
  let upstream: FakeUpstream
  beforeAll(async () => {
    upstream = await startFakeUpstream()
  })
  afterAll(() => upstream.close())

  const chunk = (text: string, finish: string | null = null) => `data: ${JSON.stringify(chatChunk({ content: text }, finish))}\n\n`
  const halfStream = (gate: string) =>
    [
      { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
      { do: 'send', bytes: chunk('first') },
      { do: 'wait', name: gate },
      { do: 'send', bytes: `${chunk('last', 'stop')}data: [DONE]\n\n` },
    ] as const

  /** Opens a stream and reads up to its first words. */
  async function openStream(server: ServerProcess, gate: string) {
    const headers = await prepare(server, upstream)
    upstream.script(halfStream(gate))
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body: chat(true) })
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
    let text = ''
    const readOn = async (): Promise<boolean> => {
      const { done, value } = await reader.read()
      text += new TextDecoder().decode(value)
      return done
    }
    await until(async () => (await readOn()) || text.includes('first'))
    return { readOn, text: () => text }
  }

  test('lets a stream end after the signal, takes no new connections, and leaves a consistent ledger', async () => {
    const variables = fresh()
    const server = await startServer(variables)
    const stream = await openStream(server, 'drained')
    server.signal('SIGTERM')
    await until(() => isClosed(server.port))
    upstream.release('drained')
    await until(stream.readOn)
    expect(stream.text()).toContain('last')
    expect(stream.text()).toEndWith('data: [DONE]\n\n')
    expect(await server.exited).toBe(0)
    expect((await runServer(['verify'], variables)).text).toContain('0 open reservations')
  })

  test('ends at once at the second signal, and the next start resolves what is left', async () => {
    const variables = fresh()
    const server = await startServer(variables)
    await openStream(server, 'never')
    server.signal('SIGTERM')
    await until(() => isClosed(server.port))
    server.signal('SIGTERM')
    expect(await server.exited).toBe(1)
    const next = await startServer(variables)
    next.signal('SIGTERM')
    await next.exited
    const verified = await runServer(['verify'], variables)
    expect(verified.text).toContain('0 open reservations')
    expect(verified.code).toBe(0)
  })

  test('sends more than 256 requests to vendors at a time, also if it is started manually', async () => {
    const server = await startServer({ ...fresh(), ...byHand })
    const headers = await prepare(server, upstream)
    const before = upstream.received.length
    const questions = 300
    upstream.script(...Array.from({ length: questions }, () => [{ do: 'wait', name: 'crowd' }, { do: 'cut' }] as const))
    const body = chat(false)
    const lines = Object.entries({ host: 'x', connection: 'close', 'content-length': String(body.length), ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    // Sockets, because the tests' fetch has the same limit.
    const sockets = Array.from({ length: questions }, () => connect(server.port, '127.0.0.1'))
    for (const socket of sockets) socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${head}\r\n${body}`)
    await until(() => upstream.received.length - before >= questions)
    for (const socket of sockets) socket.destroy()
    upstream.release('crowd')
    server.signal('SIGTERM')
    expect(await server.exited).toBe(0)
  })
})
