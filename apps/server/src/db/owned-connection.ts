import type { ReservedSQL } from 'bun'
import type { Reached } from '../lib/failpoints.ts'
import { lockKey, nodeLockKey } from './installation-keys.ts'
import { type NodeInfo, processInfo } from './node.ts'
import { addNode, endNode, fencedText, findNode } from './node-rows.ts'
import { openPool } from './postgres-pool.ts'
import { ledgerSettings } from './session-settings.ts'

/** What this node holds in memory is out of date, so it must end. The message says why. */
export class FencedError extends Error {}

/** The server stopped while its database could not be reached. */
class ReconnectAbortedError extends Error {}

/** Whether a transaction failed because this process may not write any more, whatever is in it. */
export const isGivenUp = (error: unknown): boolean => error instanceof FencedError || error instanceof ReconnectAbortedError

/** Such as a standby that was behind when it took over: its books lack what this node was granted or has charged since. */
const lostCommits = 'the database has lost transactions that it had committed'
/** Why a node without a live row ends. */
export const declaredDead = 'this node was declared dead by another one that shares its database'

/** A transaction of one statement. */
export interface Statement {
  /** Parts of a WITH clause that write. */
  readonly parts: string
  /** SQL expression over the parts, of type text. Stored with the transaction's number, so that it survives a broken connection. */
  readonly response: string
  /** Parameters of the parts. */
  readonly parameters: readonly unknown[]
}

interface Transaction {
  readonly number: number
  readonly response: string
}

/**
 * The one connection of this process that may write balances. It holds a lock: a command that needs the database alone keeps out all others, a
 * server keeps out such commands and another server of its own name. The database stores the number of the last transaction, which shows
 * whether one whose response was lost was committed.
 */
export interface OwnedConnection {
  /** Number of this start. */
  readonly epoch: number
  isUp(): boolean
  /** The connection; reconnects without a time limit if it was lost. @throws FencedError, and an error after `giveUp` */
  get(): Promise<ReservedSQL>
  /** The last transaction; found again on each new connection. */
  last(): Transaction
  note(done: Transaction): void
  /** The statement as the transaction of this number; it fails when this node was declared dead. */
  fenced(statement: Statement, number: number): readonly [text: string, parameters: readonly unknown[]]
  /** Drops a connection that does not respond. */
  drop(): Promise<void>
  /** Ends all waiting for a lost connection. */
  giveUp(): void
  close(): Promise<void>
}

/** Callbacks and sizes of an open store. */
export interface StoreEvents {
  /** For the log. */
  readonly report: (what: string, error: unknown) => void
  /** Called at steps at which a test may make it fail. */
  readonly reached?: Reached
  readonly node?: NodeInfo
  /** Whether other nodes may use the database at the same time. PostgreSQL only. */
  readonly isShared?: boolean
  /** Size of the file that is deleted when the disk is full; 0 = none. SQLite only. */
  readonly reserveBytes?: number
  /** Pages of the write-ahead log beyond which writers wait until it can restart. SQLite only. */
  readonly walPagesMax?: number
}

/** Longest wait for a connection and its lock. */
const connectMs = 10_000
/** Longest wait for a response; a server that does not respond for this long counts as unreachable. */
const responseMs = 10_000
/** Tries of a start to get the lock: PostgreSQL frees the lock of a killed process once it notices the lost connection. */
const startTries = 15
/** Longest wait for running queries when the server stops. */
const closeSeconds = 1
const pausesMs = [100, 200, 500, 1_000] as const

interface OwnerOptions extends StoreEvents {
  readonly onLost: () => void
  /** Called once, before this process becomes a node. */
  readonly prepare: () => Promise<void>
}

