import type { Clock } from '../lib/clock.ts'
import type { Sight, Watch } from '../relay/watch.ts'
import type { RelayFigures } from './relay-figures.ts'

/** Counts what the relay tells. */
export function createWatch({ clock, figures }: { readonly clock: Clock; readonly figures: RelayFigures }): Watch {
  /** Called where a request may be over: it has been answered, and no stream of it goes on. */
  function closeIfOver(sight: Sight): void {
    if (sight.status === 0 || (sight.isStreaming && sight.ended === null)) return
    figures.closed(sight, clock.monotonicMs())
  }

  return {
    began() {
      figures.began()
      return {
        startedMs: clock.monotonicMs(),
        asked: null,
        channel: null,
        attempts: 0,
        attemptStartedMs: 0,
        firstByteMs: 0,
        isStreaming: false,
        status: 0,
        code: null,
        ended: null,
      }
    },
    asked(sight, asked) {
      sight.asked = asked
    },
    trying(sight, channel) {
      sight.channel = channel
      sight.attempts += 1
      sight.attemptStartedMs = clock.monotonicMs()
    },
    tried(sight, attempt) {
      figures.tried(sight, attempt.isOk ? null : attempt.failed, clock.monotonicMs())
    },
    answering(sight, isStream) {
      sight.firstByteMs = clock.monotonicMs()
      if (!isStream) return
      sight.isStreaming = true
      figures.streaming()
    },
    ended(sight, ended) {
      // Decided once; what comes after a commit that failed is no second end.
      if (sight.ended !== null) return
      sight.ended = ended
      closeIfOver(sight)
    },
    answered(sight, status, code) {
      sight.status = status
      sight.code = code
      closeIfOver(sight)
    },
  }
}
