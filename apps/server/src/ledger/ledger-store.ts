import type { LeaseResult, Operation } from './commit.ts'
import type { TokenQuota } from './ledger.ts'
import type { OpenHold } from './open-hold.ts'
import type { Payer } from './quota-rules.ts'

/** Committed amounts of one user and one token; `null`: no such row. */
export interface StoredQuota {
  readonly balance: number | null
  readonly limit: TokenQuota | null
}

export interface Batch {
  readonly operations: readonly Operation[]
  readonly nowSeconds: number
  /** Called with one result per operation: `false` if it had been done before. No read runs between the commit and this call. */
  readonly apply: (results: readonly boolean[], leases: readonly LeaseResult[]) => void
}

export type StoreTrouble = 'database_unavailable' | 'storage_full'

/** What a store shared by several nodes can do besides. */
export interface SharedStore {
  /** Number of this start of the node. */
  readonly epoch: number
  /** Running nodes, this one included. */
  nodes(): number
  /**
   * Locks an account or a token, decides by its amounts, and writes the operation as a batch of its own. The leases of all nodes are recalled
   * in the same transaction, so that they read the new amounts.
   */
  decide(payer: Payer & { readonly nowSeconds: number }, operationFor: (now: StoredQuota) => Operation | null): Promise<void>
  /** Accounts and tokens of which other nodes requested this one to give back what it does not use. */
  recalled(): Promise<readonly Payer[]>
  /** Reservations of nodes that are not running any more. */
  readLeft(): Promise<readonly OpenHold[]>
  /** Gives back the leases of nodes that are not running any more and have no reservations left. */
  closeLeases(): Promise<void>
}

/** The ledger's interface to its store. Batches and reads run one after another. */
export interface LedgerStore {
  /** `null`: this process owns every balance. */
  readonly shared: SharedStore | null
  /** Why no new reservations may be made; `null`: new operations will be written soon. */
  trouble(): StoreTrouble | null
  /** Called whenever the store becomes unwritable. Waiting operations are written when it is back. */
  onLost(react: () => void): void
  /** Fails the batches that wait for an unavailable store. */
  giveUp(): void
  /** Writes a batch as one transaction; one without operations shows whether the store can be written at all. */
  commit(batch: Batch): Promise<void>
  /** Whether a failed commit may be the fault of an operation, so that the others of the batch can be committed without it. */
  isRefusal(error: unknown): boolean
  /** Reads, and calls `keep` with the result before the next commit. */
  read(ids: { readonly userId: number; readonly tokenId: number }, keep: (quota: StoredQuota) => void): Promise<void>
}
