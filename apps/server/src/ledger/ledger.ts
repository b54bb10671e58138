import type { LogEntry } from './log-entry.ts'

/** What a request reserves before it is sent upstream. */
export interface HoldRequest {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
  /** Quota, a whole number >= 0. */
  readonly amount: number
  /** Where the balance does not have the amount, it is enough to reserve what there is, if it is at least this. Missing: the amount or nothing. */
  readonly least?: number
  readonly modelName: string
  /** `null`: what the token may spend in all is its only limit. */
  readonly ceiling?: Ceiling | null
}

/** A limit of a token for a while: how much it may have spent in all, ever, when the request is over. */
export interface Ceiling {
  readonly usedMax: number
  /** What to tell the client where it would be more. */
  readonly refusal: () => Error
}

/** A reservation. It resolves exactly once: settled or released (or expired, when the process died before either). */
export interface Hold {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
  /** What was reserved at first. */
  readonly amount: number
}

/** What a running answer has delivered so far, and what that costs: charged when the process dies before the answer is settled. */
export interface Progress {
  readonly amount: number
  readonly channelId: number
  readonly promptTokens: number
  readonly completionTokens: number
}

/** How a request ended. */
export interface Settlement {
  /** What is charged: a whole number >= 0. May exceed the hold; see `payable`. */
  readonly amount: number
  /** Channel that answered; its used quota grows by the amount. */
  readonly channelId: number
  /** The row for the usage log; `null` where logging of usage is switched off. */
  readonly log: LogEntry | null
}

/** A change of a balance that is not a request: a grant, an edit by an administrator, a redeemed code, a balance from elsewhere. */
export interface Posting {
  readonly userId: number
  readonly kind: 'grant' | 'admin' | 'redeem' | 'top-up' | 'import'
  /** What it is for. A second posting of the same kind and ref changes nothing. */
  readonly ref: string
  /** Quota gained; negative = lost. */
  readonly amount: number
  /** The row that tells of it, written in the same transaction and, like the posting, once. */
  readonly log?: LogEntry
}

/** A balance before and after a change. */
export interface Moved {
  readonly from: number
  readonly to: number
}

/** A change of a balance that a person decides on, looking at what it is. */
export interface Adjustment {
  readonly userId: number
  readonly kind: 'admin' | 'top-up'
  readonly ref: string
  /** Quota gained at this balance; negative = lost, 0 = nothing to change. Called once, in order with everything that spends. */
  readonly amountAt: (balance: number) => number
  readonly log: (moved: Moved) => LogEntry
}

/** What a token may spend, as decided so far. */
export interface TokenQuota {
  readonly remain: number
  readonly isUnlimited: boolean
  /** All that it has spent. */
  readonly used: number
  /** What the caller keeps beside the amount, in the same transaction. */
  readonly forms: string
}

export type NewTokenQuota = Omit<TokenQuota, 'used'>

/** The only place where balances change. One process owns it; decisions are made in memory, commits are batched. */
export interface Ledger {
  /** Whether it can take requests: its store is there, and no batch has ever failed. */
  isReady(): boolean
  /**
   * Reserves quota of the user and of the token. Resolves when the reservation is committed.
   * @throws AppError insufficient_user_quota, insufficient_token_quota, or the refusal of the ceiling
   */
  hold(request: HoldRequest): Promise<Hold>
  /** Reserves more for a running answer, in memory. `false`: the balance does not have it. */
  extend(hold: Hold, amount: number): boolean
  /** How much of this cost the reservation and the rest of the balance can pay. */
  payable(hold: Hold, cost: number): number
  /** What is reserved by now, with all extensions. */
  heldFor(hold: Hold): number
  /** Asks a running answer now and then how far it is and notes it at the reservation, until that is resolved. */
  follow(hold: Hold, progress: () => Progress): void
  /** Charges and writes the log row. Resolves when committed: only then may the client see the end of its answer. */
  settle(hold: Hold, settlement: Settlement): Promise<void>
  /** Gives the reservation back without a charge. */
  release(hold: Hold, log: LogEntry | null): Promise<void>
  /** Resolves when it is on the disk. `false`: this kind and ref had been posted before. */
  post(posting: Posting): Promise<boolean>
  /**
   * Changes a balance by what `amountAt` makes of it. Resolves when it is on the disk.
   * @throws AppError not_found, quota_too_large
   */
  adjust(adjustment: Adjustment): Promise<Moved>
  /**
   * Sets what a token may still spend, in order with the charges that run beside it. `change` is called once. Resolves when committed.
   * @throws AppError not_found, quota_too_large
   */
  setTokenQuota(tokenId: number, change: (now: TokenQuota) => NewTokenQuota): Promise<void>
  /** What an account has by everything that was decided so far; `null` = nothing of it is in memory. */
  balanceOf(userId: number): number | null
  /** Reservations that are neither settled nor released. */
  openHolds(): number
  /** Writes a log row that is no request. Resolves when committed. */
  writeLog(log: LogEntry): Promise<void>
  /** Resolves when nothing is waiting to be committed. */
  drain(): Promise<void>
}
