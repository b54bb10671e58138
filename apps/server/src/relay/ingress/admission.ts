import { AppError } from '../../lib/app-error.ts'
import type { Caller, Permit } from '../model/caller.ts'
import { type TokenLimiter, unlimitedPermit } from './token-limits.ts'

/** @throws AppError if the token is restricted to other models */
export function needModel({ models }: Caller, model: string): void {
  if (models !== null && !models.has(model)) throw new AppError('model_forbidden', { params: { model } })
}

/** Counts the request against the limits of its token. @throws AppError */
export function enter({ limits, tokenId }: Caller, limiter: TokenLimiter): Permit | Promise<Permit> {
  return limits === null ? unlimitedPermit : limiter.enter(tokenId, limits)
}

/**
 * Runs the work of a request while it holds one of its token's concurrency places. An answer that outlives the work acquires the permit
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
