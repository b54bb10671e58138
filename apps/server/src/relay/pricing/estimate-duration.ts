/** Assumed bytes per second if nothing is known: speech at 64 kbit/s. */
const commonBytesPerSecond = 8_000

/** Milliseconds of a file of so many bytes if its headers have no length, or cannot be read within the limits. */
export function estimateDurationMs(byteLength: number): number {
  return Math.ceil((byteLength / commonBytesPerSecond) * 1000)
}
