import type { Clock } from './clock.ts'

/**
 * Lets one of many alike through, so that a log shows a trouble without being flooded by it. Only for a bounded set of names.
 * @returns how many were kept back since the last one that went through; `null`: this one is kept back too
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

/** Tells of one error of each name in that time. @param tell also gets how many were kept back since the last one */
export function sampleErrors(clock: Clock, everyMs: number, tell: (error: unknown, keptBack: number) => void): (error: unknown) => void {
  const sample = createSampler(clock, everyMs)
  return (error) => {
    const keptBack = sample(error instanceof Error ? error.name : typeof error)
    if (keptBack !== null) tell(error, keptBack)
  }
}
