import type { PlainReply } from '@sluice/http1/reply'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Running } from '../../lib/running.ts'
import type { Charge } from '../billing/billing.ts'
import { releaseUnanswered } from '../billing/open-charge.ts'
import type { Call } from '../model/call.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { Failover } from '../routing/routing.ts'
import { type FirstAnswerDeps, firstAnswer } from './first-upstream-response.ts'
import { type ReplyDeps, streamReply, wholeReply } from './responses.ts'

export interface BeginReplyDeps extends FirstAnswerDeps, ReplyDeps {
  readonly limits: ReplyDeps['limits']
  readonly clock: Clock
  readonly running: Running
  readonly telemetry: Telemetry
}

interface Run {
  readonly incoming: RelayRequest
  readonly deps: BeginReplyDeps
  readonly failover: Failover
  /** Called when the answer has begun, or there is none. */
  readonly ended: () => void
}

/** Tries channels until one begins its answer; the rest of the answer is sent and settled later. @throws AppError */
export async function beginReply(call: Call, charge: Charge, { incoming, deps, failover, ended }: Run): Promise<PlainReply> {
  const done = deps.running.begin(() => call.cancel?.('shut_down'))
  const release = charge.permit.acquire()
  try {
    const answer = await firstAnswer(call, charge, { deps, failover })
    if (answer === null) {
      deps.running.assertAccepting()
      throw failover.error()
    }
    charge.firstByteAtMs = deps.clock.monotonicMs()
    deps.telemetry.answering(charge.span, answer.kind === 'stream')
    if (answer.kind === 'stream') return streamReply(answer, charge, { incoming, deps, failover })
    failover.end()
    await deps.billing.settle(charge, {
      reason: 'complete',
      usage: answer.usage,
      isPartial: answer.isPartial,
      text: answer.text,
      isTextCut: answer.isTextCut,
      storedId: answer.storedId,
      items: answer.items,
    })
    return wholeReply(answer, charge)
  } catch (error) {
    failover.end()
    if (charge.spent !== undefined) await deps.billing.settle(charge, { reason: 'failed', ...charge.spent })
    else await releaseUnanswered(deps.billing, charge, { error, isClientGone: call.isClientGone })
    throw error instanceof AppError ? error.after(charge.attempts, charge.failures) : error
  } finally {
    release()
    done()
    ended()
  }
}
