import type { PlainResponse } from '@sluice/http1/response'
import type { Ledger } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Deadlines } from '../../lib/deadlines.ts'
import type { Running } from '../../lib/running.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { Billing, Charge } from '../billing/billing.ts'
import type { FailedAttempt } from '../billing/failed-attempts.ts'
import { noteBrokenStream } from '../billing/failed-attempts.ts'
import { mayWorkUnseen } from '../billing/hidden-work.ts'
import type { RelayRequest } from '../model/incoming.ts'
import type { KindRules } from '../model/kind-rules.ts'
import type { RelayLimits } from '../model/limits.ts'
import type { Telemetry } from '../model/telemetry.ts'
import type { AttemptResponse, EndReason } from '../model/upstream-response.ts'
import type { Failover } from '../routing/routing.ts'
import { limitsFor } from '../upstream/timeouts.ts'
import { channelFailure } from '../wire/channel-failure.ts'
import { clientError, relayHeaders } from '../wire/error-response.ts'
import { openAiProtocol } from '../wire/protocols/open-ai.ts'
import type { Waiting } from './response-or-heartbeats.ts'
import { runStream } from './stream-body.ts'

export interface ResponseDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly deadlines: Deadlines
  readonly limits: RelayLimits
  readonly ledger: Pick<Ledger, 'follow'>
  readonly billing: Billing
  readonly running: Pick<Running, 'begin'>
  readonly telemetry: Pick<Telemetry, 'waiting' | 'progressed'>
  /** Logs why attempts failed. */
  readonly reportFailures: (requestId: string, code: string, failures: readonly FailedAttempt[]) => void
  /** Logs a failed request. */
  readonly reportFailure: (error: AppError, requestId: string) => void
}

/** Ends of a stream that the channel caused. */
const brokenEnds: ReadonlySet<EndReason> = new Set(['upstream_cut', 'timed_out', 'too_long'])

/** A whole response. */
export function wholeResponse({ body, contentType }: Extract<AttemptResponse, { kind: 'whole' }>, charge: Charge): PlainResponse {
  const headers = relayHeaders(charge.requestId, charge.attempts)
  headers['content-type'] = contentType
  return { status: 200, headers, body }
}

/** A stream that has begun. When it ends, it is settled and its resources are released. */
export function streamResponse(
  response: Extract<AttemptResponse, { kind: 'stream' }>,
  charge: Charge,
  { incoming, deps, failover }: { readonly incoming: RelayRequest; readonly deps: ResponseDeps; readonly failover: Failover },
): PlainResponse {
  const { deadlines, limits, ledger, billing, running } = deps
  const { budget } = charge
  ledger.follow(charge.hold, () => billing.soFar(charge, budget.used))
  const done = running.begin(() => stream.cut())
  const release = charge.permit.acquire()
  const conclude: Parameters<typeof runStream>[0]['conclude'] = (end) => {
    failover.over(end)
    if (charge.channel !== null && brokenEnds.has(end.reason)) {
      noteBrokenStream(charge, end, { channel: charge.channel, address: charge.address, endedMs: deps.clock.monotonicMs() })
      deps.reportFailures(charge.requestId, end.reason, charge.failures)
    }
    return billing.settle(charge, end).finally(done).finally(release)
  }
  const stream = runStream({
    response,
    progressed: () => deps.telemetry.progressed(charge.span),
    budget,
    countTokens: (text) => billing.countTokens(text, charge.params.model),
    requestId: charge.requestId,
    deadlines,
    limits: limitsFor(charge.channel, limits),
    clock: deps.clock,
    unseen: mayWorkUnseen(charge) ? { startedMs: charge.attemptStartedMs } : null,
    clean: (failure) => (charge.channel === null ? failure : channelFailure(failure, charge.channel)),
    conclude,
  })
  whenAborted(incoming.request.signal, () => stream.onClientAbort())
  const headers = { ...relayHeaders(charge.requestId, charge.attempts), ...response.frame.headers }
  return { status: 200, headers, body: (out) => stream.start(out) }
}

/** Sends heartbeats to a client until its stream begins. */
export function waitFor(
  response: Promise<PlainResponse>,
  charge: Charge,
  { incoming, deps, rules }: { readonly incoming: RelayRequest; readonly deps: ResponseDeps; readonly rules: KindRules },
): Waiting {
  const { protocol = openAiProtocol, errorTeller, idPrefix } = rules
  const { request, requestId } = incoming
  return {
    response,
    deadlines: deps.deadlines,
    heartbeatMs: deps.limits.heartbeatMs,
    headers() {
      deps.telemetry.waiting(charge.span)
      return { ...relayHeaders(requestId, charge.attempts), ...protocol.frame.headers }
    },
    beat: protocol.frame.beat,
    errorEvent(error) {
      const known = error instanceof AppError ? error : new AppError('internal_error', { cause: error })
      deps.reportFailure(known, requestId)
      const publicError = clientError(known, requestId, request.headers.get('accept-language'))
      const head = { id: idPrefix + requestId, created: charge.createdAt, model: charge.params.model }
      return errorTeller?.(head).error(publicError, 0) ?? protocol.streamError(publicError)
    },
  }
}
