import type { Clock } from './clock.ts'

/** How long a failure is returned again instead of retrying. */
const failedMs = 5_000

interface Read<Value> {
  readonly value: Value
  /** When it is read again. */
  readonly untilMs: number
}

/** Reads a value on demand and returns it to all callers until it is too old. Concurrent callers share one read. */
export function createKept<Value>(clock: Clock, read: () => Promise<Read<Value>>): () => Promise<Value> {
  let kept: { readonly reading: Promise<Read<Value>>; untilMs: number } | null = null

  function begin() {
    const begun = { reading: read(), untilMs: Number.POSITIVE_INFINITY }
    begun.reading.then(
      ({ untilMs }) => {
        begun.untilMs = untilMs
      },
      () => {
        begun.untilMs = clock.nowMs() + failedMs
      },
    )
    return begun
  }

  return async () => {
    if (kept === null || kept.untilMs <= clock.nowMs()) kept = begin()
    return (await kept.reading).value
  }
}
