import { type DurationBand, durationBands, type TimeMeasure, timeBandEnds } from './duration-bands.ts'

export interface BandBounds {
  readonly measure: TimeMeasure
  /** Of all bands of the measure. */
  readonly index: number
  /** Milliseconds, exclusive; `undefined` = from 0. */
  readonly above: number | undefined
  /** Milliseconds, inclusive; `undefined` = no end. */
  readonly upTo: number | undefined
}

export function boundsOfBand(band: DurationBand): BandBounds {
  const perMeasure = timeBandEnds.length + 1
  const at = durationBands.indexOf(band)
  const index = at % perMeasure
  return { measure: at < perMeasure ? 'elapsed' : 'first_byte', index, above: timeBandEnds[index - 1], upTo: timeBandEnds[index] }
}
