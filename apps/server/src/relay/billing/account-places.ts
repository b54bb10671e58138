import { AppError } from '../../lib/app-error.ts'
import type { Billing } from './billing.ts'

/** The places of requests that an account may run at once although their cost cannot be bounded beforehand. */
export interface AccountPlaces {
  /** Takes one for a request until `billing` ends it. @throws AppError unbounded_requests_limited */
  take(userId: number, requestId: string): Promise<void>
  /** Wraps billing: the end of a request gives its place back. */
  ending(billing: Billing): Billing
}

/** Takes one of so many places of an account. @throws AppError token_busy */
interface Places {
  take(userId: number, most: number): (() => void) | Promise<() => void>
}

interface AccountPlacesDeps {
  readonly places: Places
  /** Maximum number of such concurrent requests per account. */
  readonly most: () => number
}

export function createAccountPlaces({ places, most }: AccountPlacesDeps): AccountPlaces {
  const held = new Map<string, () => void>()

  function giveBack(requestId: string): void {
    const place = held.get(requestId)
    held.delete(requestId)
    place?.()
  }

  return {
    async take(userId, requestId) {
      const limit = most()
      try {
        held.set(requestId, await places.take(userId, limit))
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'token_busy') throw error
        throw new AppError('unbounded_requests_limited', { cause: error, params: { limit }, retryAfterSeconds: 1 })
      }
    },
    ending(billing) {
      return {
        ...billing,
        settle: (charge, end) => {
          giveBack(charge.requestId)
          return billing.settle(charge, end)
        },
        release: (charge, why) => {
          giveBack(charge.requestId)
          return billing.release(charge, why)
        },
      }
    },
  }
}
