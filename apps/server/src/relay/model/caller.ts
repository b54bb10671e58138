import type { Ceiling } from '../../ledger/ledger.ts'

/** Who reads tasks and responses of an account: a token, which may not see all of them. */
export interface Viewer {
  readonly userId: number
  readonly tokenId: number
  /** `null`: every model. */
  readonly models: ReadonlySet<string> | null
  /** It sees only what it created itself. */
  readonly seesOwnOnly: boolean
}

/** The token that sends a request, and its account. */
export interface Caller extends Viewer {
  readonly tokenName: string
  readonly username: string
  /** Groups in the order in which they set the price. */
  readonly groups: readonly string[]
  /** The channel that an administrator's key names, as it was written; `null`: any channel. */
  readonly pin: string | null
  /** `null`: the token has no limits of its own, which is the usual case. */
  readonly limits: TokenLimits | null
}

/** The limits that the owner set for a token. 0: no limit. */
export interface TokenLimits {
  readonly requestsPerMinute: number
  /** LLM tokens of prompts and completions. */
  readonly tokensPerMinute: number
  readonly requestsAtOnce: number
  /** Periods are days and months of UTC. */
  readonly quotaPerDay: number
  readonly quotaPerMonth: number
}

/** What remains of a token's limit. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** Seconds until nothing counts against the limit if nothing more is sent. */
  readonly resetSeconds: number
}

/** The limits of a token by the minute; `null`: there is none. */
export interface Rates {
  readonly requests: Rate | null
  readonly llmTokens: Rate | null
}

/** One admitted request, as its token's limits count it. */
export interface Permit {
  /** The most that the token may spend, for the ledger; `null`: only its quota counts. */
  readonly ceiling: Ceiling | null
  /** Counts the estimated prompt tokens as soon as they are known. */
  expect(promptTokens: number): void
  /** Replaces the estimate by the actual tokens. */
  spend(llmTokens: number): void
  /** Takes one of the token's places until the function returned is called (again: no effect). All holders must release it. */
  acquire(): () => void
}
