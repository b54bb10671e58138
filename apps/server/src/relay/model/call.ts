import type { JsonObject } from '@sluice/vendors/core/json'
import type { Rewrite } from '@sluice/vendors/core/rewrites'
import type { Multipart } from './form.ts'
import type { KindRules } from './kind-rules.ts'
import type { RequestParams } from './request-params.ts'

/** A request to be sent to a vendor. */
export interface Call {
  readonly requestId: string
  readonly rules: KindRules
  readonly params: RequestParams
  /** What the client sent. No reference to it may remain once a response has begun: a thousand long prompts would fill the memory. */
  readonly body: JsonObject
  /** The multipart form that the request came as; it is then sent instead of the body. */
  readonly form: Multipart | null
  /** Headers of the client that its kind passes on (`KindRules.clientHeaders`). */
  readonly clientHeaders?: Readonly<Record<string, string>> | undefined
  /** Ids of the servers that the request passed before this one; empty: none. */
  readonly hops: string
  /** Seconds since the epoch. */
  readonly created: number
  /** Whether the request may be sent again if it is not known whether the vendor received it. */
  readonly isRepeatable: boolean
  /** How much output the response may have; missing: the request is free. */
  readonly budget?: OutputAllowance
  /** Called when a response has begun to arrive. */
  readonly progressed?: () => void
  /** The address of the last attempt. */
  address: string
  /** What was changed in the request of the last attempt. */
  rewrites: readonly Rewrite[]
  /** Cancels the running attempt. */
  cancel: ((reason: CancelReason) => void) | null
  /** How often the request was resent because the vendor had just closed a kept-alive connection. */
  resends: number
  /** The client disconnected: no further attempt is made. */
  isClientGone: boolean
}

/** What no attempt has set yet. */
export const notAttempted: Pick<Call, 'address' | 'rewrites' | 'cancel' | 'resends' | 'isClientGone'> = {
  address: '',
  rewrites: [],
  cancel: null,
  resends: 0,
  isClientGone: false,
}

/** How much a response may write, as far as attempts need to know it. */
export interface OutputAllowance {
  /** `null`: the client set a limit, or output is free. */
  readonly ownLimit: OwnLimit | null
  /** Searches by the vendor that the balance covers; `undefined`: any number, or they are free. */
  readonly searchesMax: number | undefined
  /** The vendor is sent this limit, for all choices together (`null`: none). `false`: the balance does not cover it. */
  extendHold(limit: number | null): boolean
}

/** What bounds a response whose client set no limit, in output tokens. */
export interface OwnLimit {
  /** What the model can write; `null`: that is not known, and the balance covers much more than what is assumed. */
  readonly outputMax: number | null
  /** What the balance covers. */
  readonly affordable: number
}

/** Why we cancelled an attempt. */
export type CancelReason = 'client_gone' | 'timed_out' | 'not_wanted' | 'shut_down'
