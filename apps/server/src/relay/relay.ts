import type { ServerResponse } from '@sluice/http1/response'
import { isMade, mayWorkUnseen } from './billing/hidden-work.ts'
import { type MeasureDeps, measureRequest } from './billing/measure-request.ts'
import { type ChargeDeps, openCharge } from './billing/open-charge.ts'
import type { Refusals } from './billing/refusals.ts'
import { enter, needModel, needNamedModels } from './ingress/admission.ts'
import type { Callers } from './ingress/callers.ts'
import { type CallRoute, type ReadDeps, type ReadRequest, readRequest } from './ingress/read-request.ts'
import type { TokenLimiter } from './ingress/token-limits.ts'
import { type Call, notAttempted } from './model/call.ts'
import type { Caller, Permit } from './model/caller.ts'
import type { RelayRequest } from './model/incoming.ts'
import type { Prices } from './pricing/prices.ts'
import { awaitAbandoned } from './response/await-abandoned.ts'
import { type BeginResponseDeps, beginResponse } from './response/begin-response.ts'
import { responseOrHeartbeats } from './response/response-or-heartbeats.ts'
import { waitFor } from './response/responses.ts'
import type { Channels } from './routing/channels.ts'
import { conversationOf } from './routing/conversation.ts'
import { withReachableLimit } from './routing/reachable-limit.ts'
import { route, routeWithNamed, withListedModel } from './routing/route.ts'
import type { Failover, Routing } from './routing/routing.ts'
import { isTied, type StoredResponses } from './stored-responses/stored-responses.ts'
import { type DrawDeps, draw, isCreatedAsTask } from './tasks/image-as-task.ts'

/** Dependencies of all calls. */
export interface CallDeps extends BeginResponseDeps, MeasureDeps, ReadDeps, DrawDeps, ChargeDeps {
  readonly limits: BeginResponseDeps['limits']
  readonly deadlines: BeginResponseDeps['deadlines']
  readonly clock: BeginResponseDeps['clock']
  readonly ledger: BeginResponseDeps['ledger'] & ChargeDeps['ledger']
  readonly telemetry: BeginResponseDeps['telemetry'] & MeasureDeps['telemetry']
  readonly callers: Callers
  readonly limiter: TokenLimiter
  readonly channels: Pick<Channels, 'current'>
  readonly prices: Pick<Prices, 'resolve'>
  readonly routing: Routing
  readonly refusals: Refusals
  readonly storedResponses: Pick<StoredResponses, 'resolve' | 'narrow' | 'storable' | 'begin'>
}

/** One call from authentication to the last byte: admit, price, reserve, try channels until one responds, send, settle. @throws AppError */
export async function relayCall(incoming: RelayRequest, deps: CallDeps, callRoute: CallRoute): Promise<ServerResponse> {
  const admitting = deps.callers.admit(incoming, incoming.protocol.keyForms)
  const caller = admitting instanceof Promise ? await admitting : admitting
  const entering = enter(caller, deps.limiter)
  const permit = entering instanceof Promise ? await entering : entering
  const release = permit.acquire()
  let parsed: ReadRequest | null = null
  try {
    const reading = readRequest(incoming.request, callRoute, deps)
    parsed = reading instanceof Promise ? await reading : reading
    deps.running.assertAccepting()
    return await responseCall({ incoming, caller, permit }, deps, parsed)
  } catch (error) {
    parsed?.close()
    throw error
  } finally {
    release()
    const form = parsed?.form ?? null
    if (form !== null) await form.close()
  }
}

/** An admitted request. */
interface Admitted {
  readonly incoming: RelayRequest
  readonly caller: Caller
  readonly permit: Permit
}

async function responseCall({ incoming, caller, permit }: Admitted, deps: CallDeps, parsed: ReadRequest): Promise<ServerResponse> {
  const { rules, close } = parsed
  const { request, requestId, span, hops } = incoming
  const reading = deps.channels.current()
  const map = reading instanceof Promise ? await reading : reading
  const normalized = withListedModel(map, caller, parsed)
  const { model } = normalized.params
  needModel(caller, model)
  const modelRoute = route(map, caller, model)
  if (isCreatedAsTask(rules, model, modelRoute)) return await draw({ incoming, caller, permit, parsed: normalized }, deps).finally(close)
  const price = deps.prices.resolve(model, modelRoute.group)
  const resolved = rules.refersToItems === true ? await deps.storedResponses.resolve(normalized, caller) : normalized
  const resolvedPrice = needNamedModels(caller, resolved.params, price)
  const routed = routeWithNamed(map, caller, { modelRoute, params: resolved.params })
  const tied = isTied(resolved.params) ? await deps.storedResponses.narrow(routed, caller, resolved) : { ...routed, read: resolved }
  const { tiers, types } = tied
  const { read, text } = deps.storedResponses.storable(tied.read, tiers)
  const { body, clientHeaders, form } = read
  deps.telemetry.routed(span, { kind: rules.kind, model })
  const isOver = deps.running.isAborted(request.signal)
  const callType = { protocol: incoming.protocol.name, kind: rules.kind }
  const payable = { callType, caller, permit, resolvedPrice, types }
  const limited = withReachableLimit(read.params, { tiers }, clientHeaders)
  const params = limited.unmeasured ? await measureRequest(deps, { ...payable, params: limited }) : limited
  const chargeInput = { callType, requestId, span, caller, params }
  const conversation = conversationOf(rules.kind, { body, headers: request.headers, userId: caller.userId, model, tiers })
  let failover: Failover
  try {
    failover = deps.routing.begin({ tiers, params, rules, tokenId: caller.tokenId, groups: caller.groups, isOver, conversation })
  } catch (error) {
    throw await deps.refusals.noted(error, chargeInput)
  }
  const opening = openCharge(deps, { ...chargeInput, ...payable })
  const charge = opening instanceof Promise ? await opening : opening
  if (text !== null) await deps.storedResponses.begin(charge, { text, id: `${rules.idPrefix}${requestId}` })
  const call: Call = {
    requestId,
    rules,
    params,
    body,
    clientHeaders,
    form,
    hops,
    created: charge.createdAt,
    isRepeatable: rules.isRepeatable,
    budget: charge.budget,
    progressed: () => deps.telemetry.progressed(span),
    ...notAttempted,
  }
  // Reasoning, what tools read, images and speech are billed in any case.
  const isBilled = (): boolean => mayWorkUnseen(charge) || isMade(charge.params)
  const finished = awaitAbandoned(call, { signal: request.signal, mayWait: deps.limits.abandonedMs > 0, isBilled })
  const ended = (): void => {
    finished()
    close()
  }
  const started = beginResponse(call, charge, { incoming, deps, failover, ended })
  const response =
    params.isStream && rules.isAlwaysStreamed ? responseOrHeartbeats(waitFor(started, charge, { incoming, deps, rules })) : started
  return rules.responsesAs === undefined ? await response : rules.responsesAs(await response)
}
