import type { PlainReply } from '@sluice/http1/reply'
import { AppError } from '../lib/app-error.ts'
import type { Bill, Billing } from './bill.ts'
import type { Call } from './call.ts'
import { firstAnswer } from './first-answer.ts'
import type { Parts } from './relay.ts'
import type { WatchedRequest } from './relay-deps.ts'
import { streamReply, wholeReply } from './replies.ts'
import type { Turn } from './routing.ts'

interface Run {
  readonly incoming: WatchedRequest
  readonly parts: Parts
  readonly turn: Turn
}

/** Tries channels until one begins its answer; what remains of it is sent and settled afterwards. @throws AppError */
export async function beginReply(call: Call, bill: Bill, { incoming, parts, turn }: Run): Promise<PlainReply> {
  const done = parts.running.begin(() => call.cancel?.('shut_down'))
  const leave = bill.pass.stay()
  try {
    const answer = await firstAnswer(call, bill, { parts, turn })
    bill.firstByteAtMs = parts.clock.monotonicMs()
    parts.watch.answering(bill.sight, answer.kind === 'stream')
    if (answer.kind === 'stream') return streamReply(answer, bill, { incoming, parts, turn })
    turn.end()
    await parts.billing.settle(bill, {
      reason: 'complete',
      usage: answer.usage,
      text: answer.text,
      keptAs: answer.keptAs,
      items: answer.items,
    })
    return wholeReply(answer, bill)
  } catch (error) {
    turn.end()
    await release(bill, call, { error, billing: parts.billing })
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
