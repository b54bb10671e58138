import type { PlainReply } from '@sluice/http1/reply'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Running } from '../../lib/running.ts'
import type { Bill, Billing } from '../billing/bill.ts'
import type { Call } from '../model/call.ts'
import type { WatchedRequest } from '../model/incoming.ts'
import type { Watch } from '../model/watch.ts'
import type { Turn } from '../routing/routing.ts'
import { type FirstAnswerDeps, firstAnswer } from './first-answer.ts'
import { type ReplyDeps, streamReply, wholeReply } from './replies.ts'

export interface BeginReplyDeps extends FirstAnswerDeps, ReplyDeps {
  readonly limits: ReplyDeps['limits']
  readonly clock: Clock
  readonly running: Running
  readonly watch: Watch
}

interface Run {
  readonly incoming: WatchedRequest
  readonly deps: BeginReplyDeps
  readonly turn: Turn
}

/** Tries channels until one begins its answer; what remains of it is sent and settled afterwards. @throws AppError */
export async function beginReply(call: Call, bill: Bill, { incoming, deps, turn }: Run): Promise<PlainReply> {
  const done = deps.running.begin(() => call.cancel?.('shut_down'))
  const leave = bill.pass.stay()
  try {
    const answer = await firstAnswer(call, bill, { deps, turn })
    bill.firstByteAtMs = deps.clock.monotonicMs()
    deps.watch.answering(bill.sight, answer.kind === 'stream')
    if (answer.kind === 'stream') return streamReply(answer, bill, { incoming, deps, turn })
    turn.end()
    await deps.billing.settle(bill, {
      reason: 'complete',
      usage: answer.usage,
      text: answer.text,
      keptAs: answer.keptAs,
      items: answer.items,
    })
    return wholeReply(answer, bill)
  } catch (error) {
    turn.end()
    await release(bill, call, { error, billing: deps.billing })
    throw error instanceof AppError ? error.after(bill.attempts, bill.failures) : error
  } finally {
    leave()
    done()
  }
}

/** Ends a request that brought no answer: nobody pays, and its log row says why. */
function release(
  bill: Bill,
  { isClientGone }: Call,
  { error, billing }: { readonly error: unknown; readonly billing: Billing },
): Promise<void> {
  if (isClientGone) return billing.release(bill, 'client_gone', 'the client left')
  return billing.release(bill, 'failed', error instanceof AppError ? error.code : 'internal_error')
}
