import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayEnv, load, ports, prepareGateway, type Target } from './gateway.ts'
import { start, stop, untilAtRest } from './processes.ts'

// `npm run bench -- console [ROWS]`: how long an administrator waits for each view of a log of ten million rows (or ROWS) and 100,000
// accounts, and what a relayed request notices of it.

const rows = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 10_000_000)
const accounts = 100_000
const models = 60
const channels = 40
/** The log reaches back this far from now. */
const spanSeconds = 90 * 86_400
const perSecond = 500
const loadSeconds = 20
const repeats = 3

const now = Math.floor(Date.now() / 1000)
const accessToken = 'bench'.padEnd(40, 'x')

/** Numbers from 0 to 1, the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function insertAccounts(file: Database): void {
  const insert = file.prepare(
    `INSERT INTO users (username, display_name, password_hash, email, role, status, quota, created_time) VALUES (?, ?, '', ?, 1, 1, 0, ?)`,
  )
  for (let number = 1; number <= accounts; number++) insert.run(`user${number}`, `User ${number}`, `user${number}@example.com`, now)
}

/** A few accounts send most of what there is, as it goes; every second token has the usual name. */
function insertLogs(file: Database): void {
  const random = numbersFrom(7)
  const insert = file.prepare(
    `INSERT INTO logs (user_id, created_at, type, content, username, token_name, model_name, upstream_model, quota, prompt_tokens,
      completion_tokens, cached_tokens, channel_id, request_id, elapsed_ms, first_byte_ms, is_stream, attempts, end_reason, estimated)
    VALUES (?, ?, ?, '', ?, ?, ?, ?, 1200, 500, 300, 0, ?, ?, 900, 100, 1, 1, 'complete', 0)`,
  )
  for (let number = 0; number < rows; number++) {
    if (number % 10_000 === 0) file.run(number === 0 ? 'BEGIN' : 'COMMIT; BEGIN')
    const user = 2 + Math.floor(random() ** 4 * accounts)
    const model = `model-${Math.floor(random() ** 2 * models)}`
    const token = user % 2 === 0 ? 'default' : `key ${user % 997}`
    const at = now - spanSeconds + Math.floor((number / rows) * spanSeconds)
    const channel = 1 + Math.floor(random() * channels)
    insert.run(user, at, number % 500 === 0 ? 3 : 2, `user${user - 1}`, token, model, model, channel, `req_${number}`)
  }
  file.run('COMMIT')
}

/** What the server would add up by itself in steps, in a few statements. */
function addUp(file: Database): void {
  const sums = `COUNT(*), 0, SUM(quota), SUM(prompt_tokens), SUM(completion_tokens), SUM(elapsed_ms)`
  const hour = 'created_at - created_at % 3600'
  file.run(`INSERT INTO usage_hours SELECT ${hour}, user_id, username, token_name, model_name, channel_id, ${sums} FROM logs WHERE type = 2
    GROUP BY 1, 2, 3, 4, 5, 6`)
  const scopes = { all: `''`, model: 'model_name', channel: 'CAST(channel_id AS TEXT)', token: 'token_name' }
  const added = ['requests', 'failures', 'quota', 'prompt_tokens', 'completion_tokens', 'elapsed_ms'].map((count) => `SUM(${count})`)
  for (const [scope, name] of Object.entries(scopes))
    file.run(`INSERT INTO usage_sums SELECT '${scope}', ${name}, hour, ${added} FROM usage_hours GROUP BY 2, 3`)
  file.run(`INSERT OR REPLACE INTO log_marks (name, value) SELECT 'rolled-up', MAX(id) FROM logs`)
}

/** Fills a database that the server has made. */
function seed(dataDir: string): void {
  const file = new Database(join(dataDir, 'sluice.db'))
  for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'cache_size = -1000000', 'temp_store = MEMORY'])
    file.run(`PRAGMA ${pragma}`)
  file.run('BEGIN')
  insertAccounts(file)
  file.run('COMMIT')
  // Indexes are made when the rows are there, which takes a tenth of the time.
  const indexes = file
    .query<{ name: string; sql: string }, []>(`SELECT name, sql FROM sqlite_master WHERE tbl_name = 'logs' AND sql LIKE 'create index%'`)
    .all()
  for (const { name } of indexes) file.run(`DROP INDEX ${name}`)
  insertLogs(file)
  for (const { sql } of indexes) file.run(sql)
  addUp(file)
  file.run('PRAGMA journal_mode = WAL')
  file.close()
}

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
const series = (wish: string): View => ({ name: `series ${wish}`, path: `/api/log/series?${wish}`, maxMs: 500 })

const oldDay = `start_timestamp=${now - 60 * day}&end_timestamp=${now - 59 * day}`
const month = `bucket=day&start_timestamp=${now - 30 * day}`
const views: readonly View[] = [
  ...['', 'type=3', 'type=1', 'username=user5', 'username=nobody', 'token_name=default', 'token_name=nothing', 'token_name=key%205'].map(
    list,
  ),
  ...['model_name=model-3', 'model_name=none', 'channel=7', 'channel=999', oldDay, `username=user5&${oldDay}`, 'p=1000'].map(list),
  ...['model_name=model-3&channel=7', 'username=user5&model_name=model-3', 'token_name=default&model_name=none'].map(list),
  ...['', 'username=user5', 'token_name=default', 'model_name=model-3', 'channel=7', oldDay].map(stat),
  ...['', 'group=model', 'group=channel', 'group=user', 'group=token', 'username=user5'].map(series),
  ...['', '&group=model', '&group=channel', '&group=user', '&group=token', '&group=model&username=user5'].map((wish) =>
    series(month + wish),
  ),
  { name: 'search of the log', path: '/api/log/search?keyword=nothing', maxMs: 200 },
  { name: 'accounts by balance', path: '/api/user/?order=quota', maxMs: 200 },
  { name: 'search of accounts', path: '/api/user/search?keyword=nobody', maxMs: 200 },
]

/** Milliseconds of one call, and what the server said where it refused. */
async function ask({ path }: View): Promise<{ readonly ms: number; readonly refusal: string }> {
  const startedMs = performance.now()
  const answer = await fetch(`http://127.0.0.1:${ports.gateway}${path}`, { headers: { authorization: accessToken } })
  // Holds: the management API answers in its envelope.
  const { success, message } = (await answer.json()) as { success: boolean; message: string }
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

/** The relay's latency at a steady rate, alone and while administrators look at everything again and again. */
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

export async function benchConsole(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const upstream = await start('rig', [join(import.meta.dir, 'upstream.ts'), String(ports.upstream), '10'])
  const startGateway = () => start('measured', [join(import.meta.dir, '../apps/server/src/main.ts')], gatewayEnv(dataDir, accessToken))
  const empty = await startGateway()
  const token = await prepareGateway(accessToken)
  await stop(empty)
  const startedMs = performance.now()
  seed(dataDir)
  const seconds = (performance.now() - startedMs) / 1000
  console.log(`${rows.toLocaleString('en')} rows of the log, ${accounts.toLocaleString('en')} accounts; made in ${seconds.toFixed(0)} s`)
  const gateway = await startGateway()
  try {
    await untilAtRest(gateway.pid)
    await printViews()
    await printRelay({ name: 'gateway', port: ports.gateway, pid: gateway.pid, token })
  } finally {
    await Promise.all([gateway, upstream].map(stop))
    rmSync(dataDir, { recursive: true, force: true })
  }
}
