import type { Running } from '../../lib/running.ts'
import type { Charge } from '../billing/billing.ts'
import { noteFailure } from '../billing/failed-attempts.ts'
import type { Answer } from '../model/answer.ts'
import type { Call } from '../model/call.ts'
import type { Telemetry } from '../model/telemetry.ts'
import { requestHash } from '../routing/request-hash.ts'
import type { Failover } from '../routing/routing.ts'
import { attemptKind, type KindAttemptDeps } from '../upstream/attempt-kind.ts'

export interface FirstAnswerDeps extends KindAttemptDeps {
  readonly running: Pick<Running, 'needUncut'>
  readonly telemetry: Pick<Telemetry, 'trying' | 'tried'>
}

/** The only loop over channels. Nothing has reached the client yet, so another one may be tried. @throws AppError */
export async function firstAnswer(
  call: Call,
  charge: Charge,
  { deps, failover }: { readonly deps: FirstAnswerDeps; readonly failover: Failover },
): Promise<Answer> {
  for (let channel = failover.next(); channel !== null; channel = failover.next()) {
    charge.channel = channel
    charge.attempts += 1
    deps.telemetry.trying(charge.span, channel)
    const resendsBefore = call.resends
    const tried = await attemptKind(call, channel, deps)
    charge.attempts += call.resends - resendsBefore
    deps.telemetry.tried(charge.span, tried)
    charge.address = call.address
    if (tried.isOk) {
      failover.answered()
      return tried.answer
    }
    noteFailure(charge, tried.failed, { channel, address: call.address })
    if (!failover.failed(tried.failed, () => requestHash(call))) break
  }
  deps.running.needUncut()
  throw failover.error()
}
