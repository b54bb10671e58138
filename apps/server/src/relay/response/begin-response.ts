import type { PlainResponse } from '@sluice/http1/response'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Running } from '../../lib/running.ts'
import type { Charge } from '../billing/billing.ts'
import { releaseUnserved } from '../billing/open-charge.ts'
import type { Call } from '../model/call.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { Failover } from '../routing/routing.ts'
import { type FirstResponseDeps, firstResponse } from './first-upstream-response.ts'
import { type ResponseDeps, streamResponse, wholeResponse } from './responses.ts'

export interface BeginResponseDeps extends FirstResponseDeps, ResponseDeps {
  readonly limits: ResponseDeps['limits']
  readonly clock: Clock
  readonly running: Running
  readonly telemetry: Telemetry
}

interface Run {
  readonly incoming: RelayRequest
  readonly deps: BeginResponseDeps
  readonly failover: Failover
  /** Called when the response has begun, or there is none. */
  readonly ended: () => void
}

/** Tries channels until one begins its response; the rest of the response is sent and settled later. @throws AppError */
export async function beginResponse(call: Call, charge: Charge, { incoming, deps, failover, ended }: Run): Promise<PlainResponse> {
  const done = deps.running.begin(() => call.cancel?.('shut_down'))
  const release = charge.permit.acquire()
  try {
    const response = await firstResponse(call, charge, { deps, failover })
    if (response === null) {
      deps.running.assertAccepting()
      throw failover.error()
    }
    charge.firstByteAtMs = deps.clock.monotonicMs()
    deps.telemetry.responding(charge.span, response.kind === 'stream')
    if (response.kind === 'stream') return streamResponse(response, charge, { incoming, deps, failover })
    failover.end()
    await deps.billing.settle(charge, {
      reason: 'complete',
      usage: response.usage,
      isPartial: response.isPartial,
      text: response.text,
      isTextCut: response.isTextCut,
      storedId: response.storedId,
      items: response.items,
    })
    return wholeResponse(response, charge)
  } catch (error) {
    failover.end()
    if (charge.spent !== undefined) await deps.billing.settle(charge, { reason: 'failed', ...charge.spent })
    else await releaseUnserved(deps.billing, charge, { error, isClientGone: call.isClientGone })
    throw error instanceof AppError ? error.after(charge.attempts, charge.failures) : error
  } finally {
    release()
    done()
    ended()
  }
}
