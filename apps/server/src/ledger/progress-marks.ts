import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import { ShortLivedMap } from '../lib/short-lived-map.ts'
import type { Operation } from './commit.ts'
import type { Hold, Progress } from './ledger.ts'

/**
 * Stores the progress of running responses, so that delivered output is charged after a crash. Responses are polled at an interval, which costs
 * them nothing in between.
 */
export interface ProgressMarks {
  follow(hold: Hold, progress: () => Progress): void
  forget(requestId: string): void
}

interface ProgressMarksDeps {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly commit: (operation: Operation) => Promise<boolean>
  /** Whether the store is currently writable. */
  readonly isUp: () => boolean
}

/** Interval between two marks of one response. With the tick below, a crash loses at most two seconds of a response. */
const markEveryMs = 1_500
const lookEveryMs = 250

interface Followed {
  readonly progress: () => Progress
  nextAt: number
  /** Output that the last mark recorded. */
  noted: number
  isWriting: boolean
}

export function createProgressMarks({ clock, deadlines, commit, isUp }: ProgressMarksDeps): ProgressMarks {
  const followed = new ShortLivedMap<Followed>()
  let isWatching = false

  function watch(): void {
    if (isWatching) return
    isWatching = true
    deadlines.start(lookEveryMs, () => {
      isWatching = false
      look()
      if (followed.size > 0) watch()
    })
  }

  function look(): void {
    if (!isUp()) return
    const now = clock.monotonicMs()
    for (const [requestId, response] of followed.entries()) {
      if (response.nextAt > now || response.isWriting) continue
      response.nextAt = now + markEveryMs
      const progress = response.progress()
      if (progress.completionTokens > response.noted) note(requestId, response, progress)
    }
  }

  function note(requestId: string, response: Followed, progress: Progress): void {
    response.noted = progress.completionTokens
    response.isWriting = true
    commit({ do: 'mark', mark: { requestId, ...progress } })
      // A missing mark changes no balance. What the store refuses once it would refuse again.
      .catch(() => void followed.delete(requestId))
      .finally(() => {
        response.isWriting = false
      })
  }

  return {
    follow({ requestId }, progress) {
      followed.set(requestId, { progress, nextAt: clock.monotonicMs() + markEveryMs, noted: 0, isWriting: false })
      watch()
    },
    forget: (requestId) => void followed.delete(requestId),
  }
}
