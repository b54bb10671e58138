import type { PlainReply } from '@sluice/http1/reply'
import { AppError } from '../lib/app-error.ts'
import { whenAborted } from '../lib/when-aborted.ts'
import type { Answer, EndReason } from './answer.ts'
import type { Bill } from './bill.ts'
import type { Waiting } from './early-reply.ts'
import { openAiError, relayHeaders } from './error-reply.ts'
import { noteBrokenStream } from './failed-attempts.ts'
import { eventFrame, heartbeat } from './frames.ts'
import type { KindRules } from './kinds/kind-rules.ts'
import type { Parts } from './relay.ts'
import type { WatchedRequest } from './relay-deps.ts'
import type { Turn } from './routing.ts'
import { runStream } from './stream-body.ts'
import { chatStreamError } from './stream-views.ts'
import { limitsFor } from './waits.ts'
import { failureWithoutSecrets } from './without-secrets.ts'

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
  { incoming, parts, turn }: { readonly incoming: WatchedRequest; readonly parts: Parts; readonly turn: Turn },
): PlainReply {
  const { deadlines, limits, ledger, billing, running } = parts
  const { budget } = bill
  ledger.follow(bill.hold, () => billing.soFar(bill, budget.used))
  const done = running.begin(() => stream.cut())
  const leave = bill.pass.stay()
  const conclude: Parameters<typeof runStream>[0]['conclude'] = (end) => {
    turn.over(end)
    if (bill.channel !== null && brokenEnds.has(end.reason)) {
      noteBrokenStream(bill, end, { channel: bill.channel, address: bill.address })
      parts.tellFailures(bill.requestId, end.reason, bill.failures)
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
  { incoming, parts, rules }: { readonly incoming: WatchedRequest; readonly parts: Parts; readonly rules: KindRules },
): Waiting {
  const { streamError = chatStreamError } = rules
  const { request, requestId } = incoming
  return {
    reply,
    deadlines: parts.deadlines,
    heartbeatMs: parts.limits.heartbeatMs,
    headers() {
      parts.watch.waiting(bill.sight)
      return { ...relayHeaders(requestId, bill.attempts), ...eventFrame.headers }
    },
    beat: heartbeat,
    errorEvent(error) {
      const known = error instanceof AppError ? error : new AppError('internal_error', { cause: error })
      parts.tellFailure(known, requestId)
      return streamError(openAiError(known, requestId, request.headers.get('accept-language')), 0)
    },
  }
}
