import type { Database as SqliteFile } from 'bun:sqlite'
import type { Kysely } from 'kysely'
import type { DiskReserve } from './disk-reserve.ts'
import type { LedgerConnection } from './ledger-connection.ts'
import type { Node } from './node.ts'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>

interface AnyStore {
  /** For the queries of the management API. */
  readonly db: Db
  /**
   * For slow reads: lists, searches, sums. They delay neither requests nor writes, have a time limit, and see what was committed before
   * they began.
   */
  readonly reads: Db
  /** This process among those that share the database. */
  readonly node: Node
  /** Resolves when everything that was committed before the call is synced to the disk, so that it survives a power failure. */
  durable(): Promise<void>
  close(): Promise<void>
}

/** One statement or transaction at a time. */
export interface SqliteStore extends AnyStore {
  readonly engine: 'sqlite'
  /**
   * Runs `work` alone on the connection, between `BEGIN IMMEDIATE` and `COMMIT`; an error rolls back. `committed` is called with its
   * result before the next statement runs on the connection. For the ledger.
   * @throws an error that `isBusy` recognizes while another process holds the write lock
   */
  batch<Result>(work: (file: SqliteFile) => Result, committed: (result: Result) => void): Promise<void>
  /** Reads on the connection without the write lock, and calls `keep` with the result before the next statement runs on it. For the ledger. */
  read<Result>(work: (file: SqliteFile) => Result, keep: (result: Result) => void): Promise<void>
  /** Whether nothing can be written now: a sync hangs, or another process holds the write lock. */
  isStuck(): boolean
  /** Disk space to free when the disk is full; `null` = none is reserved. */
  readonly reserve: DiskReserve | null
}

export interface PostgresStore extends AnyStore {
  readonly engine: 'postgres'
  /** The ledger's own connection. */
  readonly line: LedgerConnection
  /**
   * Calls `onNotify` at every notification on the channel, and after each break, when some may have been missed. A hint only: whoever needs
   * every message looks at intervals too.
   */
  listen(channel: string, onNotify: () => void): Promise<void>
}

/** An open store. */
export type Store = SqliteStore | PostgresStore
