import { median } from './gateway.ts'

/** Enough for the runtime to compile all hot functions. */
const warmUpMs = 250
/** Short rounds, of which most run without an interruption. */
const roundMs = 2
const rounds = 101

function inRound(work: () => void, times: number): number {
  const begun = performance.now()
  for (let done = 0; done < times; done += 1) work()
  return performance.now() - begun
}

/** Microseconds of one call: the median of many short rounds after a warm-up. */
export function microsOf(work: () => void): number {
  let calls = 0
  const begun = performance.now()
  for (; performance.now() - begun < warmUpMs; calls += 1) work()
  const times = Math.max(1, Math.round((calls * roundMs) / warmUpMs))
  return median(Array.from({ length: rounds }, () => (inRound(work, times) * 1000) / times))
}
