import type { Settings } from '@sluice/contract'
import type { Reply } from '@sluice/http1/reply'
import type { Ledger } from '../ledger/ledger.ts'
import { AppError } from '../lib/app-error.ts'
import type { Spool } from '../lib/spool.ts'
import { whenAborted } from '../lib/when-aborted.ts'
import type { AttemptDeps } from './attempt.ts'
import type { Bill, Billing } from './bill.ts'
import type { Call } from './call.ts'
import type { Caller, Callers } from './callers.ts'
import type { Channels } from './channels.ts'
import type { FailedAttempt } from './failed-attempts.ts'
import { firstAnswer } from './first-answer.ts'
import type { KeptAnswers } from './kept-answers.ts'
import type { Lacking } from './lacking.ts'
import { openBill } from './open-bill.ts'
import type { Prices } from './prices.ts'
import { type Asked, type ReadRequest, readRequest } from './read-request.ts'
import type { RelayDeps, WatchedRequest } from './relay-deps.ts'
import { streamReply, wholeReply } from './replies.ts'
import { route } from './route.ts'
import type { Routing } from './routing.ts'
import type { Running } from './running.ts'
import { freePass, type Pass, type TokenLimiter } from './token-limits.ts'

/** The parts that one request goes through; `create-relay.ts` puts them together. */
export interface Parts extends AttemptDeps {
  readonly db: RelayDeps['store']['db']
  readonly callers: Callers
  readonly limiter: TokenLimiter
  readonly channels: Channels
  readonly prices: Prices
  readonly billing: Billing
  readonly ledger: Ledger
  readonly settings: () => Settings
  readonly running: Running
  readonly routing: Routing
  readonly watch: RelayDeps['watch']
  readonly answers: KeptAnswers
  readonly openSpool: () => Spool
  /** Writes to the server's log why attempts failed. */
  readonly tellFailures: (requestId: string, code: string, failures: readonly FailedAttempt[]) => void
  readonly lacking: Lacking
}

/** One request of any kind from the token to the last byte: admit, price, reserve, try channels until one answers, send, settle. @throws AppError */
export async function relayCall(incoming: WatchedRequest, parts: Parts, asked: Asked): Promise<Reply> {
  const caller = await parts.callers.admit(incoming)
  const pass = caller.limits === null ? freePass : await parts.limiter.enter(caller.tokenId, caller.limits)
  const leave = pass.stay()
  let form: ReadRequest['form'] = null
  try {
    const read = await readRequest(incoming.request, asked, parts)
    form = read.form
    parts.running.needUncut()
    return await answerCall({ incoming, caller, pass }, parts, { rules: asked.rules, ...read })
  } finally {
    leave()
    if (form !== null) await form.close()
  }
}

/** A request that was let in. */
interface Admitted {
  readonly incoming: WatchedRequest
  readonly caller: Caller
  readonly pass: Pass
}

interface Question extends ReadRequest, Pick<Asked, 'rules'> {}

async function answerCall({ incoming, caller, pass }: Admitted, parts: Parts, { rules, wanted, body, form }: Question): Promise<Reply> {
  const { request, requestId, sight, hops } = incoming
  if (caller.models !== null && !caller.models.has(wanted.model)) throw new AppError('model_forbidden', { params: { model: wanted.model } })
  const routed = route(await parts.channels.current(), caller, wanted.model)
  const { tiers, group } = wanted.follows === undefined ? routed : await parts.answers.narrow(routed, caller, wanted.follows)
  parts.watch.asked(sight, { kind: rules.kind, model: wanted.model })
  const isOver = parts.running.overWith(request.signal)
  const turn = parts.routing.begin({ tiers, wanted, rules, tokenId: caller.tokenId, groups: caller.groups, isOver })
  const bill = await openBill(parts, { requestId, sight, caller, wanted, pass, quote: parts.prices.quote(wanted.model, group) })
  const call: Call = {
    requestId,
    rules,
    wanted,
    body,
    form,
    hops,
    created: bill.createdAt,
    isRepeatable: rules.isRepeatable,
    budget: bill.budget,
    address: '',
    cancel: null,
    isClientGone: false,
  }
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
    await parts.billing.settle(bill, { reason: 'complete', usage: answer.usage, text: answer.text, keptAs: answer.keptAs })
    return wholeReply(answer, bill)
  } catch (error) {
    turn.end()
    await release(bill, call, { error, billing: parts.billing })
    throw error instanceof AppError ? error.after(bill.attempts, bill.failures) : error
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
