import { messageText } from '@sluice/contract'
import { type Counts, type Rates, type Unit, units } from '../ledger/price.ts'
import type { Quote } from './prices.ts'

/** Every class that was charged, as the log row keeps it: `[["prompt",9,2.5]]`, the unit, how many, and the quota of each. */
export function detailOf(counts: Counts, rates: Rates): string {
  let lines = ''
  for (const unit of paidIn(counts, rates)) lines += `${lines === '' ? '' : ','}["${unit}",${counts[unit]},${rates.each[unit]}]`
  return lines === '' ? '' : `[${lines}]`
}

/** Units of which some were used, and which are not free. */
function paidIn(counts: Counts, { of }: Rates): readonly Unit[] {
  return units.filter((unit) => (counts[unit] ?? 0) > 0 && of[unit] > 0n)
}

/** What the two ratios of the old formula say already. */
const plainUnits: ReadonlySet<Unit> = new Set(['prompt', 'completion'])

const words: Readonly<Record<Unit, string>> = {
  prompt: 'input tokens',
  completion: 'output tokens',
  cached: 'cached input tokens',
  cacheWrite: 'input tokens written to the cache for 5 minutes',
  cacheWrite1h: 'input tokens written to the cache for 1 hour',
  audioInput: 'audio input tokens',
  audioOutput: 'audio output tokens',
  imageInput: 'image input tokens',
  imageOutput: 'image output tokens',
  audioMs: 'milliseconds of audio',
  characters: 'characters',
  images: 'images',
  calls: 'calls',
  searches: 'web searches',
}

/** The price in words: the ratios where tokens were paid, and a term for each class that the ratios do not tell of. */
export function formulaOf(model: string, { factors, price }: Quote, given: { readonly counts: Counts; readonly rates: Rates }): string {
  const { counts, rates } = given
  const isByTokens = price.ratio !== undefined && counts.prompt !== undefined
  const start = isByTokens
    ? messageText('log_consume', { model, ratio: factors.model, group: factors.group, completion: factors.completion })
    : model
  const shown = paidIn(counts, rates).filter((unit) => !(isByTokens && plainUnits.has(unit)))
  const terms = shown.map((unit) => `${counts[unit]} ${words[unit]} × ${rates.each[unit]}`)
  return terms.length === 0 ? start : `${start}; ${terms.join(' + ')}`
}
