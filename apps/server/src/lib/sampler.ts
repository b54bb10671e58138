import type { Clock } from './clock.ts'

/**
 * Lets one event of a name pass in each interval, so that repeated troubles do not flood the log. Only for a bounded set of names.
 * @returns number of events suppressed since the last one that passed; `null` = this one is suppressed too
 */
export type Sampler = (name: string) => number | null

export function createSampler(clock: Clock, everyMs: number): Sampler {
  const seen = new Map<string, { untilMs: number; keptBack: number }>()
  return (name) => {
    const now = clock.monotonicMs()
    const last = seen.get(name)
    if (last !== undefined && last.untilMs > now) {
      last.keptBack += 1
      return null
    }
    seen.set(name, { untilMs: now + everyMs, keptBack: 0 })
    return last?.keptBack ?? 0
  }
}

/** Reports one error of each name in each interval. @param report also gets the number suppressed since the last one */
export function sampleErrors(clock: Clock, everyMs: number, report: (error: unknown, keptBack: number) => void): (error: unknown) => void {
  const sample = createSampler(clock, everyMs)
  return (error) => {
    const keptBack = sample(error instanceof Error ? error.name : typeof error)
    if (keptBack !== null) report(error, keptBack)
  }
}
