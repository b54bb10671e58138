import type { ReservedSQL } from 'bun'
import type { Clock } from '../lib/clock.ts'
import { explainDatabase } from './explain-database.ts'
import { openPool } from './postgres-pool.ts'
import { ledgerSettings, querySettings, readSettings, type SessionSettings } from './session-settings.ts'

/** What a server of PostgreSQL says of itself. */
interface ServerFacts {
  readonly version: number
  readonly encoding: string
  readonly now_ms: number
  /** 1 = a standby. */
  readonly is_standby: number
  /** Empty = none. */
  readonly schema: string
  readonly search_path: string
  readonly role: string
}

/** The oldest version with all that is used: snapshots and transaction ids of 64 bits. */
const versionMin = 13
/** Tokens, sessions and quotas of a day end by the clocks of the nodes, which must therefore agree. */
const clockMaxMs = 30_000
/** Connections without which nothing works: the ledger's, the heartbeat's, the hints', migrations and two for queries. */
const connectionsMin = 6
/** Longest wait for sessions, and for everything that is done with them. */
const waitMs = 10_000
const closeSeconds = 1
/** How often two connections are compared: a pooler may give them different sessions once. */
const comparisons = 3

/** @throws Error that says why this process cannot work with the server, and what to do */
export async function checkServer(url: string, clock: Pick<Clock, 'nowMs'>): Promise<void> {
  await explained(url, async () => {
    await comparing(url)
    // As many sessions as the server needs: it would fail in the middle of its start for want of one.
    const others = Array.from({ length: connectionsMin - 2 }, () => querySettings)
    await withSessions(url, [ledgerSettings, readSettings, ...others], async ([ledger, reads]) => {
      if (ledger === undefined || reads === undefined) return
      assertNone(problemOf(await readFacts(ledger), clock.nowMs()))
      assertNone((await lostSetting(ledger, ledgerSettings)) ?? (await lostSetting(reads, readSettings)))
    })
  })
}

/** What a command needs to know before it makes settings of a session. @throws Error that says why no session can be used */
export async function checkSessions(url: string): Promise<void> {
  await explained(url, () => comparing(url))
}

async function explained(url: string, work: () => Promise<void>): Promise<void> {
  await work().catch(async (cause: unknown) => {
    throw await explainDatabase(url, cause)
  })
}

/** Nothing is set here: through a pooler in transaction mode it would be set for others. */
const comparing = (url: string): Promise<void> =>
  withSessions(url, [null, null], async ([first, second]) => {
    if (first !== undefined && second !== undefined) assertNone(await poolerProblem(first, second))
  })

function assertNone(problem: string | null): void {
  if (problem !== null) throw new Error(problem)
}

/** Opens a session with each of these settings for as long as the work takes. */
async function withSessions(
  url: string,
  settings: readonly (SessionSettings | null)[],
  work: (lines: readonly ReservedSQL[]) => Promise<void>,
): Promise<void> {
  const pools = settings.map((one) => openPool(url, { max: 1, name: 'sluice start', settings: one }))
  const lines: ReservedSQL[] = []
  // A pooler without a free session takes a connection and lets its first statement wait.
  const timer = setTimeout(() => void Promise.all(lines.map((line) => line.close())).catch(() => {}), waitMs)
  try {
    for (const pool of pools) lines.push(await pool.reserve({ signal: AbortSignal.timeout(waitMs) }))
    await work(lines)
    for (const line of lines) await line.release()
  } finally {
    clearTimeout(timer)
    await Promise.all(pools.map((pool) => pool.close({ timeout: closeSeconds })))
  }
}

async function readFacts(line: ReservedSQL): Promise<ServerFacts> {
  const [row] = await line.unsafe<Record<keyof ServerFacts, string>[]>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding,
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text AS now_ms,
      pg_is_in_recovery()::int AS is_standby, coalesce(current_schema(), '') AS schema, current_setting('search_path') AS search_path,
      quote_ident(current_user) AS role`,
  )
  const number = (name: keyof ServerFacts): number => Number(row?.[name])
  return {
    version: number('version'),
    encoding: row?.encoding ?? '',
    now_ms: number('now_ms'),
    is_standby: number('is_standby'),
    schema: row?.schema ?? '',
    search_path: row?.search_path ?? '',
    role: row?.role ?? '',
  }
}

function problemOf(facts: ServerFacts, nowMs: number): string | null {
  const { version, encoding, is_standby, schema, search_path, role } = facts
  if (version < versionMin) return `it is PostgreSQL ${version}, and version ${versionMin} or later is required`
  if (encoding !== 'UTF8')
    return `its encoding is ${encoding}, and UTF8 is required: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0`
  if (is_standby === 1) return 'it is a standby, which is read-only: point DATABASE_URL to the primary'
  if (schema === '')
    return `no schema of its search path (${search_path}) exists for the role ${role}: CREATE SCHEMA sluice AUTHORIZATION ${role}, and add ?schema=sluice to DATABASE_URL`
  return clockProblem(facts, nowMs)
}

function clockProblem({ now_ms }: ServerFacts, nowMs: number): string | null {
  const seconds = Math.round(Math.abs(nowMs - now_ms) / 1000)
  const side = nowMs < now_ms ? 'behind' : 'ahead of'
  return seconds * 1000 > clockMaxMs
    ? `the clock of this machine is ${seconds} seconds ${side} that of the database: correct the wrong one, and use NTP on both`
    : null
}

/** Two connections that are open at once belong to two sessions that stay theirs, unless a pooler lends a session for each transaction. */
async function poolerProblem(first: ReservedSQL, second: ReservedSQL): Promise<string | null> {
  // Without prepared statements, which a pooler would refuse in its own words.
  const sessionOf = async (line: ReservedSQL): Promise<unknown> =>
    (await line.unsafe<{ pid: number }[]>('SELECT pg_backend_pid() AS pid').simple())[0]?.pid
  const own = await sessionOf(first)
  for (let times = 0; times < comparisons; times++) {
    if ((await sessionOf(second)) === own || (await sessionOf(first)) !== own)
      return 'the address points to a pooler in transaction mode, which loses the locks, notifications and settings of a session: connect to PostgreSQL itself, or to a pooler in session mode (pool_mode = session)'
  }
  return null
}

/** A setting that the session does not have, although the server has taken it; `null` = none. */
async function lostSetting(line: ReservedSQL, settings: SessionSettings): Promise<string | null> {
  const list = JSON.stringify(Object.entries(settings))
  const [row] = await line.unsafe<{ lost: string | null }[]>(
    `WITH expected AS (SELECT setting ->> 0 AS name, setting ->> 1 AS value FROM jsonb_array_elements($1::text::jsonb) AS setting),
      before AS MATERIALIZED (SELECT name, value, current_setting(name) AS current FROM expected),
      after AS MATERIALIZED (SELECT name, current, set_config(name, value, true) AS meant FROM before)
    SELECT string_agg(format('%s is %s instead of %s', name, current, meant), ', ') AS lost FROM after WHERE current <> meant`,
    [list],
  )
  const lost = row?.lost ?? null
  return lost === null ? null : `session settings have no effect (${lost}): a pooler in between may drop them`
}
