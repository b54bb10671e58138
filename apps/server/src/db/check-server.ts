import type { SQL } from 'bun'
import type { Clock } from '../lib/clock.ts'
import { openPool } from './postgres-pool.ts'

/** What a server of PostgreSQL says of itself. */
interface ServerFacts {
  readonly version: number
  readonly encoding: string
  readonly now_ms: number
  readonly connections_max: number
  readonly connections_used: number
}

/** The oldest version with all that is used: snapshots and transaction ids of 64 bits. */
const versionMin = 13
/** Tokens, sessions and quotas of a day end by the clocks of the nodes, which must therefore agree. */
const clockMaxMs = 30_000
/** Connections without which nothing works: the ledger's, the heartbeat's, the hints', migrations and two for queries. */
const connectionsMin = 6
const statementMs = 5_000
const closeSeconds = 1
/** How often two connections are compared: a pooler may give them different sessions once. */
const comparisons = 3

/** @throws Error that says why this process cannot work with the server */
export async function checkServer(url: string, clock: Pick<Clock, 'nowMs'>): Promise<void> {
  const pools = [1, 2].map(() => openPool(url, { max: 1, name: 'sluice start', statementMs }))
  try {
    const [first, second] = pools
    if (first === undefined || second === undefined) return
    const problem = problemOf(await readFacts(first), clock.nowMs()) ?? (await poolerProblem(first, second))
    if (problem !== null) throw new Error(problem)
  } catch (error) {
    throw isAtLimit(error) ? new Error(atLimit, { cause: error }) : error
  } finally {
    await Promise.all(pools.map((pool) => pool.close({ timeout: closeSeconds })))
  }
}

const atLimit =
  'it is at its limit of connections: raise max_connections (or the limit of the role or the database), or end other connections'

/** Whether the server refused a connection because there are too many. */
function isAtLimit(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && error.errno === '53300'
}

async function readFacts(pool: SQL): Promise<ServerFacts> {
  // Without prepared statements, which a pooler would refuse in its own words.
  const [row] = await pool
    .unsafe<Record<keyof ServerFacts, string>[]>(
      `SELECT current_setting('server_version_num')::int / 10000 AS version, current_setting('server_encoding') AS encoding,
      (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text AS now_ms,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections_max,
      (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections_used`,
    )
    .simple()
  const number = (name: keyof ServerFacts): number => Number(row?.[name])
  return {
    version: number('version'),
    encoding: row?.encoding ?? '',
    now_ms: number('now_ms'),
    connections_max: number('connections_max'),
    connections_used: number('connections_used'),
  }
}

function problemOf({ version, encoding, now_ms, connections_max, connections_used }: ServerFacts, nowMs: number): string | null {
  if (version < versionMin) return `it is PostgreSQL ${version}, and version ${versionMin} or a later one is needed`
  if (encoding !== 'UTF8') return `its encoding is ${encoding}, and UTF8 is needed: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0`
  const seconds = Math.round(Math.abs(nowMs - now_ms) / 1000)
  const side = nowMs < now_ms ? 'behind' : 'ahead of'
  if (seconds * 1000 > clockMaxMs)
    return `the clock of this machine is ${seconds} seconds ${side} that of the database: set the wrong one right`
  const free = connections_max - connections_used
  // The connections of this check are among the used ones.
  return free + 2 < connectionsMin ? `${atLimit}; ${connections_used} of ${connections_max} are in use` : null
}

/** Two connections that are open at once belong to two sessions, unless a pooler lends a session for each transaction. */
async function poolerProblem(first: SQL, second: SQL): Promise<string | null> {
  const sessionOf = async (pool: SQL): Promise<unknown> =>
    (await pool.unsafe<{ pid: number }[]>('SELECT pg_backend_pid() AS pid').simple())[0]?.pid
  for (let times = 0; times < comparisons; times++) {
    if ((await sessionOf(first)) === (await sessionOf(second)))
      return 'the address leads to a pooler in transaction mode, which loses locks and settings of a session: connect to PostgreSQL itself, or to a pooler in session mode'
  }
  return null
}
