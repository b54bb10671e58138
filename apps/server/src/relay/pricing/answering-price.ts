import type { Usage } from '@sluice/vendors/core/usage'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { quotaFor } from '../../ledger/price.ts'
import type { RequestParams } from '../model/request-params.ts'
import { countsOf } from './billable-counts.ts'
import type { ResolvedPrice } from './resolve-price.ts'

/** The usage of an answer to a request. */
export interface AnswerUsage {
  readonly params: Pick<RequestParams, 'model' | 'use'>
  readonly usage: Usage
  /** The vendor told it. */
  readonly isTold: boolean
  readonly channel: { readonly vendor: Pick<Vendor, 'tellsFallbacks'> } | null
}

/**
 * The models of which one has answered: the requested one, or others that its body names. Where neither the answer nor its usage tells which,
 * it may be each of them.
 */
export function answeringModels({ params: { model, use }, usage, isTold, channel }: AnswerUsage): readonly string[] {
  const { answeredBy, largestCall } = usage
  if (answeredBy !== null) return [answeredBy]
  const isKnown = isTold && (channel?.vendor.tellsFallbacks === true || largestCall !== null)
  const others = (use?.models ?? []).filter(({ role }) => role === 'instead' || (role === 'after' && !isKnown))
  return others.length === 0 ? [model] : [model, ...others.map((named) => named.model)]
}

/** A price, and the model whose price it is. */
export interface AnsweringPrice {
  readonly model: string
  readonly price: ResolvedPrice
}

/** The price of the model that answered: the highest one, if it may have been several. @param own the price of the requested model */
export function answeringPrice(answer: AnswerUsage, own: ResolvedPrice): AnsweringPrice {
  const { params, usage, isTold } = answer
  const requested = { model: params.model, price: own }
  const prices = answeringModels(answer).map((model) => (model === params.model ? requested : (own.ofTool([model]) ?? requested)))
  const [first = requested, ...others] = prices
  if (others.length === 0) return first
  const quotaAt = ({ price }: AnsweringPrice): number => quotaFor(countsOf(usage, price.price, isTold), price.ratesFor(usage))
  return others.reduce((dearest, other) => (quotaAt(other) > quotaAt(dearest) ? other : dearest), first)
}
