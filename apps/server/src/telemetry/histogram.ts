/** Counts of observations by upper bound, as in Prometheus; observing allocates nothing. */
export interface Histogram {
  readonly bounds: readonly number[]
  /** One count per bound and one beyond the last; not cumulative. */
  readonly counts: Float64Array
  sum: number
}

export function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 }
}

export function observe(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram
  let slot = 0
  while (slot < bounds.length && value > (bounds[slot] ?? 0)) slot += 1
  counts[slot] = (counts[slot] ?? 0) + 1
  histogram.sum += value
}
