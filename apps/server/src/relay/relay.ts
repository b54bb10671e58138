import type { Settings } from '@sluice/contract'
import { isObject } from '@sluice/vendors/is-object'
import type { Ledger } from '../ledger/ledger.ts'
import { AppError } from '../lib/app-error.ts'
import { nowSeconds } from '../lib/clock.ts'
import { readJson } from '../lib/read-json.ts'
import { whenAborted } from '../lib/when-aborted.ts'
import type { Answer } from './answer.ts'
import type { AttemptDeps } from './attempt.ts'
import type { Bill, Billing } from './bill.ts'
import type { Call } from './call.ts'
import type { Callers } from './callers.ts'
import type { Channels } from './channels.ts'
import { relayHeaders, streamHeaders } from './error-reply.ts'
import { firstAnswer } from './first-answer.ts'
import { needJson } from './json-type.ts'
import type { KindRules, PathParts } from './kinds/kind-rules.ts'
import type { Prices } from './prices.ts'
import type { RelayDeps, WatchedRequest } from './relay-deps.ts'
import { basisOf, createBudget, reserveFor } from './reserve.ts'
import { type Routing, route, type Turn } from './routing.ts'
import type { Running } from './running.ts'
import { runStream } from './stream-body.ts'

/** The parts that one request goes through; `create-relay.ts` puts them together. */
export interface Parts extends AttemptDeps {
  readonly db: RelayDeps['store']['db']
  readonly callers: Callers
  readonly channels: Channels
  readonly prices: Prices
  readonly billing: Billing
  readonly ledger: Ledger
  readonly settings: () => Settings
  readonly running: Running
  readonly routing: Routing
  readonly watch: RelayDeps['watch']
}

/** Which call a request is, and what of it stands in its path. */
export interface Asked {
  readonly rules: KindRules
  readonly path: PathParts
}

/** One request of any kind from the token to the last byte: admit, price, reserve, try channels until one answers, send, settle. @throws AppError */
export async function relayCall(incoming: WatchedRequest, parts: Parts, { rules, path }: Asked): Promise<Response> {
  const { request, requestId, sight } = incoming
  const caller = await parts.callers.admit(request.headers, incoming.address)
  needJson(request)
  const body = await readJson(request, parts.limits, parts.deadlines)
  if (!isObject(body)) throw new AppError('invalid_parameter', { params: { name: 'body' } })
  const wanted = rules.read(body, path)
  if (caller.models !== null && !caller.models.has(wanted.model)) throw new AppError('model_forbidden', { params: { model: wanted.model } })
  const { tiers, group } = route(await parts.channels.current(), caller, wanted.model)
  parts.watch.asked(sight, { kind: rules.kind, model: wanted.model })
  const turn = parts.routing.begin({ tiers, wanted, rules, groups: caller.groups, isOver: () => call.isClientGone || parts.running.isCut })
  const bill = await openBill(parts, { requestId, sight, caller, wanted, quote: parts.prices.quote(wanted.model, group) })
  const { isRepeatable } = rules
  const call: Call = { requestId, rules, wanted, body, created: bill.createdAt, isRepeatable, cancel: null, isClientGone: false }
  const onGone = (): void => {
    call.isClientGone = true
    call.cancel?.('client_gone')
  }
  whenAborted(request.signal, onGone)
  const done = parts.running.begin(() => call.cancel?.('shut_down'))
  try {
    const answer = await firstAnswer(call, bill, { parts, turn })
    bill.firstByteAtMs = parts.clock.monotonicMs()
    parts.watch.answering(sight, answer.kind === 'stream')
    if (answer.kind === 'stream') return streamReply(answer, bill, { incoming, parts, turn })
    turn.end()
    await parts.billing.settle(bill, { reason: 'complete', usage: answer.usage, text: answer.text })
    return wholeReply(answer, bill)
  } catch (error) {
    turn.end()
    await release(bill, call, { error, billing: parts.billing })
    throw error instanceof AppError ? error.after(bill.attempts) : error
  } finally {
    request.signal.removeEventListener('abort', onGone)
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

async function openBill(parts: Parts, given: Pick<Bill, 'requestId' | 'sight' | 'caller' | 'wanted' | 'quote'>): Promise<Bill> {
  const { requestId, sight, caller, wanted, quote } = given
  const amount = reserveFor(wanted, quote, parts.settings())
  const hold = await parts.ledger.hold({ requestId, userId: caller.userId, tokenId: caller.tokenId, amount, modelName: wanted.model })
  return { ...given, hold, createdAt: nowSeconds(parts.clock), startedMs: sight.startedMs, channel: null, attempts: 0, firstByteAtMs: 0 }
}

function wholeReply({ body }: Extract<Answer, { kind: 'whole' }>, bill: Bill): Response {
  const type = bill.wanted.isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
  return new Response(body, { headers: { ...relayHeaders(bill.requestId, bill.attempts), 'content-type': type } })
}

function streamReply(
  answer: Extract<Answer, { kind: 'stream' }>,
  bill: Bill,
  { incoming, parts, turn }: { readonly incoming: WatchedRequest; readonly parts: Parts; readonly turn: Turn },
): Response {
  const { deadlines, limits, ledger, billing, running } = parts
  const budget = createBudget(ledger, bill.hold, bill.quote.ratesFor(basisOf(bill.wanted)))
  ledger.follow(bill.hold, () => billing.soFar(bill, budget.used()))
  const done = running.begin(() => stream.cut())
  const conclude: Parameters<typeof runStream>[0]['conclude'] = (end) => {
    turn.over(end)
    return billing.settle(bill, end).finally(done)
  }
  const { maxTokens, choices } = bill.wanted
  const outputTokens = maxTokens === null ? null : maxTokens * choices
  const stream = runStream({ answer, budget, outputTokens, requestId: bill.requestId, deadlines, limits, conclude })
  whenAborted(incoming.request.signal, stream.leave)
  incoming.allowSilence(Math.ceil(limits.stallMs / 1000))
  const headers = { ...relayHeaders(bill.requestId, bill.attempts), ...streamHeaders }
  // Holds: Bun takes a generator as a body; the types that apply here do not say so.
  return new Response(stream.body as unknown as ReadableStream, { headers })
}
