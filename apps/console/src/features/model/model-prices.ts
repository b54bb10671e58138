import type { ModelRow } from '@sluice/contract'
import { group } from '../../lib/quota.ts'
import type { PriceUnit } from './model-search.ts'

/** What a price is for: many small units together, or one large one. */
export type PerUnit = 'million' | 'second' | 'each'

interface Measure {
  readonly per: PerUnit
  /** Of the units that are counted. */
  readonly size: number
}

const millionOfUnits: Measure = { per: 'million', size: 1_000_000 }
/** Counted in thousandths. */
const whole: Measure = { per: 'each', size: 1_000 }
const second: Measure = { per: 'second', size: 1_000 }
const one: Measure = { per: 'each', size: 1 }

const measures: Readonly<Record<string, Measure>> = {
  audioMs: second,
  videoMs: second,
  credits: whole,
  images: one,
  calls: one,
  searches: one,
  fileSearches: one,
}

export interface PriceLine {
  readonly unit: string
  readonly per: PerUnit
  /** In dollars, or in quota. */
  readonly amount: number
}

/** @param quotaPerDollar the exchange rate of the installation */
export function priceLines(prices: ModelRow['prices'], unit: PriceUnit, quotaPerDollar: number): readonly PriceLine[] {
  return Object.entries(prices).map(([name, quota]) => {
    const { per, size } = measures[name] ?? millionOfUnits
    return { unit: name, per, amount: unit === 'quota' ? quota * size : (quota * size) / quotaPerDollar }
  })
}

/** Tools of the vendor, which cost something at free models, too. */
const tools: ReadonlySet<string> = new Set(['searches', 'fileSearches'])

export const isFree = (lines: readonly PriceLine[]): boolean => lines.every(({ unit }) => tools.has(unit))

/** An amount with three digits that count, never rounded to nothing: 2.5, 0.075, 1,250. */
export function priceText(amount: number, unit: PriceUnit): string {
  const digits = amount >= 100 ? amount.toFixed(amount % 1 === 0 ? 0 : 2) : String(Number(amount.toPrecision(3)))
  const [head = '', tail] = (digits.includes('e') ? amount.toFixed(9).replace(/0+$/, '') : digits).split('.')
  const text = tail === undefined ? group(head) : `${group(head)}.${tail}`
  return unit === 'money' ? `$${withCents(text)}` : text
}

/** Money has at least two decimals, unless it is a whole number of dollars: $2.50, $15. */
const withCents = (text: string): string => text.replace(/\.(\d)$/, '.$10')

const steps = [
  { from: 1_000_000, divisor: 1_000_000, suffix: 'M' },
  { from: 1_000, divisor: 1_000, suffix: 'k' },
] as const

/** A limit as vendors write it: 128k, 1M, 262k. */
export function limitText(tokens: number): string {
  const step = steps.find(({ from }) => tokens >= from)
  return step === undefined ? String(tokens) : `${Number((tokens / step.divisor).toFixed(1))}${step.suffix}`
}