export async function openOwnedConnection(
  url: string,
  { onLost, prepare, report, node = processInfo(), isShared = false }: OwnerOptions,
): Promise<OwnedConnection> {
  const name = `sluice ledger ${crypto.randomUUID()}`
  const pool = openPool(url, { max: 1, name, settings: ledgerSettings, onClose: () => lost() })
  let current: ReservedSQL | null = null
  let isWaiting = true
  let isClosed = false
  let last: Transaction = { number: 0, response: '' }

  function lost(): void {
    if (current === null || isClosed) return
    current = null
    onLost()
  }

  async function reserve(): Promise<ReservedSQL> {
    const line = await pool.reserve({ signal: AbortSignal.timeout(connectMs) })
    try {
      await lock(line, { name, nodeId: isShared ? node.id : null })
      return line
    } catch (error) {
      await line.close()
      throw error
    }
  }

  async function start(): Promise<number> {
    for (let tries = 1; ; tries++) {
      try {
        const line = await reserve()
        await prepare()
        const epoch = await addNode(line, node, isShared)
        current = line
        return epoch
      } catch (error) {
        if (tries === startTries || !(error instanceof LockedError)) throw error
        await pause(0)
      }
    }
  }

  const epoch = await start().catch(async (error: unknown) => {
    await pool.close({ timeout: closeSeconds })
    throw error
  })

  /** @throws FencedError, and an error if there is no response in time */
  async function findLast(line: ReservedSQL): Promise<Transaction> {
    const transaction = await inTime(line, () => findNode(line, { id: node.id, epoch }))
    if (transaction === null) throw new FencedError(declaredDead)
    if (transaction.number < last.number) throw new FencedError(lostCommits)
    return transaction
  }

  async function reconnect(tries: number): Promise<void> {
    try {
      const line = await reserve()
      last = await findLast(line).catch(async (error: unknown) => {
        await line.close().catch(() => {})
        throw error
      })
      current = line
      report('database connection restored', null)
    } catch (error) {
      if (error instanceof FencedError) throw error
      if (tries === 0) report('database connection lost: new requests are refused until it is restored', error)
      await pause(tries)
    }
  }

  return {
    epoch,
    isUp: () => current !== null,
    async get() {
      for (let tries = 0; current === null; tries++) {
        if (!isWaiting) throw new ReconnectAbortedError('the connection to the database was not back when the server stopped')
        await reconnect(tries)
      }
      return current
    },
    last: () => last,
    note(done) {
      last = done
    },
    fenced: (statement, number) => [fencedText(statement, statement.parameters.length), [...statement.parameters, number, epoch]],
    async drop() {
      const line = current
      lost()
      await line?.close().catch(() => {})
    },
    giveUp() {
      isWaiting = current !== null
    },
    async close() {
      isClosed = true
      isWaiting = false
      const line = current
      // Whoever comes too late gets an error instead of a closed connection.
      current = null
      if (line !== null) await endNode(line, epoch).catch(() => {})
      await line?.close()
      await pool.close({ timeout: closeSeconds })
    },
  }
}

/** Another session holds the lock, perhaps an earlier one of ours that PostgreSQL has not closed yet. */
class LockedError extends Error {}

/** A process that shares the database keeps out another one of its own name, and one that does not share. */
async function lock(line: ReservedSQL, { name, nodeId }: { readonly name: string; readonly nodeId: string | null }): Promise<void> {
  const owner = lockKey('owner')
  const isFree = await tryLock(line, nodeId === null ? `pg_try_advisory_lock(${owner})` : `pg_try_advisory_lock_shared(${owner})`)
  if (isFree && (nodeId === null || (await tryLock(line, `pg_try_advisory_lock(${nodeLockKey('$1::text')})`, [nodeId])))) return
  await line.unsafe('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()', [
    name,
  ])
  throw new LockedError(
    isFree
      ? `another server with the name ${nodeId} is using this database; stop it, or give this one another name (NODE_ID)`
      : 'another process is using this database (its lock is held); stop it first',
  )
}

async function tryLock(line: ReservedSQL, call: string, values: readonly unknown[] = []): Promise<boolean> {
  const [row] = await line.unsafe<{ held: boolean }[]>(`SELECT ${call} AS held`, [...values])
  return row?.held === true
}

/** Closes a connection that does not respond in time, which makes the work on it fail. */
export async function inTime<ApiResponse>(line: ReservedSQL, work: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const timer = setTimeout(() => void line.close().catch(() => {}), responseMs)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
  }
}

export function isFenced(error: unknown): boolean {
  return error instanceof Error && 'errno' in error && error.errno === '22012'
}

export async function pause(tries: number): Promise<void> {
  const delayMs = pausesMs[Math.min(tries, pausesMs.length - 1)]
  await new Promise((resolve) => setTimeout(resolve, delayMs))
}
