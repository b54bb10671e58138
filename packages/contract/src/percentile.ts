import { timeBandEnds } from './duration-bands.ts'

/** A duration below which a share of the requests are. */
export interface Percentile {
  /** Milliseconds. */
  readonly ms: number
  /** It is longer than `ms`: the last band has no end. */
  readonly isMore: boolean
}

/** Estimated from the bands, within the one that has it by the ratio of its ends. `null` = there are no requests. */
export function percentileOf(bands: readonly number[], share: number): Percentile | null {
  const total = bands.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = share * total
  let below = 0
  for (const [index, count] of bands.entries()) {
    const end = timeBandEnds[index]
    if (end === undefined) break
    if (count > 0 && below + count >= rank) return { ms: within(timeBandEnds[index - 1] ?? 0, end, (rank - below) / count), isMore: false }
    below += count
  }
  return { ms: timeBandEnds.at(-1) ?? 0, isMore: true }
}

/** Durations are spread evenly over the ratio of the ends; the first band, which begins at 0, evenly over its length. */
function within(from: number, to: number, part: number): number {
  return Math.round(from === 0 ? to * part : from * (to / from) ** part)
}

/** Sums the bands of several times. */
export function addBands(all: readonly (readonly number[])[]): readonly number[] {
  return [...timeBandEnds, 0].map((_, index) => all.reduce((sum, bands) => sum + (bands[index] ?? 0), 0))
}
