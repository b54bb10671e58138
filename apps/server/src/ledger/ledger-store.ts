import type { Operation } from './commit.ts'
import type { TokenQuota } from './ledger.ts'

/** What one user and one token have, as committed; `null` = no such row. */
export interface StoredQuota {
  readonly balance: number | null
  readonly limit: TokenQuota | null
}

export interface Batch {
  readonly operations: readonly Operation[]
  readonly nowSeconds: number
  /** Called with, for each operation, whether it did something: `false` where it had been done before. No read falls between. */
  readonly apply: (results: readonly boolean[]) => void
}

export type StoreTrouble = 'database_unavailable' | 'storage_full'

/** The ledger's own door to the store. Batches and reads come one after another. */
export interface LedgerStore {
  /** Why nothing new is to be promised; `null` = what is asked for now will be written soon. */
  trouble(): StoreTrouble | null
  /** Called whenever the store cannot be written any more. What waits for it is written when it can. */
  onLost(react: () => void): void
  /** Batches that wait for a store which is away fail. */
  giveUp(): void
  /** Writes a batch as one transaction. */
  commit(batch: Batch): Promise<void>
  /** Reads, and passes on what was read before anything else is committed. */
  read(ids: { readonly userId: number; readonly tokenId: number }, keep: (found: StoredQuota) => void): Promise<void>
}
