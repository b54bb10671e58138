/** A sliding window of sixty seconds with counts per second. Seconds are arguments, from a monotonic clock. */
export interface Minute {
  /** Adds a count at this second; a negative count undoes an earlier one, if it is still in the window. */
  add(second: number, count: number): void
  sum(now: number): number
  /** Seconds until the sum is 0 if nothing is added. */
  secondsUntilEmpty(now: number): number
  /** Seconds until the sum falls below the limit if nothing is added. */
  secondsUntilBelow(now: number, limit: number): number
}

const lengthSeconds = 60

export function createMinute(): Minute {
  /** Oldest first, at most one per second. */
  const counts: { readonly second: number; count: number }[] = []
  /** Of all counts, because every request asks for it several times. */
  let total = 0

  function forgetBefore(now: number): void {
    for (let oldest = counts[0]; oldest !== undefined && oldest.second <= now - lengthSeconds; oldest = counts[0]) {
      total -= oldest.count
      counts.shift()
    }
  }

  function sum(now: number): number {
    forgetBefore(now)
    return total
  }

  return {
    add(second, count) {
      if (count === 0) return
      const same = counts.findLast((entry) => entry.second === second)
      if (same === undefined && count < 0) return
      total += count
      if (same !== undefined) {
        same.count += count
        return
      }
      forgetBefore(second)
      counts.push({ second, count })
    },
    sum,
    secondsUntilEmpty(now) {
      forgetBefore(now)
      const last = counts.at(-1)
      return last === undefined ? 0 : last.second + lengthSeconds - now
    },
    secondsUntilBelow(now, limit) {
      let left = sum(now)
      for (const { second, count } of counts) {
        left -= count
        if (left < limit) return second + lengthSeconds - now
      }
      return 0
    },
  }
}
