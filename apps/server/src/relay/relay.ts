import type { Settings } from '@sluice/contract'
import type { Reply } from '@sluice/http1/reply'
import type { Ledger } from '../ledger/ledger.ts'
import { AppError } from '../lib/app-error.ts'
import type { Spool } from '../lib/spool.ts'
import { whenAborted } from '../lib/when-aborted.ts'
import type { AttemptDeps } from './attempt.ts'
import { beginReply } from './begin-reply.ts'
import type { Billing } from './bill.ts'
import type { Call } from './call.ts'
import type { Caller, Callers } from './callers.ts'
import type { Channels } from './channels.ts'
import { replyOrHeartbeats } from './early-reply.ts'
import type { FailedAttempt } from './failed-attempts.ts'
import { isTied, type KeptAnswers } from './kept-answers.ts'
import type { Lacking } from './lacking.ts'
import { openBill } from './open-bill.ts'
import type { Prices } from './prices.ts'
import { type Asked, type ReadRequest, readRequest } from './read-request.ts'
import type { Refusals } from './refusals.ts'
import type { RelayDeps, WatchedRequest } from './relay-deps.ts'
import { waitFor } from './replies.ts'
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
  readonly refusals: Refusals
  readonly watch: RelayDeps['watch']
  readonly answers: KeptAnswers
  readonly openSpool: () => Spool
  readonly longMessages: RelayDeps['longMessages']
  /** Writes to the server's log why attempts failed. */
  readonly tellFailures: (requestId: string, code: string, failures: readonly FailedAttempt[]) => void
  readonly lacking: Lacking
  /** Tells the log of a request that failed. */
  readonly tellFailure: (error: AppError, requestId: string) => void
}

/** One request of any kind from the token to the last byte: admit, price, reserve, try channels until one answers, send, settle. @throws AppError */
export async function relayCall(incoming: WatchedRequest, parts: Parts, asked: Asked): Promise<Reply> {
  const caller = await parts.callers.admit(incoming)
  const pass = caller.limits === null ? freePass : await parts.limiter.enter(caller.tokenId, caller.limits)
  const leave = pass.stay()
  let form: ReadRequest['form'] = null
  try {
    const sent = await readRequest(incoming.request, asked, parts)
    form = sent.form
    parts.running.needUncut()
    const read = sent.rules.refersToItems === true ? await parts.answers.resolve(sent, caller) : sent
    return await answerCall({ incoming, caller, pass }, parts, read)
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

async function answerCall({ incoming, caller, pass }: Admitted, parts: Parts, { rules, wanted, body, form }: ReadRequest): Promise<Reply> {
  const { request, requestId, sight, hops } = incoming
  if (caller.models !== null && !caller.models.has(wanted.model)) throw new AppError('model_forbidden', { params: { model: wanted.model } })
  const routed = route(await parts.channels.current(), caller, wanted.model)
  const { tiers, group } = isTied(wanted) ? await parts.answers.narrow(routed, caller, wanted) : routed
  parts.watch.asked(sight, { kind: rules.kind, model: wanted.model })
  const isOver = parts.running.overWith(request.signal)
  const turn = await parts.refusals.noting({ requestId, sight, caller, wanted }, () =>
    parts.routing.begin({ tiers, wanted, rules, tokenId: caller.tokenId, groups: caller.groups, isOver }),
  )
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
    resends: 0,
    isClientGone: false,
  }
  const onGone = (): void => {
    call.isClientGone = true
    call.cancel?.('client_gone')
  }
  whenAborted(request.signal, onGone)
  const reply = beginReply(call, bill, { incoming, parts, turn }).finally(() => request.signal.removeEventListener('abort', onGone))
  return wanted.isStream && rules.isAlwaysStreamed ? await replyOrHeartbeats(waitFor(reply, bill, { incoming, parts, rules })) : await reply
}
