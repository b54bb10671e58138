import type { Usage } from '@sluice/vendors/core/usage'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { quotaFor } from '../../ledger/price.ts'
import type { RequestParams } from '../model/request-params.ts'
import { countsOf } from './billable-counts.ts'
import type { ResolvedPrice } from './resolve-price.ts'

/** The usage of a response to a request. */
export interface ResponseUsage {
  readonly params: Pick<RequestParams, 'model' | 'use'>
  readonly usage: Usage
  /** The vendor reported it. */
  readonly isTold: boolean
  readonly channel: { readonly vendor: Pick<Vendor, 'reportsFallbacks'> } | null
}

/**
 * The models of which one has responded: the requested one, or others that its body names. Where neither the response nor its usage says which,
 * it may be each of them.
 */
export function responseModels({ params: { model, use }, usage, isTold, channel }: ResponseUsage): readonly string[] {
  const { responseModel, largestCall } = usage
  if (responseModel !== null) return [responseModel]
  const isKnown = isTold && (channel?.vendor.reportsFallbacks === true || largestCall !== null)
  const others = (use?.models ?? []).filter(({ role }) => role === 'instead' || (role === 'after' && !isKnown))
  return others.length === 0 ? [model] : [model, ...others.map((named) => named.model)]
}

/** A price, and the model whose price it is. */
export interface ResponseModelPrice {
  readonly model: string
  readonly price: ResolvedPrice
}

/** The price of the model that responded: the highest one, if it may have been any of several. @param own the price of the requested model */
export function responseModelPrice(response: ResponseUsage, own: ResolvedPrice): ResponseModelPrice {
  const { params, usage, isTold } = response
  const requested = { model: params.model, price: own }
  const prices = responseModels(response).map((model) => (model === params.model ? requested : (own.ofTool([model]) ?? requested)))
  const [first = requested, ...others] = prices
  if (others.length === 0) return first
  const quotaAt = ({ price }: ResponseModelPrice): number => quotaFor(countsOf(usage, price.price, isTold), price.ratesFor(usage))
  return others.reduce((dearest, other) => (quotaAt(other) > quotaAt(dearest) ? other : dearest), first)
}
