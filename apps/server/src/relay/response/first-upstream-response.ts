import type { Charge } from '../billing/billing.ts'
import type { Call } from '../model/call.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { AttemptResponse } from '../model/upstream-response.ts'
import { requestHash } from '../routing/request-hash.ts'
import type { Failover } from '../routing/routing.ts'
import { attemptKind, type KindAttemptDeps } from '../upstream/attempt-kind.ts'
import { tryChannels } from './try-channels.ts'

export interface FirstResponseDeps extends KindAttemptDeps {
  readonly telemetry: Pick<Telemetry, 'trying' | 'tried'>
}

/** Tries channels until one responds. `null`: none did. */
export function firstResponse(
  call: Call,
  charge: Charge,
  { deps, failover }: { readonly deps: FirstResponseDeps; readonly failover: Failover },
): Promise<AttemptResponse | null> {
  return tryChannels(charge, { failover, telemetry: deps.telemetry, clock: deps.clock }, async (channel) => {
    const resendsBefore = call.resends
    call.rewrites = []
    const tried = await attemptKind(call, channel, deps)
    charge.attempts += call.resends - resendsBefore
    charge.address = call.address
    charge.rewrites = call.rewrites
    deps.telemetry.tried(charge.span, tried)
    return tried.isOk ? { response: tried.response } : { failed: tried.failed, address: call.address, hash: () => requestHash(call) }
  })
}
