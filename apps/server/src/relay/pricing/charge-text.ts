import { messageText } from '@sluice/contract'
import type { Counts, LineItem, Rates, Unit } from '../../ledger/price.ts'
import type { ResolvedPrice } from './resolve-price.ts'
import type { ModelLineItem } from './tool-line-items.ts'

/**
 * The charged units as the log row stores them: `[["prompt",9,2.5]]` is unit, count and quota. Usage of another model by a vendor's tool
 * follows as `tool.prompt`.
 */
export function detailOf(item: LineItem, tools: readonly ModelLineItem[]): string {
  return detailOfAll([item], tools)
}

/** The detail of a charge for usage at several prices: the lines of all items and tools. */
export function detailOfAll(items: readonly LineItem[], tools: readonly ModelLineItem[] = []): string {
  let lines = ''
  for (const item of items) lines += linesOf(item.counts, item.rates, '')
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

/** Units that the two ratios of the old formula cover. */
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
  videoMs: 'milliseconds of video',
  credits: 'thousandths of a credit',
}

/** The price as text: the ratios if tokens were charged, and a term for each unit that the ratios do not cover. */
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

/** The price of a task as text, by the units of its models alone. @param unpaid quota that the balance could not pay */
export function chargedText(items: readonly ModelLineItem[], unpaid: number): string {
  const formula = items
    .map(({ model, counts, rates }) => [model, termsOf(counts, rates)].filter((text) => text !== '').join('; '))
    .join(', ')
  return unpaid > 0 ? `${formula} (${messageText('log_unpaid', { quota: unpaid })})` : formula
}

/** The formula's part for other models that the vendor's tools used: `; gpt-image-1: 272 image output tokens × 20`. */
export function toolFormulaOf(tools: readonly ModelLineItem[]): string {
  return tools.length === 0 ? '' : tools.map(({ model, counts, rates }) => `; ${model}: ${termsOf(counts, rates)}`).join('')
}

function termsOf(counts: Counts, rates: Rates): string {
  return rates.paid
    .filter((unit) => isUsed(counts[unit]))
    .map((unit) => `${counts[unit]} ${words[unit]} × ${rates.each[unit]}`)
    .join(' + ')
}
