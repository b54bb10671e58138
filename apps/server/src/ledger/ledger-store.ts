import type { Operation } from './commit.ts'
import type { TokenQuota } from './ledger.ts'

/** Committed amounts of one user and one token; `null`: no such row. */
export interface StoredQuota {
  readonly balance: number | null
  readonly limit: TokenQuota | null
}

export interface Batch {
  readonly operations: readonly Operation[]
  readonly nowSeconds: number
  /** Called with one result per operation: `false` if it had been done before. No read runs between the commit and this call. */
  readonly apply: (results: readonly boolean[]) => void
}

export type StoreTrouble = 'database_unavailable' | 'storage_full'

/** The ledger's interface to its store. Batches and reads run one after another. */
export interface LedgerStore {
  /** Why no new reservations may be made; `null`: new operations will be written soon. */
  trouble(): StoreTrouble | null
  /** Called whenever the store becomes unwritable. Waiting operations are written when it is back. */
  onLost(react: () => void): void
  /** Fails the batches that wait for an unavailable store. */
  giveUp(): void
  /** Writes a batch as one transaction. */
  commit(batch: Batch): Promise<void>
  /** Reads, and calls `keep` with the result before the next commit. */
  read(ids: { readonly userId: number; readonly tokenId: number }, keep: (found: StoredQuota) => void): Promise<void>
}
