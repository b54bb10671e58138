import { mp4FileLength } from '@sluice/contract'
import { estimateDurationMs } from '../estimate-duration.ts'

/** Entries and boxes of one file. */
const entriesMax = 8_000_000

/**
 * Seconds of an MP4 or M4A file by its tables of samples; but at least what its packets of audio have. One that cannot be read is
 * estimated by its size.
 */
export function mp4AudioSeconds(bytes: Buffer): number {
  const length = mp4FileLength(bytes, entriesMax)
  return length === null ? estimateDurationMs(bytes.length) / 1000 : Math.max(length.seconds, length.audioSeconds)
}
