import type { Settings } from '@sluice/contract'
import { noTools } from '@sluice/vendors/protocols/bodies/offered-tools'
import { mayReason } from '@sluice/vendors/registry/models/output-limits'
import type { Hold, Ledger } from '../../ledger/ledger.ts'
import { toolUnits } from '../../ledger/price.ts'
import type { NewTask } from '../../ledger/task-rows.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { RequestSpan } from '../model/telemetry.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import type { AccountPlaces } from './account-places.ts'
import type { Billing, Charge, FlatCharge } from './billing.ts'
import { OutputBudget } from './output-budget.ts'
import { type Reservation, uncountedIn } from './reserve.ts'
import { leastReservation, type PayableRequest, paramsInUnits, wholeReservation } from './reserve-request.ts'

export interface HoldDeps {
  readonly ledger: Pick<Ledger, 'hold' | 'holdNow' | 'heldFor' | 'assertPayable' | 'affordable' | 'extend' | 'fund' | 'balanceOf'>
  readonly settings: () => Settings
  readonly clock: Clock
  readonly callers: {
    /** Rethrows the reason why nothing was reserved. */
    refused(tokenId: number, error: unknown): Promise<never>
  }
}

/** What opening the charge of a call needs beside that. */
export interface ChargeDeps extends HoldDeps {
  readonly ledger: HoldDeps['ledger'] & Pick<Ledger, 'release'>
  readonly accountPlaces: Pick<AccountPlaces, 'take'>
}

export interface ChargeRequest extends Pick<Charge, 'callType' | 'requestId' | 'span' | 'caller' | 'params' | 'resolvedPrice' | 'permit'> {
  /** The types of the channels that may respond. */
  readonly types: readonly number[]
}

/** Reserves the maximum cost of a request, whichever channel responds: at once, unless something of the store is needed. @throws AppError */
export function openCharge(deps: ChargeDeps, request: ChargeRequest): Charge | Promise<Charge> {
  const chargeInput = { ...request, params: paramsInUnits(request.callType.kind, request.params, request.resolvedPrice) }
  const { callType, requestId, span, caller, params, resolvedPrice, permit } = chargeInput
  const { ledger, clock } = deps
  permit.expect(params.promptTokens)
  const { maxTokens, choices } = params
  const chargeOf = ({ hold, reservation }: Held, isWatched = true): Charge => {
    const budget = new OutputBudget({ ledger, hold, reservation, maxTokens, choices, isWatched })
    return { ...beforeAttempts(span, clock), callType, requestId, span, caller, params, resolvedPrice, permit, hold, budget }
  }
  if (isUnwatched(params)) return holdUnwatched(deps, chargeInput).then((held) => chargeOf(held, false))
  const holding = holdAny(deps, chargeInput)
  return holding instanceof Promise ? holding.then((held) => chargeOf(held)) : chargeOf(holding)
}

/** @throws AppError */
function holdAny(deps: ChargeDeps, request: ChargeRequest): Held | Promise<Held> {
  const { params } = request
  const { offered = noTools, models = [] } = params.use ?? {}
  const hasTools = offered !== noTools || models.some(({ uses }) => uses !== undefined)
  if (params.uncounted !== undefined || params.sealedTokens !== undefined || hasTools) return holdUncounted(deps, request)
  const reservation = wholeReservation(payableOf(deps, request))
  const holding = holdFor(request, reservation, deps)
  return holding instanceof Promise ? holding.then((hold) => ({ hold, reservation })) : { hold: holding, reservation }
}

/** A request as any of its channels may bill it. */
export function payableOf(
  { settings }: Pick<HoldDeps, 'settings'>,
  { params, resolvedPrice, types }: Pick<ChargeRequest, 'params' | 'resolvedPrice' | 'types'>,
): PayableRequest {
  return { params, price: resolvedPrice.dearestOf(types), types, settings: settings() }
}

interface Held {
  readonly hold: Hold
  readonly reservation: Reservation
}

/**
 * Reserves what the vendor may read beyond the prompt, and the tools that it may use: all of it, or what the balance has left, if that lacks
 * little. An account may run only a few concurrent requests that are not covered, or whose model's context is unknown. @throws AppError
 */
async function holdUncounted(deps: ChargeDeps, request: ChargeRequest): Promise<Held> {
  const { params, requestId, caller } = request
  const payable = payableOf(deps, request)
  const { price, settings } = payable
  const { most } = uncountedIn(params)
  const [whole, smallest] = [wholeReservation(payable), leastReservation(payable)]
  const needed = Math.max(smallest.least, whole.least - lackMax(settings))
  const hold = await holdFor(request, { amount: whole.amount, least: needed }, deps)
  const isBounded = Number.isFinite(most) || price.limits.contextMax !== null
  if (isBounded && hold.amount >= whole.least) return { hold, reservation: whole }
  try {
    await deps.accountPlaces.take(caller.userId, requestId)
  } catch (error) {
    await deps.ledger.release(hold, null)
    throw error
  }
  return { hold, reservation: hold.amount >= whole.least ? whole : smallest }
}

