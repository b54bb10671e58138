import type { Answer } from './answer.ts'
import type { Bill } from './bill.ts'
import type { Call } from './call.ts'
import { noteFailure } from './failed-attempts.ts'
import { attemptKind } from './lacking.ts'
import type { Parts } from './relay.ts'
import { requestHash } from './request-hash.ts'
import type { Turn } from './routing.ts'

/** The only loop over channels. Nothing has reached the client yet, so another one may be tried. @throws AppError */
export async function firstAnswer(
  call: Call,
  bill: Bill,
  { parts, turn }: { readonly parts: Parts; readonly turn: Turn },
): Promise<Answer> {
  for (let channel = turn.next(); channel !== null; channel = turn.next()) {
    bill.channel = channel
    bill.attempts += 1
    parts.watch.trying(bill.sight, channel)
    const resendsBefore = call.resends
    const tried = await attemptKind(call, channel, parts)
    bill.attempts += call.resends - resendsBefore
    parts.watch.tried(bill.sight, tried)
    bill.address = call.address
    if (tried.isOk) {
      turn.answered()
      return tried.answer
    }
    noteFailure(bill, tried.failed, { channel, address: call.address })
    if (!turn.failed(tried.failed, () => requestHash(call))) break
  }
  parts.running.needUncut()
  throw turn.error()
}
