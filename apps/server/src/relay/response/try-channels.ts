import type { Clock } from '../../lib/clock.ts'
import type { FlatCharge } from '../billing/billing.ts'
import { noteFailure } from '../billing/failed-attempts.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import type { Channel } from '../model/channel.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { RequestHash } from '../routing/model-health.ts'
import type { Failover } from '../routing/routing.ts'

/** The result of one attempt. */
export type Tried<AttemptResponse> =
  | { readonly response: AttemptResponse }
  | {
      readonly failed: AttemptFailure
      readonly address: string
      /** The hash of the request; called only if the request may be the cause of the failure. */
      readonly hash: () => RequestHash
    }

interface TryDeps {
  readonly failover: Failover
  readonly telemetry: Pick<Telemetry, 'trying'>
  readonly clock: Pick<Clock, 'monotonicMs'>
}

/**
 * The only loop over channels: tries them until one responds, or until no further one may be tried (`null`). Nothing was sent to the client
 * yet, so a retry is possible.
 */
export async function tryChannels<AttemptResponse>(
  charge: FlatCharge,
  { failover, telemetry, clock }: TryDeps,
  attempt: (channel: Channel) => Promise<Tried<AttemptResponse>>,
): Promise<AttemptResponse | null> {
  for (let channel = failover.next(); channel !== null; channel = failover.next()) {
    charge.channel = channel
    charge.attempts += 1
    charge.attemptStartedMs = clock.monotonicMs()
    telemetry.trying(charge.span, channel)
    const tried = await attempt(channel)
    if ('response' in tried) {
      failover.served()
      return tried.response
    }
    if (tried.failed.by !== 'form' && tried.failed.spent !== undefined) charge.spent = tried.failed.spent
    noteFailure(charge, tried.failed, { channel, address: tried.address, endedMs: clock.monotonicMs() })
    if (!failover.failed(tried.failed, tried.hash)) break
  }
  return null
}
