import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatResponse, json, startFakeUpstream } from './fake-upstream.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { metricsToken, parseSeries, type Series, total } from './scrape.ts'
import { prepare, processPassword, type ServerProcess, startServer, until } from './server-process.ts'

let database: PostgresServer
const folder = mkdtempSync(join(tmpdir(), 'sluice-worker-metrics-'))
const upstream = await startFakeUpstream()
beforeAll(async () => {
  database = await startPostgres()
}, 120_000)
afterAll(async () => {
  await upstream.close()
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

const close = { connection: 'close' }

/** Each scrape is a connection of its own, which comes to any of the processes. */
async function scrapeText({ url }: ServerProcess): Promise<string> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}`, ...close } })
  expect(response.status).toBe(200)
  return await response.text()
}

const workersOf = (series: readonly Series[]) => [...new Set(series.map(({ labels }) => labels['worker']))].sort()

test('a scrape has the series of every worker, distinguished by a label, whichever worker it comes to', async () => {
  const server = await startServer({
    DATABASE_URL: await database.createDatabase(),
    DATA_DIR: folder,
    WORKERS: '3',
    INITIAL_ROOT_PASSWORD: processPassword,
    METRICS_TOKEN: metricsToken,
  })
  upstream.fallback(() => json(chatResponse('hello')))
  const headers = await prepare(server, upstream)
  let responded = 0
  const ask = async (): Promise<boolean> => {
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    const { ok } = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers: { ...headers, ...close }, body })
    if (ok) responded += 1
    return ok
  }
  const askMany = async () => (await Promise.all(Array.from({ length: 30 }, ask))).every(Boolean)
  await until(askMany)

  const completed = async () => total(parseSeries(await scrapeText(server)), 'sluice_requests_total', { outcome: 'complete' })
  await until(async () => (await completed()) === responded)
  for (let scrape = 0; scrape < 10; scrape += 1) {
    const text = await scrapeText(server)
    const series = parseSeries(text)
    expect(workersOf(series)).toEqual(['1', '2', '3'])
    expect(total(series, 'sluice_requests_total', { outcome: 'complete' })).toBe(responded)
    expect(total(series, 'sluice_build_info')).toBe(3)
    // The format: one head for each family, and no series twice.
    const heads = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(heads).size).toBe(heads.length)
    expect(new Set(series.map(({ name, labels }) => JSON.stringify([name, labels]))).size).toBe(series.length)
  }

  // A worker that is started again begins at 0 under its label, which is a reset as Prometheus knows it.
  const [pid = 0] = (await Bun.$`pgrep -P ${server.pid}`.text()).trim().split('\n').map(Number)
  process.kill(pid, 'SIGKILL')
  await until(async () => {
    // A connection that the killed worker was given is cut.
    const series = parseSeries(await scrapeText(server).catch(() => ''))
    const counts = ['1', '2', '3'].map((worker) => total(series, 'sluice_requests_total', { worker, outcome: 'complete' }))
    return workersOf(series).length === 3 && counts.filter((count) => count === 0).length === 1 && counts.some((count) => count > 0)
  })
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
}, 90_000)
