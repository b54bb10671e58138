import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts'
import { openHeldStream } from './held-stream.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { fromSources, isClosed, prepare, processPassword, type ServerProcess, startServer, until } from './server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-signals-'))
let upstream: FakeUpstream
let database: PostgresServer
beforeAll(async () => {
  upstream = await startFakeUpstream()
  database = await startPostgres()
}, 120_000)
afterAll(async () => {
  await upstream.close()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

let folders = 0
const usual = () => ({ DATA_DIR: join(folder, `data${folders++}`), INITIAL_ROOT_PASSWORD: processPassword })
const withWorkers = async () => ({ ...usual(), WORKERS: '2', DATABASE_URL: await database.createDatabase() })

const readyStatus = (server: ServerProcess) =>
  fetch(`${server.url}/readyz`, { headers: { connection: 'close' } }).then(({ status }) => status)

describe.each([
  ['a server', async () => usual()],
  ['a server with two workers', withWorkers],
])('%s', (_, variables) => {
  test('goes on at signals that nobody sends to end it, and so does its running stream', async () => {
    // A group of its own, as below a terminal: the signals come to all its processes.
    const server = await startServer(await variables(), ['setsid', ...fromSources()])
    const headers = await prepare(server, upstream)
    const stream = await openHeldStream({ ...server, headers, upstream, gate: `ignored${server.port}` })
    for (const signal of ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGPIPE', 'SIGWINCH', 'SIGALRM', 'SIGVTALRM', 'SIGPROF', 'SIGIO'] as const) {
      process.kill(-server.pid, signal)
      expect(await readyStatus(server)).toBe(200)
    }
    upstream.release(`ignored${server.port}`)
    await until(stream.readMore)
    expect(stream.text()).toEndWith('data: [DONE]\n\n')
    process.kill(-server.pid, 'SIGTERM')
    expect(await server.exited).toBe(0)
  }, 60_000)

  // Ctrl-C in a terminal and `systemctl stop` send it to every process of the server.
  test.each(['SIGTERM', 'SIGINT', 'SIGQUIT'] as const)(
    'lets its running stream end at %s to all its processes',
    async (signal) => {
      const server = await startServer(await variables(), ['setsid', ...fromSources()])
      const headers = await prepare(server, upstream)
      const gate = `${signal}${server.port}`
      const stream = await openHeldStream({ ...server, headers, upstream, gate })
      process.kill(-server.pid, signal)
      await until(() => isClosed(server.port))
      upstream.release(gate)
      await until(stream.readMore)
      expect(stream.text()).toEndWith('data: [DONE]\n\n')
      expect(await server.exited).toBe(0)
    },
    60_000,
  )
})
