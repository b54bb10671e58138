import { AppError } from '../../lib/app-error.ts'
import type { Caller, Permit, TokenLimits } from '../model/caller.ts'
import { type TokenLimiter, unlimitedPermit } from './token-limits.ts'

/** @throws AppError if the token is restricted to other models */
export function needModel({ models }: Caller, model: string): void {
  if (models !== null && !models.has(model)) throw new AppError('model_forbidden', { params: { model } })
}

/**
 * Runs the work of a request while it holds one of its token's concurrency places. An answer that outlives the work acquires the permit
 * itself. @throws AppError
 */
export function withPermit<Result>(caller: Caller, limiter: TokenLimiter, work: (permit: Permit) => Promise<Result>): Promise<Result> {
  return caller.limits === null ? work(unlimitedPermit) : withCounted(caller.tokenId, caller.limits, { limiter, work })
}

interface Counted<Result> {
  readonly limiter: TokenLimiter
  readonly work: (permit: Permit) => Promise<Result>
}

async function withCounted<Result>(tokenId: number, limits: TokenLimits, { limiter, work }: Counted<Result>): Promise<Result> {
  const permit = await limiter.enter(tokenId, limits)
  const release = permit.acquire()
  try {
    return await work(permit)
  } finally {
    release()
  }
}
