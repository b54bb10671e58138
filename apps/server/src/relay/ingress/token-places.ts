import { AppError } from '../../lib/app-error.ts'

/** The places of requests that a token may run at once, and of other work that is counted over all nodes. */
export interface TokenPlaces {
  /**
   * Takes one of so many places.
   * @param key the id of a token, or `accountKey` or `streamsKey`
   * @returns gives it back; to be called once. @throws AppError token_busy
   */
  take(key: number, places: number): GiveBack | Promise<GiveBack>
}

export type GiveBack = () => void

// Keys of what is not counted under the id of a token, which is positive.

/** Requests of an account whose cost cannot be bounded. */
export function accountKey(userId: number): number {
  return -2 * userId
}

/** Event streams of a token. */
export function streamsKey(tokenId: number): number {
  return -2 * tokenId - 1
}

/** Counts in the memory of this process. */
export function ownPlaces(): TokenPlaces {
  const taken = new Map<number, number>()
  return {
    take(key, places) {
      const now = taken.get(key) ?? 0
      if (now >= places) throw busy(places)
      taken.set(key, now + 1)
      return () => {
        const left = (taken.get(key) ?? 1) - 1
        if (left === 0) taken.delete(key)
        else taken.set(key, left)
      }
    },
  }
}

export function busy(limit: number): AppError {
  return new AppError('token_busy', { params: { limit }, retryAfterSeconds: 1 })
}
