import type { PriceChoice } from '@sluice/contract'

export const priceKinds = ['free', 'like', 'price'] as const
export type PriceKind = (typeof priceKinds)[number]

interface PriceTexts {
  readonly like: string
  /** Dollars per million tokens of input, and of output. */
  readonly input: string
  readonly output: string
}

/** Dollars per million tokens at a ratio of 1. */
const dollarsOfRatio1 = 2

/** The chosen price in the server's form; `null` = incomplete. */
export function priceOf(kind: PriceKind, { like, input, output }: PriceTexts): PriceChoice | null {
  if (kind === 'free') return { free: true }
  if (kind === 'like') return like.trim() === '' ? null : { like: like.trim() }
  const [dollarsIn, dollarsOut] = [dollarsOf(input), dollarsOf(output)]
  if (dollarsIn === null || dollarsOut === null) return null
  // The price of output is stored as a multiple of the price of input, so it cannot be set without it.
  if (dollarsIn === 0) return dollarsOut === 0 ? { free: true } : null
  return { ratio: rounded(dollarsIn / dollarsOfRatio1), completion: rounded(dollarsOut / dollarsIn) }
}

function dollarsOf(text: string): number | null {
  return /^\d{1,6}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null
}

/** Without rounding errors of the division. */
function rounded(value: number): number {
  return Number(value.toPrecision(12))
}
