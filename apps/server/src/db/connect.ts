import type { Database as SqliteFile } from 'bun:sqlite'
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>

/** An open store. */
export interface Store {
  /** Queries of the management API and of reads; one statement or transaction at a time. */
  readonly db: Db
  /** Runs `work` alone on the connection, between `BEGIN IMMEDIATE` and `COMMIT`; an error rolls back. For the ledger. */
  batch<Result>(work: (file: SqliteFile) => Result): Promise<Result>
  /** Resolves once all that was committed before the call is on the disk itself, so that it survives a power failure. */
  durable(): Promise<void>
  close(): Promise<void>
}
