import { namedModelsMax } from '@sluice/vendors/protocols/bodies/body-use'
import { AppError } from '../../lib/app-error.ts'
import type { Caller, Permit } from '../model/caller.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import { type TokenLimiter, unlimitedPermit } from './token-limits.ts'

/** @throws AppError if the token is restricted to other models */
export function needModel({ models }: Caller, model: string): void {
  if (models !== null && !models.has(model)) throw new AppError('model_forbidden', { params: { model } })
}

/**
 * Refuses a body that names a model which the token may not use, or which has no price.
 * @param price of the requested model
 * @returns the price @throws AppError named_model_refused
 */
export function needNamedModels({ models }: Caller, { use, model: requested }: RequestParams, price: ResolvedPrice): ResolvedPrice {
  const named = use?.models ?? []
  const excess = named[namedModelsMax]
  if (excess !== undefined) throw new AppError('invalid_parameter', { params: { name: excess.place } })
  for (const { place, model } of named) {
    if (model === requested) continue
    const params = { name: place, model: model.slice(0, modelCharsMax) }
    if (models !== null && !models.has(model)) throw new AppError('named_model_refused', { messageKey: 'named_model_forbidden', params })
    if (price.ofTool([model]) === null) throw new AppError('named_model_refused', { params })
  }
  return price
}

/** Characters of a client's name of a model in an error. */
const modelCharsMax = 80

/** Counts the request against the limits of its token. @throws AppError */
export function enter({ limits, tokenId }: Caller, limiter: TokenLimiter): Permit | Promise<Permit> {
  return limits === null ? unlimitedPermit : limiter.enter(tokenId, limits)
}

/**
 * Runs the work of a request while it holds one of its token's concurrency places. A response that outlives the work acquires the permit
 * itself. @throws AppError
 */
export async function withPermit<Result>(
  caller: Caller,
  limiter: TokenLimiter,
  work: (permit: Permit) => Promise<Result>,
): Promise<Result> {
  const permit = await enter(caller, limiter)
  const release = permit.acquire()
  try {
    return await work(permit)
  } finally {
    release()
  }
}
