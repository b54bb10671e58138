import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './database-host.ts'
import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts'
import { openHeldStream } from './held-stream.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { fromSources, prepare, processPassword, until } from './server-process.ts'

// Whatever reads the standard output of a server may end, stop reading or run out of space: the server and its running responses go on.

const folder = mkdtempSync(join(tmpdir(), 'sluice-readers-'))
let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await startFakeUpstream()
})
afterAll(async () => {
  await upstream.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Where a server writes its log, while something happens to it. */
interface Reader {
  /** The options of `Bun.spawn` for standard output and standard error. */
  readonly stdio: {
    readonly stdout?: number | 'pipe' | 'ignore'
    readonly stderr?: number | 'ignore'
    readonly terminal?: Bun.Terminal
  }
  /** Words before the command line of the server. */
  readonly shell?: readonly string[]
  /** Called when the server runs. */
  end(): void
}

let readers = 0

/** A pipe with both ends in this process. */
async function makePipe() {
  const path = join(folder, `pipe${readers++}`)
  await Bun.$`mkfifo ${path}`
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), blocking: openSync(path, constants.O_WRONLY) }
}

function fill(writer: number): void {
  const bytes = new Uint8Array(4096)
  try {
    for (;;) writeSync(writer, bytes)
  } catch {
    // It is full.
  }
}

function readAll(reader: number): string {
  const bytes = Buffer.alloc(1 << 20)
  try {
    return bytes.toString('utf8', 0, readSync(reader, bytes))
  } catch {
    return ''
  }
}

const kinds: Readonly<Record<string, () => Reader | Promise<Reader>>> = {
  async 'a pipe whose reader ends'() {
    const { reader, writer, blocking } = await makePipe()
    return {
      stdio: { stdout: blocking, stderr: blocking },
      end() {
        for (const one of [reader, writer, blocking]) closeSync(one)
      },
    }
  },
  async 'a pipe that is full'() {
    const { writer, blocking } = await makePipe()
    fill(writer)
    return { stdio: { stdout: blocking, stderr: blocking }, end: () => {} }
  },
  'a socket whose reader ends'() {
    return { stdio: { stdout: 'pipe', stderr: 'ignore' }, end: () => {} }
  },
  'a terminal that closes'() {
    const terminal = new Bun.Terminal({ cols: 80, rows: 24, data() {} })
    return { stdio: { terminal }, end: () => terminal.close() }
  },
  'a disk that is full': () => ({ stdio: { stdout: openSync('/dev/full', 'w'), stderr: openSync('/dev/full', 'w') }, end: () => {} }),
  'descriptors that are closed at the start': () => ({
    stdio: { stdout: 'ignore', stderr: 'ignore' },
    shell: ['sh', '-c', 'exec "$@" >&- 2>&-', 'sh'],
    end: () => {},
  }),
}

const usual = { HOST: '127.0.0.1', LOG_LEVEL: 'info', STORAGE_RESERVE_BYTES: '65536', BUN_CONFIG_MAX_HTTP_REQUESTS: '65336' }

/** A server whose standard output is this one. What it prints is not read, so it listens on a port that is chosen here. */
async function startWith({ stdio, shell = [] }: Reader, variables: Readonly<Record<string, string>>) {
  const port = freePort()
  const url = `http://127.0.0.1:${port}`
  const env = { ...usual, PORT: String(port), INITIAL_ROOT_PASSWORD: processPassword, ...variables }
  const child = Bun.spawn({ cmd: [...shell, ...fromSources()], env, stdin: 'ignore', ...stdio })
  const isUp = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(async () => child.exitCode !== null || (await isUp()))
  expect(child.exitCode).toBeNull()
  return { child, server: { url, port, pid: child.pid, printed: () => '', signal: child.kill, exited: child.exited } }
}

/** Requests that each make a line of the log, all of which get a response. */
async function causeLines(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  upstream.fallback(() => [{ do: 'cut' }])
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
  for (let request = 0; request < 3; request += 1) {
    await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body }).then((response) => response.text())
  }
}

async function survives(reader: Reader, variables: Readonly<Record<string, string>>): Promise<void> {
  const { child, server } = await startWith(reader, variables)
  try {
    const headers = await prepare(server, upstream)
    const gate = `gate${server.port}`
    const stream = await openHeldStream({ url: server.url, headers, upstream, gate })
    reader.end()
    if (child.stdout instanceof ReadableStream) await child.stdout.cancel()
    await causeLines(server.url, headers)
    upstream.release(gate)
    await until(stream.readMore)
    expect(stream.text()).toEndWith('data: [DONE]\n\n')
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect(child.exitCode).toBeNull()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
  } finally {
    child.kill('SIGKILL')
  }
}

describe('a server and its running stream survive', () => {
  test.each(Object.keys(kinds))(
    '%s',
    async (kind) => {
      const reader = await kinds[kind]?.()
      if (reader === undefined) throw new Error('there is no such reader')
      await survives(reader, { DATA_DIR: join(folder, `data${readers++}`) })
    },
    60_000,
  )
})

describe('a server with two workers and its running stream survive', () => {
  let database: PostgresServer
  beforeAll(async () => {
    database = await startPostgres()
  }, 120_000)
  afterAll(() => database.stop(), 60_000)

  test.each(Object.keys(kinds))(
    '%s',
    async (kind) => {
      const reader = await kinds[kind]?.()
      if (reader === undefined) throw new Error('there is no such reader')
      const variables = { DATABASE_URL: await database.createDatabase(), DATA_DIR: join(folder, `data${readers++}`), WORKERS: '2' }
      await survives(reader, variables)
    },
    90_000,
  )
})

test('what a full pipe took no more is written when it is read again', async () => {
  const { reader, writer, blocking } = await makePipe()
  fill(writer)
  const output = { stdio: { stdout: blocking, stderr: blocking }, end: () => {} }
  const { child } = await startWith(output, { DATA_DIR: join(folder, `data${readers++}`) })
  let text = ''
  await until(() => {
    text += readAll(reader)
    return text.includes('Sluice is running: ')
  })
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
}, 60_000)
