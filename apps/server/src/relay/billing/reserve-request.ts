import type { Settings } from '@sluice/contract'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { vendorByType } from '@sluice/vendors/registry/list'
import { mayReason, outputLimitsOf } from '@sluice/vendors/registry/models/output-limits'
import { AppError } from '../../lib/app-error.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import type { ToolUses } from '../pricing/tool-line-items.ts'
import { type Reservation, reserveFor, uncountedIn, uncountedWithin } from './reserve.ts'

/** A request, alone or in a batch, whose vendor is not known yet. */
export interface PayableRequest {
  readonly params: RequestParams
  /** The highest of the channels that may respond. */
  readonly price: ResolvedPrice
  /** The types of these channels. */
  readonly types: readonly number[]
  readonly settings: Settings
}

/** All that a request may cost: as many uses of tools as it allows, and all that the vendor may read. */
export function wholeReservation(request: PayableRequest): Reservation {
  return reservationOf(request, uncountedIn(request.params).most, 'all')
}

/** What the balance must cover in any case. */
export function leastReservation(request: PayableRequest): Reservation {
  return reservationOf(request, uncountedIn(request.params).least, 'first')
}

function reservationOf({ params, price, types, settings }: PayableRequest, tokens: number, toolUses: ToolUses): Reservation {
  const reasoning = reasoningBeyondLimit(params, types.map(vendorByType))
  const maxTokens = params.maxTokens === null ? null : params.maxTokens + reasoning
  return reserveFor({ ...params, maxTokens, uncountedTokens: uncountedWithin(tokens, params, price), toolUses }, price, settings)
}

/** The most tokens of reasoning that one of these vendors writes beyond the client's limit. */
export function reasoningBeyondLimit(
  { model, maxTokens, use }: Pick<RequestParams, 'model' | 'maxTokens' | 'use'>,
  vendors: ReadonlyArray<Pick<Vendor, 'thinksBeyondLimit' | 'chat'> | null>,
): number {
  const beyond = vendors.filter((vendor) => vendor?.thinksBeyondLimit === true)
  if (maxTokens === null || beyond.length === 0) return 0
  const budget = use?.thinkingBudget ?? null
  const isBounded = budget === 0 || (budget !== null && beyond.every((vendor) => vendor?.chat?.extras?.includes('thinking_budget')))
  return Math.max(budget ?? 0, isBounded || !mayReason(model) ? 0 : outputLimitsOf(model).outputMax)
}

/** Prices by the piece that a kind of call can have; other kinds have none. */
const unitsOfKind: Readonly<Record<string, readonly ('picture' | 'character' | 'second')[]>> = {
  images: ['picture'],
  'image-edits': ['picture'],
  'image-variations': ['picture'],
  speech: ['character', 'second'],
  transcriptions: ['second'],
  translations: ['second'],
  realtime: ['second'],
}

/**
 * The parameters in units that the model's price has: a text of a model that is priced by the image is charged as one. A price that has no unit
 * of the call is none. @throws AppError model_price_not_set
 */
export function paramsInUnits(kind: string, params: RequestParams, { price }: ResolvedPrice): RequestParams {
  if (price.ratio !== undefined || price.call !== undefined) return params
  const units = unitsOfKind[kind]
  if (units?.some((unit) => price[unit] !== undefined) === true) return params
  if (units === undefined && price.picture !== undefined) return { ...params, images: params.choices }
  throw new AppError('model_price_not_set', { params: { model: params.model } })
}
