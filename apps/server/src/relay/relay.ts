import type { Reply } from '@sluice/http1/reply'
import { AppError } from '../lib/app-error.ts'
import { whenAborted } from '../lib/when-aborted.ts'
import { type HoldDeps, openBill } from './billing/open-bill.ts'
import type { Refusals } from './billing/refusals.ts'
import type { Callers } from './ingress/callers.ts'
import { type Asked, type ReadDeps, type ReadRequest, readRequest } from './ingress/read-request.ts'
import { freePass, type TokenLimiter } from './ingress/token-limits.ts'
import type { Call } from './model/call.ts'
import type { Caller, Pass } from './model/caller.ts'
import type { WatchedRequest } from './model/incoming.ts'
import type { Prices } from './pricing/prices.ts'
import { type BeginReplyDeps, beginReply } from './response/begin-reply.ts'
import { replyOrHeartbeats } from './response/early-reply.ts'
import { waitFor } from './response/replies.ts'
import type { Channels } from './routing/channels.ts'
import { route } from './routing/route.ts'
import type { Routing } from './routing/routing.ts'
import { isTied, type KeptAnswers } from './stored-responses/kept-answers.ts'

/** What the calls of every kind need. */
export interface CallDeps extends BeginReplyDeps, HoldDeps, ReadDeps {
  readonly limits: BeginReplyDeps['limits']
  readonly deadlines: BeginReplyDeps['deadlines']
  readonly clock: BeginReplyDeps['clock']
  readonly ledger: BeginReplyDeps['ledger'] & HoldDeps['ledger']
  readonly callers: Callers
  readonly limiter: TokenLimiter
  readonly channels: Pick<Channels, 'current'>
  readonly prices: Pick<Prices, 'quote'>
  readonly routing: Routing
  readonly refusals: Refusals
  readonly answers: Pick<KeptAnswers, 'resolve' | 'narrow'>
}

/** One request of any kind from the token to the last byte: admit, price, reserve, try channels until one answers, send, settle. @throws AppError */
export async function relayCall(incoming: WatchedRequest, deps: CallDeps, asked: Asked): Promise<Reply> {
  const caller = await deps.callers.admit(incoming)
  const pass = caller.limits === null ? freePass : await deps.limiter.enter(caller.tokenId, caller.limits)
  const leave = pass.stay()
  let sent: ReadRequest | null = null
  try {
    sent = await readRequest(incoming.request, asked, deps)
    deps.running.needUncut()
    const read = sent.rules.refersToItems === true ? await deps.answers.resolve(sent, caller) : sent
    return await answerCall({ incoming, caller, pass }, deps, read)
  } catch (error) {
    sent?.close()
    throw error
  } finally {
    leave()
    await sent?.form?.close()
  }
}

/** A request that was let in. */
interface Admitted {
  readonly incoming: WatchedRequest
  readonly caller: Caller
  readonly pass: Pass
}

async function answerCall(
  { incoming, caller, pass }: Admitted,
  deps: CallDeps,
  { rules, wanted, body, form, close }: ReadRequest,
): Promise<Reply> {
  const { request, requestId, sight, hops } = incoming
  if (caller.models !== null && !caller.models.has(wanted.model)) throw new AppError('model_forbidden', { params: { model: wanted.model } })
  const routed = route(await deps.channels.current(), caller, wanted.model)
  const { tiers, group } = isTied(wanted) ? await deps.answers.narrow(routed, caller, wanted) : routed
  deps.watch.asked(sight, { kind: rules.kind, model: wanted.model })
  const isOver = deps.running.overWith(request.signal)
  const turn = await deps.refusals.noting({ requestId, sight, caller, wanted }, () =>
    deps.routing.begin({ tiers, wanted, rules, tokenId: caller.tokenId, groups: caller.groups, isOver }),
  )
  const bill = await openBill(deps, { requestId, sight, caller, wanted, pass, quote: deps.prices.quote(wanted.model, group) })
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
  const reply = beginReply(call, bill, { incoming, deps, turn }).finally(() => {
    request.signal.removeEventListener('abort', onGone)
    close()
  })
  return wanted.isStream && rules.isAlwaysStreamed ? await replyOrHeartbeats(waitFor(reply, bill, { incoming, deps, rules })) : await reply
}
