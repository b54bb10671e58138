import type { JsonObject } from '@sluice/vendors/json'
import type { Multipart } from './form.ts'
import type { KindRules } from './kind-rules.ts'
import type { RequestParams } from './request-params.ts'

/** A request on its way upstream. */
export interface Call {
  readonly requestId: string
  readonly rules: KindRules
  readonly params: RequestParams
  /** What the client sent. Nothing keeps it once an answer has begun: a thousand long prompts would fill the memory. */
  readonly body: JsonObject
  /** The form with files that it came in, which then goes upstream in place of the body. */
  readonly form: Multipart | null
  /** The servers that it has passed before this one; empty = none. */
  readonly hops: string
  /** Seconds since the epoch. */
  readonly created: number
  /** Whether a vendor may see it twice where it cannot be known that it has seen it at all. */
  readonly isRepeatable: boolean
  /** What its answer may write; missing: nobody pays. */
  readonly budget?: OutputAllowance
  /** Where the last attempt went. */
  address: string
  /** Cancels the attempt that runs now. */
  cancel: ((reason: CancelReason) => void) | null
  /** How often a vendor was sent it once more, because it had closed a kept connection just then. */
  resends: number
  /** Set once the client has gone: nothing more is tried. */
  isClientGone: boolean
}

/** How much an answer may write, as far as the channels that are tried need to know. */
export interface OutputAllowance {
  /** The limit that a vendor is told where the client named none; `null`: the client named one, or output costs nothing. */
  readonly ownLimit: number | null
  /** What is reserved is less than what the model can write. */
  readonly isTight: boolean
  /** The vendor is told this limit, for all answers together; `null`: it takes none. `false`: the balance does not have what it allows. */
  extendHold(limit: number | null): boolean
}

/** Why we stopped an attempt ourselves. */
export type CancelReason = 'client_gone' | 'timed_out' | 'not_wanted' | 'shut_down'
