import type { Counts, LineItem, Rates, Unit } from '../../ledger/price.ts'
import type { ResolvedPrice } from './prices.ts'
import type { ToolLineItem } from './tool-line-items.ts'

/**
 * Every class that was charged, as the log row keeps it: `[["prompt",9,2.5]]`, the unit, how many, and the quota of each. What a tool of the
 * vendor took of another model stands behind it, as `tool.prompt`.
 */
export function detailOf({ counts, rates }: LineItem, tools: readonly ToolLineItem[]): string {
  let lines = linesOf(counts, rates, '')
  for (const tool of tools) lines += linesOf(tool.counts, tool.rates, 'tool.')
  return lines === '' ? '' : `[${lines.slice(1)}]`
}

function linesOf(counts: Counts, rates: Rates, prefix: string): string {
  let lines = ''
  for (const unit of rates.paid) {
    const count = counts[unit]
    if (isUsed(count)) lines += `,["${prefix}${unit}",${count},${rates.each[unit]}]`
  }
  return lines
}

function isUsed(count: number | undefined): boolean {
  return count !== undefined && count > 0
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
  fileSearches: 'file searches',
  containers: 'gigabytes of code containers',
}

/** The price in words: the ratios where tokens were paid, and a term for each class that the ratios do not tell of. */
export function formulaOf(model: string, resolvedPrice: ResolvedPrice, { counts, rates }: LineItem): string {
  const isByTokens = resolvedPrice.price.ratio !== undefined && counts.prompt !== undefined
  let formula = isByTokens ? resolvedPrice.ratios : model
  let sign = '; '
  for (const unit of rates.paid) {
    if (!isUsed(counts[unit]) || (isByTokens && plainUnits.has(unit))) continue
    formula += `${sign}${counts[unit]} ${words[unit]} × ${rates.each[unit]}`
    sign = ' + '
  }
  return formula
}

/** The same for what the vendor's tools took of other models: `; gpt-image-1: 272 image output tokens × 20`. */
export function toolFormulaOf(tools: readonly ToolLineItem[]): string {
  return tools.length === 0 ? '' : tools.map(({ model, counts, rates }) => `; ${model}: ${termsOf(counts, rates)}`).join('')
}

function termsOf(counts: Counts, rates: Rates): string {
  return rates.paid
    .filter((unit) => isUsed(counts[unit]))
    .map((unit) => `${counts[unit]} ${words[unit]} × ${rates.each[unit]}`)
    .join(' + ')
}
