import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { startPostgres } from '../apps/server/test/postgres-server.ts'
import { seedConsole } from './console-seed.ts'
import { gatewayEnv, load, ports, prepareGateway, type Target } from './gateway.ts'
import { start, stop, untilAtRest } from './processes.ts'

// `npm run bench -- console [ROWS] [postgres]`: measures how long each view of a log of ten million rows (or ROWS) and 100,000 accounts
// takes, and how much slower relayed requests are meanwhile. `--keep FOLDER` keeps the SQLite database there, or uses the one that is
// there; `--database ADDRESS --keep FOLDER` does the same with a PostgreSQL database, which is empty the first time; `--views` measures the views
// alone.

const rows = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 10_000_000)
const argumentOf = (name: string): string | undefined => {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : process.argv[index + 1]
}
const keptFolder = argumentOf('--keep')
const keptDatabase = argumentOf('--database')
const isPostgres = process.argv.includes('postgres') || keptDatabase !== undefined
const accounts = 100_000
/** Age of the first row of the log. */
const spanSeconds = 90 * 86_400
const perSecond = 500
const loadSeconds = 20
const repeats = 3

const now = Math.floor(Date.now() / 1000)
const accessToken = 'bench'.padEnd(40, 'x')

interface View {
  readonly name: string
  readonly path: string
  readonly maxMs: number
}

const day = 86_400
const list = (filter: string): View => ({
  name: `list ${filter === '' ? 'without a filter' : filter}`,
  path: `/api/log/?${filter}`,
  maxMs: 200,
})
const stat = (filter: string): View => ({ name: `stat ${filter}`, path: `/api/log/stat?${filter}`, maxMs: 300 })
const series = (query: string): View => ({ name: `series ${query}`, path: `/api/log/series?${query}`, maxMs: 500 })

const oldDay = `start_timestamp=${now - 60 * day}&end_timestamp=${now - 59 * day}`
const month = `bucket=day&start_timestamp=${now - 30 * day}`
/** Pairs of filters: both match many rows, or one of them few or none. */
const pairs = [
  ...[
    'model_name=model-3&channel=7',
    'token_name=default&model_name=model-0',
    'token_name=default&channel=7',
    'token_name=key%205&channel=7',
  ],
  ...[
    'username=user1&model_name=model-3',
    'username=user1&channel=7',
    'username=user1&token_name=default',
    'username=user1&model_name=none',
  ],
  ...['token_name=default&model_name=none', 'token_name=nothing&model_name=model-0', 'channel=999&model_name=model-0'],
]
const views: readonly View[] = [
  ...['', 'type=3', 'type=1', 'username=user5', 'username=nobody', 'token_name=default', 'token_name=nothing', 'token_name=key%205'].map(
    list,
  ),
  ...['model_name=model-3', 'model_name=none', 'channel=7', 'channel=999', oldDay, `username=user5&${oldDay}`, 'p=1000'].map(list),
  ...pairs.map(list),
  ...['type=3&username=user1', 'type=1&username=user1', 'type=3&model_name=model-3'].map(list),
  ...['', 'username=user1', 'username=user5', 'token_name=default', 'model_name=model-3', 'channel=7', oldDay, ...pairs].map(stat),
  ...['', 'group=model', 'group=channel', 'group=user', 'group=token', 'username=user5'].map(series),
  ...['', '&group=model', '&group=channel', '&group=user', '&group=token', '&group=model&username=user5'].map((query) =>
    series(month + query),
  ),
  ...['&group=user&zone=Asia/Shanghai', '&group=token&token_name=default', '&group=channel&model_name=model-3'].map((query) =>
    series(month + query),
  ),
  ...['&group=user&model_name=model-3', '&group=token&username=user1', '&group=model&username=user1', '&model_name=model-3&channel=7'].map(
    (query) => series(month + query),
  ),
  ...['failed', 'failures', 'client_gone', 'crashed'].map((outcome) => list(`outcome=${outcome}`)),
  ...['outcome=failures&username=user5', 'outcome=failures&model_name=model-3', `outcome=failed&${oldDay}`].map(list),
  ...['30', '90'].flatMap((days) =>
    ['of=', 'of=model&name=model-3', 'of=channel&name=7', 'of=user&name=user1'].map((of) => ({
      name: `durations of ${days} days, ${of}`,
      path: `/api/log/times?${of}&bucket=day&start_timestamp=${now - Number(days) * day}`,
      maxMs: 300,
    })),
  ),
  { name: 'status page', path: '/api/model/status', maxMs: 300 },
  { name: 'search of the log', path: '/api/log/search?keyword=nothing', maxMs: 200 },
  { name: 'accounts by balance', path: '/api/user/?order=quota', maxMs: 200 },
  { name: 'search of accounts', path: '/api/user/search?keyword=nobody', maxMs: 200 },
]

