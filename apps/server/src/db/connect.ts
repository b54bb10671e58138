import type { Database as SqliteFile } from 'bun:sqlite'
import type { Kysely } from 'kysely'
import type { DiskReserve } from './disk-reserve.ts'
import type { LedgerConnection } from './ledger-connection.ts'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>

interface AnyStore {
  /** Queries of the management API and of reads. */
  readonly db: Db
  /**
   * For reads that may take long: lists, searches, sums. They hold up neither requests nor writes, have a limit of time, and see what was
   * committed before they began.
   */
  readonly reads: Db
  /** Resolves once all that was committed before the call is on the disk itself, so that it survives a power failure. */
  durable(): Promise<void>
  close(): Promise<void>
}

/** One statement or transaction at a time. */
export interface SqliteStore extends AnyStore {
  readonly engine: 'sqlite'
  /**
   * Runs `work` alone on the connection, between `BEGIN IMMEDIATE` and `COMMIT`; an error rolls back. `committed` is called with what it
   * gave before anything else happens on the connection. For the ledger.
   */
  batch<Result>(work: (file: SqliteFile) => Result, committed: (result: Result) => void): Promise<void>
  /** Whether the disk has stopped to answer. */
  isStuck(): boolean
  /** Room on the disk for when it is full; `null` = there is none. */
  readonly reserve: DiskReserve | null
}

export interface PostgresStore extends AnyStore {
  readonly engine: 'postgres'
  /** The ledger's own connection. */
  readonly line: LedgerConnection
}

/** An open store. */
export type Store = SqliteStore | PostgresStore
