import type { LogEntry } from './log-entry.ts'
import type { NewTask, TaskEnd } from './task-rows.ts'

/** What a request reserves before it is sent to a vendor. */
export interface HoldRequest {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
  /** Quota, an integer >= 0. */
  readonly amount: number
  /** The minimum to reserve if the balance is lower than the amount. Missing: the whole amount is required. */
  readonly least?: number
  readonly modelName: string
  /** `null`: only the token's total quota limits it. */
  readonly ceiling?: Ceiling | null
  /** The work that it pays for, if that outlives the process: its row is written with the reservation. */
  readonly task?: NewTask
  /** What a task's reservation takes of its token's lease. */
  readonly ofToken?: number
}

/** What a request needs of its account and its token. */
export type QuotaRequest = Pick<HoldRequest, 'userId' | 'tokenId' | 'amount' | 'least' | 'ceiling'>

/** A limit of a token for a period: its maximum total spending, ever, at the end of the request. */
export interface Ceiling {
  readonly usedMax: number
  /** The client's error if it would be exceeded. */
  readonly refusal: () => Error
}

/** A reservation. It resolves exactly once: settled, released, or expired if the process crashed before. That of a task outlives the process. */
export interface Hold {
  readonly requestId: string
  readonly userId: number
  readonly tokenId: number
  /** The initial amount. */
  readonly amount: number
}

/** What a running response has delivered and its cost: the charge if the process crashes before the settlement. */
export interface Progress {
  readonly amount: number
  readonly channelId: number
  readonly promptTokens: number
  readonly completionTokens: number
}

/** How a request ended. */
export interface Settlement {
  /** The charge, an integer >= 0. It may exceed the hold; see `payable`. */
  readonly amount: number
  /** The channel that responded; its used quota is increased by the amount. */
  readonly channelId: number
  /** The row of the usage log; `null` if usage logging is off. */
  readonly log: LogEntry | null
  /** How the task of the reservation ended: written in the same transaction. */
  readonly task?: TaskEnd
}

/** The end of a reservation that was set aside. A release has the amount 0. */
export interface AsideEnd {
  readonly kind: 'settle' | 'release'
  readonly hold: Hold
  readonly settlement: Settlement
}

/** How an operation that was set aside was ended. */
export interface Resolution {
  readonly id: number
  readonly state: 'retried' | 'resolved'
  readonly charged: number
  /** The user who did it; 0: the operator's command. */
  readonly by: number
  readonly remark: string
}

/** A balance change without a request: a grant, an administrator's edit, a redeemed code, an imported balance. */
export interface Posting {
  readonly userId: number
  readonly kind: 'grant' | 'admin' | 'redeem' | 'top-up' | 'import'
  /** The reason. A second posting with the same kind and ref has no effect. */
  readonly ref: string
  /** Quota gained; negative: lost. */
  readonly amount: number
  /** The log row, written in the same transaction and, like the posting, once. */
  readonly log?: LogEntry
}

/** A balance before and after a change. */
export interface Moved {
  readonly from: number
  readonly to: number
}

/** A balance change that depends on the current balance. */
export interface Adjustment {
  readonly userId: number
  readonly kind: 'admin' | 'top-up'
  readonly ref: string
  /** Quota gained, given the current balance; negative: lost, 0: unchanged. Called once, in order with all charges. */
  readonly amountAt: (balance: number) => number
  readonly log: (moved: Moved) => LogEntry
}

/** The quota of a token, including uncommitted decisions. */
export interface TokenQuota {
  readonly remain: number
  readonly isUnlimited: boolean
  /** Its total spending. */
  readonly used: number
  /** Data that the caller stores with the amount, in the same transaction. */
  readonly forms: string
}

export type NewTokenQuota = Omit<TokenQuota, 'used'>

/**
 * The only place where balances change. Decisions are made in memory, commits are batched. A process owns every balance, or, where several
 * share a database, a lease of it.
 */
export interface Ledger {
  /** Whether it accepts requests: its store is available, and no batch has ever failed. */
  isReady(): boolean
  /**
   * Reserves quota of the user and the token. Resolves when what it reserves is committed: the reservation, or the lease that it is in.
   * @throws AppError insufficient_user_quota, insufficient_token_quota, or the ceiling's refusal
   */
  hold(request: HoldRequest): Promise<Hold>
  /** Reserves at once what needs nothing of the store; `null` if it needs something and `hold` must be awaited. @throws AppError as `hold` */
  holdNow(request: Omit<HoldRequest, 'task'>): Hold | null
  /** Gets this process the quota that a request needs, as `hold` does, and reserves nothing. @throws AppError as `hold`, where it does not suffice */
  assertPayable(request: QuotaRequest): Promise<void>
  /** Extends the reservation of a running response, in memory. `false`: what this process has of the balance does not cover it; see `fund`. */
  extend(hold: Hold, amount: number): boolean
  /**
   * Gets this process quota to extend a reservation by an amount, where it shares a database with others. Afterwards `extend` and
   * `payable` decide by the whole balance.
   */
  fund(hold: Hold, amount: number): Promise<void>
  /** The part of the cost that the reservation and the rest of the balance cover. */
  payable(hold: Hold, cost: number): number
  /** The reserved amount with all extensions. */
  heldFor(hold: Hold): number
  /** What the reservation could grow to by the whole balance, as far as this process knows it: a forecast, and no promise. */
  affordable(hold: Hold): number
  /** Stores the progress of a running response with its reservation at an interval, until it is resolved. */
  follow(hold: Hold, progress: () => Progress): void
  /**
   * Charges and writes the log row. Resolves when committed: only then may the client get the end of its response. While a store of one
   * process cannot be written, it resolves after ten seconds, and the charge is committed as soon as the store can be written again.
   */
  settle(hold: Hold, settlement: Settlement): Promise<void>
  /** Ends the reservation without a charge. Resolves as `settle` does. */
  release(hold: Omit<Hold, 'amount'>, log: LogEntry | null, task?: TaskEnd): Promise<void>
  /**
   * Ends the reservation of what was set aside. `false`: it had ended before.
   * @throws AppError if the store refuses it again; database_unavailable on a timeout: it is still committed later
   */
  endSetAside(end: AsideEnd, resolution: Resolution): Promise<boolean>
  /** Resolves when on disk. `false`: this kind and ref had been posted before. */
  post(posting: Posting): Promise<boolean>
  /**
   * Changes a balance by the result of `amountAt`. Resolves when on disk.
   * @throws AppError not_found, quota_too_large
   */
  adjust(adjustment: Adjustment): Promise<Moved>
  /**
   * Sets the remaining quota of a token, in order with concurrent charges. `change` is called once. Resolves when committed.
   * @throws AppError not_found, quota_too_large
   */
  setTokenQuota(tokenId: number, change: (now: TokenQuota) => NewTokenQuota): Promise<void>
  /** The balance including uncommitted decisions; `null`: the account is not in memory. */
  balanceOf(userId: number): number | null
  /** Whether the store is broken, so that nothing is accepted any more and this process must end. */
  isBroken(): boolean
  /** Calls `react` once the store is broken. */
  onBroken(react: () => void): void
  /** Number of open reservations. */
  openHolds(): number
  /** Writes a log row without a request. Resolves when committed. */
  writeLog(log: LogEntry): Promise<void>
  /** Resolves when nothing waits to be committed. */
  drain(): Promise<void>
  /** Drains, and does nothing more by itself. */
  close(): Promise<void>
}
