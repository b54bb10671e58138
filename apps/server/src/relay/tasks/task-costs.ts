import type { TaskCounts } from '@sluice/vendors/core/task'
import type { Price } from '@sluice/vendors/registry/models/prices'
import { type Counts, quotaFor, type Rates, ratesStored } from '../../ledger/price.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import type { StoredPrice } from './task-texts.ts'

/** The units that a task is charged by. Those without a price are free. A count is not rounded up: the charge is, once, at the end. */
function unitsOf({ seconds = 0, credits = 0, images = 0, calls = 1 }: TaskCounts): Counts {
  return { videoMs: Math.round(seconds * 1000), credits: Math.round(credits * 1000), images, calls }
}

/** How many times the requested amount a vendor may count. */
const timesMax = 5
const judgedUnits = ['seconds', 'credits', 'images', 'calls'] as const

/** What a vendor counted. A count far above the requested amount is capped at that of the model's most expensive task. */
function believable({ counts: estimated, most }: StoredPrice, counted: TaskCounts | undefined): Believed {
  const odd = judgedUnits.filter((unit) => (estimated[unit] ?? 0) > 0 && (counted?.[unit] ?? 0) > timesMax * (estimated[unit] ?? 0))
  const kept = Object.fromEntries(
    odd.map((unit) => [unit, Math.min(counted?.[unit] ?? 0, Math.max(estimated[unit] ?? 0, most?.[unit] ?? 0))]),
  )
  return { counts: { ...estimated, ...counted, ...kept }, isSuspect: odd.length > 0 }
}

interface Believed {
  readonly counts: TaskCounts
  readonly isSuspect: boolean
}

/** The rates for a task, at its size and quality. @throws AppError model_price_not_set */
export function taskRates(model: string, { price, ratesFor }: ResolvedPrice, counts: TaskCounts): Rates {
  if (!isPriced(price, counts)) throw new AppError('model_price_not_set', { params: { model } })
  return ratesAt(ratesFor, counts)
}

/** What the vendor charges for a task, at its size and quality. `null`: that is not known. */
export function taskCostRates(cost: ResolvedPrice | null, counts: TaskCounts): Rates | null {
  return cost !== null && isPriced(cost.price, counts) ? ratesAt(cost.ratesFor, counts) : null
}

function ratesAt(ratesFor: ResolvedPrice['ratesFor'], { size, quality }: TaskCounts): Rates {
  return ratesFor({ promptTokens: 0, completionTokens: 0, serviceTier: 'standard', imageSize: size, imageQuality: quality })
}

/** Whether the price has a unit that the task is counted in; a task that is counted in none would be free by accident. */
function isPriced({ ratio, video, credit, picture: image, call }: Price, { seconds = 0, credits = 0, images = 0 }: TaskCounts): boolean {
  if (ratio === 0 || call !== undefined) return true
  if (seconds > 0 && video !== undefined) return true
  return (credits > 0 && credit !== undefined) || (images > 0 && (image !== undefined || ratio !== undefined))
}

export function taskQuota(rates: Rates, counts: TaskCounts): number {
  return quotaFor(unitsOf(counts), rates)
}

interface FinalCost {
  readonly counts: Counts
  readonly rates: Rates
  readonly amount: number
  /** `null`: that is not known. */
  readonly vendorCost: number | null
  /** The vendor counted far more than was requested. */
  readonly isSuspect: boolean
}

/** What a task costs by what its vendor counted, at the prices of its order. */
export function finalCost(stored: StoredPrice, counted: TaskCounts | undefined): FinalCost {
  const rates = ratesStored(stored.rates)
  const { counts: believed, isSuspect } = believable(stored, counted)
  const counts = unitsOf(believed)
  const { costRates } = stored
  const vendorCost = costRates === undefined ? null : quotaFor(counts, ratesStored(costRates))
  return { counts, rates, amount: quotaFor(counts, rates), vendorCost, isSuspect }
}
