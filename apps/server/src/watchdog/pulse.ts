/** What the thread gets. */
export interface WatchCommand {
  readonly pulse: SharedArrayBuffer
  readonly board: SharedArrayBuffer
  /** How long it sleeps between two looks at the pulse. */
  readonly stepMs: number
}

/** Integers of the pulse: turns of the event loop, and how many steps of the thread may pass without one. */
export const pulsePlace = { turns: 0, stepsMax: 1 } as const
const integers = 2

export const pulseBytes = integers * Int32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT

export const integersOf = (pulse: SharedArrayBuffer): Int32Array => new Int32Array(pulse, 0, integers)

/** One number behind them: when the event loop turned last, in its monotonic milliseconds. */
export const turnedAtOf = (pulse: SharedArrayBuffer): Float64Array => new Float64Array(pulse, integers * Int32Array.BYTES_PER_ELEMENT)
