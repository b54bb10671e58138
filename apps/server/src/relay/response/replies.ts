import type { PlainReply } from '@sluice/http1/reply'
import type { Ledger } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Deadlines } from '../../lib/deadlines.ts'
import type { Running } from '../../lib/running.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { Bill, Billing } from '../billing/bill.ts'
import type { FailedAttempt } from '../billing/failed-attempts.ts'
import { noteBrokenStream } from '../billing/failed-attempts.ts'
import type { Answer, EndReason } from '../model/answer.ts'
import type { WatchedRequest } from '../model/incoming.ts'
import type { KindRules } from '../model/kind-rules.ts'
import type { RelayLimits } from '../model/limits.ts'
import type { Watch } from '../model/watch.ts'
import type { Turn } from '../routing/routing.ts'
import { limitsFor } from '../upstream/waits.ts'
import { openAiError, relayHeaders } from '../wire/error-reply.ts'
import { eventFrame, heartbeat } from '../wire/frames.ts'
import { chatStreamError } from '../wire/stream-views.ts'
import { failureWithoutSecrets } from '../wire/without-secrets.ts'
import type { Waiting } from './early-reply.ts'
import { runStream } from './stream-body.ts'

export interface ReplyDeps {
  readonly deadlines: Deadlines
  readonly limits: RelayLimits
  readonly ledger: Pick<Ledger, 'follow'>
  readonly billing: Billing
  readonly running: Pick<Running, 'begin'>
  readonly watch: Pick<Watch, 'waiting'>
  /** Writes to the server's log why attempts failed. */
  readonly tellFailures: (requestId: string, code: string, failures: readonly FailedAttempt[]) => void
  /** Tells the log of a request that failed. */
  readonly tellFailure: (error: AppError, requestId: string) => void
}

/** The channel is why the stream did not come to its end. */
const brokenEnds: ReadonlySet<EndReason> = new Set(['upstream_cut', 'timed_out', 'too_long'])

/** An answer that came whole. */
export function wholeReply({ body, contentType }: Extract<Answer, { kind: 'whole' }>, bill: Bill): PlainReply {
  return { status: 200, headers: { ...relayHeaders(bill.requestId, bill.attempts), 'content-type': contentType }, body }
}

/** A stream that has begun: it is settled, and everything that it keeps is given back, when it ends. */
export function streamReply(
  answer: Extract<Answer, { kind: 'stream' }>,
  bill: Bill,
  { incoming, deps, turn }: { readonly incoming: WatchedRequest; readonly deps: ReplyDeps; readonly turn: Turn },
): PlainReply {
  const { deadlines, limits, ledger, billing, running } = deps
  const { budget } = bill
  ledger.follow(bill.hold, () => billing.soFar(bill, budget.used))
  const done = running.begin(() => stream.cut())
  const leave = bill.pass.stay()
  const conclude: Parameters<typeof runStream>[0]['conclude'] = (end) => {
    turn.over(end)
    if (bill.channel !== null && brokenEnds.has(end.reason)) {
      noteBrokenStream(bill, end, { channel: bill.channel, address: bill.address })
      deps.tellFailures(bill.requestId, end.reason, bill.failures)
    }
    return billing.settle(bill, end).finally(done).finally(leave)
  }
  const stream = runStream({
    answer,
    budget,
    countTokens: (text) => billing.countTokens(text, bill.wanted.model),
    requestId: bill.requestId,
    deadlines,
    limits: limitsFor(bill.channel, limits),
    clean: (failure) => (bill.channel === null ? failure : failureWithoutSecrets(failure, bill.channel)),
    conclude,
  })
  whenAborted(incoming.request.signal, () => stream.leave())
  const headers = { ...relayHeaders(bill.requestId, bill.attempts), ...answer.frame.headers }
  return { status: 200, headers, body: (out) => stream.start(out) }
}

/** How a client waits for a reply that is a stream. */
export function waitFor(
  reply: Promise<PlainReply>,
  bill: Bill,
  { incoming, deps, rules }: { readonly incoming: WatchedRequest; readonly deps: ReplyDeps; readonly rules: KindRules },
): Waiting {
  const { streamError = chatStreamError } = rules
  const { request, requestId } = incoming
  return {
    reply,
    deadlines: deps.deadlines,
    heartbeatMs: deps.limits.heartbeatMs,
    headers() {
      deps.watch.waiting(bill.sight)
      return { ...relayHeaders(requestId, bill.attempts), ...eventFrame.headers }
    },
    beat: heartbeat,
    errorEvent(error) {
      const known = error instanceof AppError ? error : new AppError('internal_error', { cause: error })
      deps.tellFailure(known, requestId)
      return streamError(openAiError(known, requestId, request.headers.get('accept-language')), 0)
    },
  }
}
