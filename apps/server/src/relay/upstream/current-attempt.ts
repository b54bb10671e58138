import type { ByteBudget } from '@sluice/http1/byte-budget'
import type { Dialect } from '@sluice/vendors/core/dialect'
import type { Failure } from '@sluice/vendors/core/failure'
import type { JsonObject } from '@sluice/vendors/core/json'
import type { Outgoing } from '@sluice/vendors/core/request'
import type { RequestRule } from '@sluice/vendors/core/request-rule'
import type { ResponseContext } from '@sluice/vendors/core/response'
import type { Clock } from '../../lib/clock.ts'
import type { Deadlines } from '../../lib/deadlines.ts'
import type { LargeJson } from '../../lib/large-json.ts'
import type { Spent, TransportCode } from '../model/attempt-failure.ts'
import type { Call, CancelReason } from '../model/call.ts'
import type { Channel } from '../model/channel.ts'
import type { RelayLimits } from '../model/limits.ts'
import type { Attempt, AudioLength } from '../model/upstream-response.ts'
import type { Credentials } from './credentials.ts'
import type { UpstreamClient } from './http1/client.ts'
import type { Timeouts } from './timeouts.ts'

export interface AttemptDeps {
  /** Sent in the place of the call's own body. */
  readonly body?: JsonObject
  /** What was refused in the call's own body. */
  readonly refusal?: Failure
  /** What the channel's model was found not to take. */
  readonly rules?: readonly RequestRule[]
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly limits: RelayLimits
  readonly client: UpstreamClient
  readonly responses: ByteBudget
  readonly imageBytes: ByteBudget
  readonly largeJson: LargeJson
  readonly audioLength: (type: string) => AudioLength
  readonly credentials: Credentials
  /** Memory for the long messages of all connections. */
  readonly longMessages: ByteBudget
}

/** The state of one attempt at one channel. */
export interface Try {
  readonly call: Call
  readonly channel: Channel
  readonly dialect: Dialect
  readonly context: ResponseContext
  /** See `Outgoing`. */
  readonly schemaInPrompt: JsonObject | undefined
  readonly upstreamKind: Outgoing['upstreamKind']
  readonly deps: AttemptDeps
  readonly timeouts: Timeouts
  readonly abort: (reason: CancelReason) => void
  /** Called for every sign of life from the vendor. */
  readonly alive: () => void
}

export const failed = (code: TransportCode, cause?: unknown): Attempt => ({ isOk: false, failed: { by: 'transport', code, cause } })

/** The vendor made a response that cannot be sent, because of limits of ours. */
export const beyondLimits = (code: TransportCode, spent: Spent, cause?: unknown): Attempt => ({
  isOk: false,
  failed: { by: 'transport', code, cause: cause ?? new Error('the response exceeds the limits of parsing'), spent },
})

export const unread: Spent = { usage: null, text: '', isUnread: true }
