/** The upper end of an axis and the values at its lines: whole, round numbers where the values are whole. */
export interface Scale {
  readonly max: number
  /** From 0 upwards. */
  readonly ticks: readonly number[]
}

const roundSteps = [1, 2, 2.5, 5, 10] as const
const tickCount = 4

/** @param isWhole the values are counts, which have no parts */
export function scaleOf(most: number, isWhole: boolean): Scale {
  const least = isWhole ? tickCount : Number.MIN_VALUE
  const rough = Math.max(most, least) / tickCount
  const size = 10 ** Math.floor(Math.log10(rough))
  const factor = roundSteps.find((step) => step * size >= rough && (!isWhole || Number.isInteger(step * size))) ?? 10
  const step = factor * size
  return { max: step * tickCount, ticks: Array.from({ length: tickCount + 1 }, (_, index) => index * step) }
}

/** The text at a line of the axis, which is round: 800k, where a value between the lines is "800.0k". */
export const tickText = (text: string): string => text.replace(/\.0(?=[kMB]$)/, '')
