import type { Freed } from './quota-rules.ts'

/** `task_id` of a reservation that is kept for what was set aside, if it is not a task's: a start and a sweep leave it alone. */
export const setAsideHold = 'set-aside'

/** The end of a reservation that the store refused. Its row keeps it, and the reservation stays, until somebody retries or resolves it. */
export interface SetAside {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
  readonly kind: 'settle' | 'release'
  /** What it was to charge. */
  readonly amount: number
  /** What was reserved. */
  readonly held: number
  /** `public_id`; empty: a request. */
  readonly taskId: string
  /** JSON in ASCII; empty: too large to keep. */
  readonly operation: string
  readonly errorCode: string
  readonly errorMessage: string
  /** Whether this process had the reservation. If not, it is set aside only if the store still has the reservation. */
  readonly isOwned: boolean
  /** What the reservation's row keeps from leases of all nodes. */
  readonly kept: Freed
  /** The part of it that leaves the leases of this node. */
  readonly freed: Freed
}
