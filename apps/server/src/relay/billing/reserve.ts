import type { Settings } from '@sluice/contract'
import { noUsage } from '@sluice/vendors/no-usage'
import { type Counts, quotaFor, quotaWith } from '../../ledger/price.ts'
import type { BillableParams } from '../model/request-params.ts'
import { countsOf } from '../pricing/billable-counts.ts'
import type { PriceBasis, ResolvedPrice } from '../pricing/resolve-price.ts'
import { insistedQuota } from '../pricing/tool-line-items.ts'

/** Minimum output tokens: with less, a request is not worth sending. */
const roomMin = 256
/** Margin on our estimate of the prompt: a tenth, and some tokens. */
const promptShare = 1.1
const promptSlack = 64
/** Output tokens by which a running stream extends its reservation; also the maximum charged beyond the balance. */
export const windowTokens = 1_024

/** The parameters of a request that cost something. */
export interface Order extends BillableParams {
  readonly model: string
  readonly promptTokens: number
  /** Maximum output tokens of one answer; `null`: the client set none. */
  readonly maxTokens: number | null
  readonly choices: number
}

/** The reservation of a request. */
export interface Reservation {
  /** Quota. */
  readonly amount: number
  /** The minimum to reserve if the balance does not cover `amount`. Equal to it if the client set a limit. */
  readonly least: number
  /** Output tokens of one answer: the client's limit, or what the model can write. */
  readonly outputMax: number
  /** The cost of so many output tokens of all choices together, without the rest. */
  readonly outputQuota: (outputTokens: number) => number
  /** Output tokens of one answer that this quota pays for; `null`: output is free or not charged by tokens. */
  readonly outputWithin: (amount: number) => number | null
}

/**
 * Everything known to be charged (prompt, pictures, audio, characters, the call), plus the output: the client's limit in full, or without
 * one what the model can write, capped by `MaxReserve` and the balance. Reasoning counts as output. Prices per piece are reserved exactly.
 * If other models may answer, the most expensive of them is reserved.
 */
export function reserveFor(order: Order, resolvedPrice: ResolvedPrice, settings: Settings): Reservation {
  const others = (order.use?.models ?? []).flatMap(({ role, model }) => (role === 'beside' ? [] : (resolvedPrice.ofTool([model]) ?? [])))
  const own = reserveAt(order, resolvedPrice, settings)
  const reservations = others.map(({ price }) => reserveAt(order, price, settings))
  return reservations.reduce((dearest, other) => (other.amount > dearest.amount ? other : dearest), own)
}

function reserveAt(order: Order, resolvedPrice: ResolvedPrice, settings: Settings): Reservation {
  const { choices, maxTokens } = order
  const outputMax = maxTokens ?? mayWrite(order, resolvedPrice)
  const basis = basisOf(order, outputMax)
  const rates = resolvedPrice.ratesFor(basis)
  const counts = knownCounts(order, resolvedPrice)
  const tool = insistedQuota(order, resolvedPrice, basis) + advisorQuota(order, resolvedPrice)
  const unit = outputUnit(order)
  const quotaOf = (outputTokens: number): number => tool + quotaWith(counts, rates, { unit, count: outputTokens })
  const fixed = tool + quotaFor(counts, rates)
  const outputQuota = (outputTokens: number): number => quotaOf(outputTokens) - fixed
  const full = quotaOf(inAll(outputMax, choices))
  // Prices per piece replace prices per token.
  if (counts.prompt === undefined) return { amount: fixed, least: fixed, outputMax, outputQuota: () => 0, outputWithin: () => null }
  if (full === 0) return { amount: 0, least: 0, outputMax, outputQuota: () => 0, outputWithin: () => null }
  const least = maxTokens === null ? quotaOf(inAll(Math.min(roomMin, outputMax), choices)) : full
  const amount = maxTokens === null ? Math.min(full, Math.max(least, settings.MaxReserve)) : full
  const each = rates.each[unit] * choices
  return {
    amount: Math.max(amount, settings.PreConsumedQuota),
    least: Math.max(least, settings.PreConsumedQuota),
    outputMax,
    outputQuota,
    outputWithin(paid) {
      if (full === fixed) return null
      if (paid >= full) return outputMax
      let tokens = Math.floor((paid - fixed) / each)
      while (tokens > 0 && quotaOf(tokens * choices) > paid) tokens -= 1
      return tokens
    },
  }
}

/** Output tokens of one question to an advisor. */
const adviceTokens = 2_048

/** One question to each advisor that the request names, which reads the whole prompt. */
function advisorQuota({ use, promptTokens }: Order, resolvedPrice: ResolvedPrice): number {
  if (use === undefined || use.images > 0) return 0
  const advisors = use.models.flatMap(({ role, model }) => (role === 'beside' ? (resolvedPrice.ofTool([model]) ?? []) : []))
  return advisors.reduce((sum, { price }) => {
    const usage = { ...noUsage, promptTokens, completionTokens: adviceTokens }
    return sum + quotaFor(countsOf(usage, price.price, true), price.ratesFor(usage))
  }, 0)
}

function knownCounts(order: Order, { price }: ResolvedPrice): Counts {
  const { promptTokens, images = 0, characters = 0, audioMs = 0, calls = 0 } = order
  return countsOf({ ...noUsage, promptTokens, images, characters, audioMs, calls }, price, false)
}

/** The model's output limit, from its price row or the table of models, reduced by the prompt to what fits its context. */
function mayWrite({ promptTokens }: Order, { price, limits: { outputMax, contextMax } }: ResolvedPrice): number {
  const most = price.outputMax ?? outputMax
  if (contextMax === null) return most
  const left = Math.floor(contextMax - promptTokens * promptShare - promptSlack)
  return Math.max(Math.min(roomMin, most), Math.min(most, left))
}

/** Audio output costs more than text. */
function outputUnit({ isSpoken = false }: Order): 'completion' | 'audioOutput' {
  return isSpoken ? 'audioOutput' : 'completion'
}

function inAll(tokens: number, choices: number): number {
  return Math.min(tokens * choices, Number.MAX_SAFE_INTEGER)
}

/** The parameters that determine a request's price before its answer. */
function basisOf(order: Order, outputMax: number): PriceBasis {
  const { promptTokens, choices, serviceTier = 'standard', isRegional, pictureSize, pictureQuality } = order
  const completionTokens = inAll(outputMax, choices)
  // All of it may be thoughts.
  return { promptTokens, completionTokens, reasoningTokens: completionTokens, serviceTier, isRegional, pictureSize, pictureQuality }
}