/** Duration of one call in milliseconds, and the message of its failure. */
async function ask({ path }: View): Promise<{ readonly ms: number; readonly refusal: string }> {
  const startedMs = performance.now()
  const response = await fetch(`http://127.0.0.1:${ports.gateway}${path}`, { headers: { authorization: accessToken } })
  // Holds: every response of the management API is an envelope.
  const { success, message } = (await response.json()) as { success: boolean; message: string }
  return { ms: performance.now() - startedMs, refusal: success ? '' : message }
}

async function printViews(): Promise<void> {
  console.log(`\n${'view'.padEnd(76)}${'first'.padStart(10)}${'then'.padStart(10)}   target`)
  for (const view of views) {
    const first = await ask(view)
    const later: number[] = []
    for (let turn = 0; turn < repeats; turn++) later.push((await ask(view)).ms)
    const then = later.sort((a, b) => a - b)[Math.floor(later.length / 2)] ?? 0
    const show = (ms: number): string => `${ms.toFixed(0)} ms`.padStart(10)
    const verdict = first.refusal !== '' ? `refused: ${first.refusal}` : then <= view.maxMs ? '' : 'MISSED'
    console.log(`${view.name.slice(0, 75).padEnd(76)}${show(first.ms)}${show(then)}   <= ${view.maxMs} ms ${verdict}`)
  }
}

/** The relay's latency at a steady rate, alone and while the views are called in a loop. */
async function printRelay(target: Target): Promise<void> {
  const plan = { stream: false, connections: 100, perSecond, seconds: loadSeconds }
  await load(target, { ...plan, seconds: 3 })
  const alone = await load(target, plan)
  let isOver = false
  const looking = (async () => {
    for (let turn = 0; !isOver; turn++) await ask(views[turn % views.length] ?? list(''))
  })()
  const beside = await load(target, plan)
  isOver = true
  await looking
  console.log(
    `\nthe relay at ${perSecond} requests a second: p99 ${alone.p99Ms.toFixed(1)} ms alone, ${beside.p99Ms.toFixed(1)} ms beside these views (target: at most 2 ms more)`,
  )
}

/** The place of the database, and how to remove it. */
interface Place {
  readonly dataDir: string
  /** The file of the SQLite store, or the address of the PostgreSQL one. */
  readonly store: string
  readonly env: Readonly<Record<string, string>>
  readonly remove: () => Promise<void>
}

async function makePlace(): Promise<Place> {
  const dataDir = keptFolder ?? mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const removeFolder = (): void => {
    if (keptFolder === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  const env = gatewayEnv(dataDir, accessToken)
  if (!isPostgres) return { dataDir, env, store: join(dataDir, 'sluice.db'), remove: async () => removeFolder() }
  if (keptDatabase !== undefined) {
    return { dataDir, env: { ...env, DATABASE_URL: keptDatabase }, store: keptDatabase, remove: async () => removeFolder() }
  }
  const server = await startPostgres()
  const address = await server.createDatabase()
  const remove = async (): Promise<void> => {
    await server.stop()
    removeFolder()
  }
  return { dataDir, env: { ...env, DATABASE_URL: address }, store: address, remove }
}

export async function benchConsole(): Promise<void> {
  const place = await makePlace()
  const upstream = await start('rig', [join(import.meta.dir, 'upstream.ts'), String(ports.upstream), '10'])
  const startGateway = () => start('measured', [join(import.meta.dir, '../apps/server/dist/main.ts')], place.env)
  let gateway = await startGateway()
  try {
    const token = await prepareGateway(accessToken)
    if (!(await isSeeded(place))) {
      await stop(gateway)
      await seedPlace(place)
      gateway = await startGateway()
    }
    await openStatusPage()
    await untilAtRest(gateway.pid)
    await printViews()
    if (!process.argv.includes('--views')) await printRelay({ name: 'gateway', port: ports.gateway, pid: gateway.pid, token })
  } finally {
    await Promise.all([gateway, upstream].filter(({ child }) => child.exitCode === null).map(stop))
    await place.remove()
  }
}

async function openStatusPage(): Promise<void> {
  await fetch(`http://127.0.0.1:${ports.gateway}/api/option/`, {
    method: 'PUT',
    headers: { authorization: accessToken, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'StatusPageEnabled', value: 'true' }),
  })
}

/** Whether an earlier run filled a database that is kept. */
async function isSeeded({ dataDir, store }: Place): Promise<boolean> {
  if (keptDatabase === undefined) return existsSync(join(dataDir, 'seeded'))
  const client = new SQL(store, { max: 1 })
  const [row] = await client.unsafe('SELECT id FROM logs WHERE type = 2 LIMIT 1')
  await client.close()
  return row !== undefined
}

async function seedPlace({ dataDir, store }: Place): Promise<void> {
  const startedMs = performance.now()
  await seedConsole(store, { rows, accounts, from: now - spanSeconds, to: now })
  const seconds = (performance.now() - startedMs) / 1000
  console.log(`${rows.toLocaleString('en')} rows of the log, ${accounts.toLocaleString('en')} accounts; made in ${seconds.toFixed(0)} s`)
  if (keptFolder !== undefined) writeFileSync(join(dataDir, 'seeded'), '')
}
