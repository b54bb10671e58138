import type { Running } from '../../lib/running.ts'
import type { Bill } from '../billing/bill.ts'
import { noteFailure } from '../billing/failed-attempts.ts'
import type { Answer } from '../model/answer.ts'
import type { Call } from '../model/call.ts'
import type { Watch } from '../model/watch.ts'
import { requestHash } from '../routing/request-hash.ts'
import type { Turn } from '../routing/routing.ts'
import { attemptKind, type KindAttemptDeps } from '../upstream/lacking.ts'

export interface FirstAnswerDeps extends KindAttemptDeps {
  readonly running: Pick<Running, 'needUncut'>
  readonly watch: Pick<Watch, 'trying' | 'tried'>
}

/** The only loop over channels. Nothing has reached the client yet, so another one may be tried. @throws AppError */
export async function firstAnswer(
  call: Call,
  bill: Bill,
  { deps, turn }: { readonly deps: FirstAnswerDeps; readonly turn: Turn },
): Promise<Answer> {
  for (let channel = turn.next(); channel !== null; channel = turn.next()) {
    bill.channel = channel
    bill.attempts += 1
    deps.watch.trying(bill.sight, channel)
    const resendsBefore = call.resends
    const tried = await attemptKind(call, channel, deps)
    bill.attempts += call.resends - resendsBefore
    deps.watch.tried(bill.sight, tried)
    bill.address = call.address
    if (tried.isOk) {
      turn.answered()
      return tried.answer
    }
    noteFailure(bill, tried.failed, { channel, address: call.address })
    if (!turn.failed(tried.failed, () => requestHash(call))) break
  }
  deps.running.needUncut()
  throw turn.error()
}
