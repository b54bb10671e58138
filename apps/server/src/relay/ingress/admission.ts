import { AppError } from '../../lib/app-error.ts'
import type { Caller, Permit } from '../model/caller.ts'
import { type TokenLimiter, unlimitedPermit } from './token-limits.ts'

/** @throws AppError if the token is restricted to other models */
export function needModel({ models }: Caller, model: string): void {
  if (models !== null && !models.has(model)) throw new AppError('model_forbidden', { params: { model } })
}

/**
 * Runs the work of a request while it holds one of its token's concurrency places. An answer that outlives the work acquires the permit
 * itself. @throws AppError
 */
export async function withPermit<Result>(
  { limits, tokenId }: Caller,
  limiter: TokenLimiter,
  work: (permit: Permit) => Promise<Result>,
): Promise<Result> {
  const permit = limits === null ? unlimitedPermit : await limiter.enter(tokenId, limits)
  const release = permit.acquire()
  try {
    return await work(permit)
  } finally {
    release()
  }
}