/** Quota by which a balance may fall short of what one request may cost. */
function lackMax({ UncoveredQuotaMax, UnboundedRequestsMax }: Settings): number {
  return UnboundedRequestsMax === 0 ? 0 : Math.floor(UncoveredQuotaMax / UnboundedRequestsMax)
}

/** Whether it is a stream whose model may think unseen as long as its limit allows, so that its reservation cannot follow what it uses. */
const isUnwatched = ({ model, isStream, maxTokens }: ChargeRequest['params']): boolean => isStream && maxTokens === null && mayReason(model)

/**
 * Reserves for a stream whose output cannot be watched: all that its limit will allow is held, so that limits of several streams cannot exceed
 * the balance together. Where the balance does not cover several, half of the rest is left to other requests.
 */
async function holdUnwatched(deps: ChargeDeps, request: ChargeRequest): Promise<Held> {
  const held = await holdAny(deps, request)
  const { hold, reservation } = held
  const { outputMax, outputWithin, outputQuota } = reservation
  const { choices } = request.params
  const within = outputWithin(hold.amount)
  if (within === null || within >= outputMax) return held
  const lacks = outputQuota(outputMax * choices) - outputQuota(within * choices)
  const free = deps.ledger.affordable(hold) - hold.amount
  const more = Math.min(lacks, Math.floor(free / 2))
  if (more > 0 && !deps.ledger.extend(hold, more)) {
    await deps.ledger.fund(hold, more)
    deps.ledger.extend(hold, more)
  }
  return held
}

/** Opens a charge of a fixed amount, or of a task, whose row is written with the reservation. @throws AppError */
export async function openFlatCharge(
  deps: HoldDeps,
  {
    task,
    ...chargeInput
  }: Pick<FlatCharge, 'callType' | 'requestId' | 'span' | 'caller' | 'params' | 'permit'> & { readonly task?: NewTask },
  amount: number,
): Promise<FlatCharge> {
  const hold = await holdFor(chargeInput, { amount, ...(task === undefined ? {} : { task }) }, deps)
  return { ...chargeInput, ...beforeAttempts(chargeInput.span, deps.clock), hold }
}

/** The attempt fields of a charge before the first attempt. */
export function beforeAttempts(span: RequestSpan, clock: Clock) {
  return {
    createdAt: nowSeconds(clock),
    startedMs: span.startedMs,
    channel: null,
    attempts: 0,
    attemptStartedMs: span.startedMs,
    address: '',
    failures: [],
    rewrites: [],
    firstByteAtMs: 0,
  }
}

/** Releases a request that brought no response: it costs nothing, and its log row has the reason. */
export function releaseUnserved(
  billing: Pick<Billing, 'release'>,
  charge: FlatCharge,
  { error, isClientGone }: { readonly error: unknown; readonly isClientGone: boolean },
): Promise<void> {
  if (isClientGone) return billing.release(charge, clientAborted)
  const { code: detail, isFault } = error instanceof AppError ? error : new AppError('internal_error')
  return billing.release(charge, { reason: 'failed', detail, isFault })
}

export const clientAborted = { reason: 'client_gone', detail: 'client disconnected', isFault: false } as const

/**
 * Refuses a caller who cannot pay this amount, before something expensive is done for the request. Nothing is reserved.
 * @throws AppError
 */
export async function assertAffordable(
  deps: Pick<HoldDeps, 'ledger' | 'callers'>,
  { caller: { userId, tokenId }, permit }: Pick<FlatCharge, 'caller' | 'permit'>,
  amount: number,
): Promise<void> {
  const { ledger, callers } = deps
  const balance = ledger.balanceOf(userId)
  // Whether the limits of the token suffice is decided by the reservation.
  if (amount === 0 || (balance !== null && balance >= amount)) return
  await ledger.assertPayable({ userId, tokenId, amount, ceiling: permit.ceiling }).catch((error) => callers.refused(tokenId, error))
}

/** The least that a call of a model without tools may cost: one unit, unless it is free. */
export function leastQuota(price: Pick<ResolvedPrice, 'ratesFor'>): number {
  const { paid } = price.ratesFor({ promptTokens: 0, completionTokens: 0, serviceTier: 'standard' })
  return paid.every((unit) => toolUnits.has(unit)) ? 0 : 1
}

/** @throws AppError */
function holdFor(
  { requestId, caller, params, permit }: Pick<FlatCharge, 'requestId' | 'caller' | 'params' | 'permit'>,
  { amount, least = amount, task }: { readonly amount: number; readonly least?: number; readonly task?: NewTask },
  { ledger, callers }: Pick<HoldDeps, 'ledger' | 'callers'>,
): Hold | Promise<Hold> {
  const { userId, tokenId } = caller
  const request = { requestId, userId, tokenId, amount, least, modelName: params.model, ceiling: permit.ceiling }
  try {
    const held = task === undefined ? ledger.holdNow(request) : null
    if (held !== null) return held
  } catch (error) {
    return callers.refused(tokenId, error)
  }
  return ledger.hold(task === undefined ? request : { ...request, task }).catch((error) => callers.refused(tokenId, error))
}
