import type { Clock } from '../lib/clock.ts'
import type { Deadlines } from '../lib/deadlines.ts'
import type { Operation } from './commit.ts'
import type { Hold, Progress } from './ledger.ts'

/**
 * Notes of what running answers have delivered, so that a crash does not give it away. The answers are asked; they tell nothing by
 * themselves, so a note costs nothing between two of them.
 */
export interface ProgressMarks {
  follow(hold: Hold, progress: () => Progress): void
  forget(requestId: string): void
}

interface ProgressMarksDeps {
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly commit: (operation: Operation) => Promise<boolean>
  /** Whether a note would be written soon. */
  readonly isUp: () => boolean
}

/** Between two notes of one answer. With the tick below what a crash can cost is at most two seconds of an answer. */
const markEveryMs = 1_500
const lookEveryMs = 250

interface Followed {
  readonly progress: () => Progress
  nextAt: number
  /** Output that has been noted. */
  noted: number
  isWriting: boolean
}

export function createProgressMarks({ clock, deadlines, commit, isUp }: ProgressMarksDeps): ProgressMarks {
  const followed = new Map<string, Followed>()
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
    for (const [requestId, answer] of followed) {
      if (answer.nextAt > now || answer.isWriting) continue
      answer.nextAt = now + markEveryMs
      const progress = answer.progress()
      if (progress.completionTokens > answer.noted) note(requestId, answer, progress)
    }
  }

  function note(requestId: string, answer: Followed, progress: Progress): void {
    answer.noted = progress.completionTokens
    answer.isWriting = true
    commit({ do: 'mark', mark: { requestId, ...progress } })
      // A ledger that cannot write says so to every request; a note that is missing changes nothing.
      .catch(() => {})
      .finally(() => {
        answer.isWriting = false
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
