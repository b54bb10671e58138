/** Upper ends of the bands in which durations are counted, in milliseconds; a last band has no end. */
export const timeBandEnds = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000] as const

/** What is measured of a request: until the end of its response, and until the first byte of it. */
export const timeMeasures = ['elapsed', 'first_byte'] as const
export type TimeMeasure = (typeof timeMeasures)[number]

/** A band of a measure, by its upper end: `elapsed_250`, ..., `elapsed_more`, `first_byte_250`, ... */
export const durationBands = timeMeasures.flatMap((measure) =>
  [...timeBandEnds, 'more' as const].map((end) => `${measure}_${end}` as const),
)
export type DurationBand = (typeof durationBands)[number]
