import type { Generated } from 'kysely'

/** The counter-account of ledger entries, with its balance. Changed only in `ledger/`. */
interface LedgerAccountTable {
  /** The name in entries, such as `sys:consume`. */
  name: string
  balance: number
}

interface LedgerTable {
  id: Generated<number>
  /** consume, grant, admin, redeem, top-up, expire, import */
  kind: string
  /** The request id, redemption id or the like. A kind and ref have at most one entry, ever. */
  ref: string
  user_id: number
  /** The token that spent and the channel that responded; 0 if the entry is not a request. */
  token_id: Generated<number>
  channel_id: Generated<number>
  /** The counter-account that gives or takes the same amount. */
  account: string
  /** What the user's balance gains; negative for spending. */
  amount: number
  created_at: number
}

/** An end of a reservation that the store refused. Until it is retried or resolved its reservation stays. */
export interface SetAsideTable {
  id: Generated<number>
  /** Of the reservation. */
  request_id: string
  user_id: number
  token_id: number
  kind: 'settle' | 'release'
  /** What it was to charge, and what was reserved. */
  amount: number
  held: number
  /** `public_id` of the task that it ends; empty: a request. */
  task_id: string
  /** JSON in ASCII; empty: it was too large to keep. */
  operation: string
  error_code: string
  error_message: string
  /** How often the store has refused it. */
  tries: Generated<number>
  created_at: number
  state: Generated<'open' | 'retried' | 'resolved'>
  /** What a command wants a server to do with it; empty: nothing. */
  decision: Generated<'' | 'retry' | 'resolve'>
  /** What was charged in the end; with a decision, what is to be charged. */
  charged: Generated<number>
  /** The user who did it; 0: the operator's command. */
  resolved_by: Generated<number>
  resolved_at: Generated<number>
  remark: Generated<string>
}

/** The tables of the ledger besides reservations. */
export interface LedgerTables {
  ledger: LedgerTable
  ledger_accounts: LedgerAccountTable
  ledger_set_aside: SetAsideTable
}
