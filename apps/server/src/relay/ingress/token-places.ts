import { AppError } from '../../lib/app-error.ts'

/** The places of requests that a token may run at once. */
export interface TokenPlaces {
  /** Takes one of so many places. @returns gives it back; to be called once. @throws AppError token_busy */
  take(tokenId: number, places: number): GiveBack | Promise<GiveBack>
}

export type GiveBack = () => void

/** Counts in the memory of this process. */
export function ownPlaces(): TokenPlaces {
  const taken = new Map<number, number>()
  return {
    take(tokenId, places) {
      const now = taken.get(tokenId) ?? 0
      if (now >= places) throw busy(places)
      taken.set(tokenId, now + 1)
      return () => {
        const left = (taken.get(tokenId) ?? 1) - 1
        if (left === 0) taken.delete(tokenId)
        else taken.set(tokenId, left)
      }
    },
  }
}

export function busy(limit: number): AppError {
  return new AppError('token_busy', { params: { limit }, retryAfterSeconds: 1 })
}
