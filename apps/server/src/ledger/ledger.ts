import type { LogEntry } from './log-entry.ts'

/** What a request reserves before it is sent upstream. */
export interface HoldRequest {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
  /** Quota, a whole number >= 0. */
  readonly amount: number
  readonly modelName: string
}

/** A reservation. It resolves exactly once: settled or released (or expired, when the process died before either). */
export interface Hold {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
}

/** How a request ended. */
export interface Settlement {
  /** What the request costs: a whole number >= 0. May exceed the hold by the last extension; the excess is charged all the same. */
  readonly amount: number
  /** Channel that answered; its used quota grows by the amount. */
  readonly channelId: number
  /** The row for the usage log; `null` where logging of usage is switched off. */
  readonly log: LogEntry | null
}

/** A change of a balance that is not a request: a grant, an edit by an administrator, a redeemed code. */
export interface Posting {
  readonly userId: number
  readonly kind: 'grant' | 'admin' | 'redeem'
  /** What it is for. A second posting of the same kind and ref changes nothing. */
  readonly ref: string
  /** Quota gained; negative = lost. */
  readonly amount: number
}

/** The only place where balances change. One process owns it; decisions are made in memory, commits are batched. */
export interface Ledger {
  /**
   * Reserves quota of the user and of the token. Resolves when the reservation is committed.
   * @throws AppError insufficient_user_quota, insufficient_token_quota
   */
  hold(request: HoldRequest): Promise<Hold>
  /** Reserves more for a running answer, in memory. `false`: the balance does not have it. */
  extend(hold: Hold, amount: number): boolean
  /** Charges and writes the log row. Resolves when committed: only then may the client see the end of its answer. */
  settle(hold: Hold, settlement: Settlement): Promise<void>
  /** Gives the reservation back without a charge. */
  release(hold: Hold, log: LogEntry | null): Promise<void>
  /** Resolves when it is on the disk. `false`: this kind and ref had been posted before. */
  post(posting: Posting): Promise<boolean>
  /** Sets what a token may still spend, in order with the charges that run beside it. Resolves when committed. */
  setTokenQuota(tokenId: number, quota: { readonly remain: number; readonly isUnlimited: boolean }): Promise<void>
  /** Writes a log row that is no request. Resolves when committed. */
  writeLog(log: LogEntry): Promise<void>
  /** Resolves when nothing is waiting to be committed. */
  drain(): Promise<void>
}
