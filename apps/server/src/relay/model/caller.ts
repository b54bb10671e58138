import type { Ceiling } from '../../ledger/ledger.ts'

/** Who sends a request: a token and the account it belongs to. */
export interface Caller {
  readonly tokenId: number
  readonly tokenName: string
  readonly userId: number
  readonly username: string
  /** In the order in which they set the price. */
  readonly groups: readonly string[]
  /** `null` = every model. */
  readonly models: ReadonlySet<string> | null
  /** The channel that an administrator wants and no other, as it was written; `null` = whichever serves. */
  readonly pin: string | null
  /** `null` = the token has no limits of its own: the usual case. */
  readonly limits: TokenLimits | null
}

/** What the owner of a token lets it do at most. 0 = as much as it likes. */
export interface TokenLimits {
  readonly requestsPerMinute: number
  /** LLM tokens, prompt and answer. */
  readonly tokensPerMinute: number
  readonly requestsAtOnce: number
  /** Days and months of UTC. */
  readonly quotaPerDay: number
  readonly quotaPerMonth: number
}

/** One request that was let in, as its token's limits see it. */
export interface Permit {
  /** Up to what the token may spend, for the ledger; `null` = its quota alone counts. */
  readonly ceiling: Ceiling | null
  /** Counts the prompt by estimate as soon as it is known. */
  expect(promptTokens: number): void
  /** Counts what it really was, in place of the estimate. */
  spend(llmTokens: number): void
  /** Holds the request's place among those at once until the returned function is called, which may be called again. It is free when nobody holds it. */
  acquire(): () => void
}
