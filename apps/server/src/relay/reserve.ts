import type { Settings } from '@sluice/contract'
import type { Hold, Ledger } from '../ledger/ledger.ts'
import { quotaFor, type Rates } from '../ledger/price.ts'
import type { Wanted } from './call.ts'
import { estimateTokens } from './count-tokens.ts'

/** Output tokens that a stream reserves at a time. */
const windowTokens = 1_024
/** Output tokens reckoned with where the client names no limit. */
const defaultOutputTokens = 2_048
/** Share of what is reserved after which more is asked for. */
const extendAt = 0.75

function priceOf(promptTokens: number, completionTokens: number, rates: Rates): number {
  return quotaFor({ promptTokens, completionTokens, cachedTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 }, rates)
}

/**
 * What a request reserves before it is sent: its prompt, and the output to come. A stream reserves a window of output and
 * extends while it runs; an answer that comes whole must have all of it reserved, up to the administrator's limit.
 */
export function reserveFor(wanted: Wanted, rates: Rates, settings: Settings): number {
  const output = (wanted.maxTokens ?? defaultOutputTokens) * wanted.choices
  const prompt = priceOf(wanted.promptTokens, 0, rates)
  const completion = priceOf(0, wanted.isStream ? Math.min(output, windowTokens) : output, rates)
  if (prompt + completion === 0) return 0
  const whole = wanted.isStream ? prompt + completion : Math.min(prompt + completion, Math.max(prompt, settings.MaxReserve))
  return Math.max(whole, settings.PreConsumedQuota)
}

/** Watches a stream's output and extends its reservation. */
export interface Budget {
  /** Counts delivered text. `false`: the balance does not have the next window. */
  spend(text: string): boolean
  /** Output tokens delivered so far, as nearly as they can be told piece by piece. */
  used(): number
}

export function createBudget(ledger: Ledger, hold: Hold, rates: Rates): Budget {
  const windowQuota = priceOf(0, windowTokens, rates)
  let reserved = windowTokens
  let used = 0
  return {
    spend(text) {
      used += text.length < 4 ? 1 : estimateTokens(text)
      if (used < reserved * extendAt) return true
      // A single large event may pass several windows.
      while (used >= reserved * extendAt) {
        if (!ledger.extend(hold, windowQuota)) return false
        reserved += windowTokens
      }
      return true
    },
    used: () => used,
  }
}
