import { AppError } from '../../lib/app-error.ts'
import { type GiveBack, streamsKey, type TokenPlaces } from './token-places.ts'

/** The places of event streams that a token may have open at once. */
export interface StreamPlaces {
  /** @returns gives it back; calling it again has no effect. @throws AppError task_streams_limited */
  take(tokenId: number): Promise<() => void>
}

interface StreamPlacesDeps {
  readonly places: TokenPlaces
  readonly most: () => number
}

export function createStreamPlaces({ places, most }: StreamPlacesDeps): StreamPlaces {
  async function takeOne(tokenId: number): Promise<GiveBack> {
    const limit = most()
    try {
      return await places.take(streamsKey(tokenId), limit)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'token_busy') throw error
      throw new AppError('task_streams_limited', { cause: error, params: { limit }, retryAfterSeconds: 1 })
    }
  }

  return {
    async take(tokenId) {
      const giveBack = await takeOne(tokenId)
      let isHeld = true
      return () => {
        if (isHeld) giveBack()
        isHeld = false
      }
    },
  }
}
