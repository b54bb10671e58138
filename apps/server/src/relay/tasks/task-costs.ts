import type { Price } from '@sluice/vendors/prices'
import type { TaskCounts } from '@sluice/vendors/tasks/task'
import { type Counts, quotaFor, type Rates, ratesStored } from '../../ledger/price.ts'
import { AppError } from '../../lib/app-error.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import type { StoredPrice } from './task-texts.ts'

/** The units that a task is charged by. Those without a price are free. */
function unitsOf({ seconds = 0, credits = 0, images = 0, calls = 1 }: TaskCounts): Counts {
  return { videoMs: Math.ceil(seconds * 1000), credits: Math.ceil(credits * 1000), images, calls }
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
  return ratesFor({ promptTokens: 0, completionTokens: 0, serviceTier: 'standard', pictureSize: size, pictureQuality: quality })
}

/** Whether the price has a unit that the task is counted in; a task that is counted in none would be free by accident. */
function isPriced({ ratio, video, credit, picture, call }: Price, { seconds = 0, credits = 0, images = 0 }: TaskCounts): boolean {
  if (ratio === 0 || call !== undefined) return true
  if (seconds > 0 && video !== undefined) return true
  return (credits > 0 && credit !== undefined) || (images > 0 && (picture !== undefined || ratio !== undefined))
}

export function taskQuota(rates: Rates, counts: TaskCounts): number {
  return quotaFor(unitsOf(counts), rates)
}

/** What a task costs by what its vendor counted, at the prices of its order. */
export function finalCost(
  stored: StoredPrice,
  counted: TaskCounts | undefined,
): { readonly counts: Counts; readonly rates: Rates; readonly amount: number; readonly vendorCost: number | null } {
  const rates = ratesStored(stored.rates)
  const counts = unitsOf({ ...stored.counts, ...counted })
  const { costRates } = stored
  const vendorCost = costRates === undefined ? null : quotaFor(counts, ratesStored(costRates))
  return { counts, rates, amount: quotaFor(counts, rates), vendorCost }
}
