import type { Settings } from '@sluice/contract'
import { noUsage } from '@sluice/vendors/no-usage'
import { type Counts, quotaFor } from '../../ledger/price.ts'
import type { BillableParams } from '../model/request-params.ts'
import { countsOf } from '../pricing/billable-counts.ts'
import type { PriceBasis, ResolvedPrice } from '../pricing/prices.ts'
import { insistedQuota } from '../pricing/tool-line-items.ts'

/** Room that an answer needs at least: with less, it is not worth asking for. */
const roomMin = 256
/** Our estimate of the prompt may be too low by so much: a tenth, and some tokens. */
const promptShare = 1.1
const promptSlack = 64
/** Output tokens that a running stream reserves at a time beyond what was reserved for it, and the most that is charged beyond the balance. */
export const windowTokens = 1_024

/** What is asked for, as far as it costs something. */
export interface Order extends BillableParams {
  readonly model: string
  readonly promptTokens: number
  /** Most output tokens of one answer; `null` = the client did not say. */
  readonly maxTokens: number | null
  readonly choices: number
}

/** What a request reserves before it is sent. */
export interface Reservation {
  /** Quota. */
  readonly amount: number
  /** What is enough where the balance does not have the amount. The same where the client named a limit. */
  readonly least: number
  /** Output tokens of one answer: the client's limit, or what the model can write. */
  readonly outputMax: number
  /** What so many output tokens of all answers together cost beside the rest. */
  readonly outputQuota: (outputTokens: number) => number
  /** Most output tokens of one answer that so much quota pays for; `null`: its output is not paid by tokens, or costs nothing. */
  readonly outputWithin: (amount: number) => number | null
}

/**
 * All that is known to be paid (prompt, pictures, sound, characters, the call), and the output to come: the client's limit in full, or, where
 * it names none, what the model can write, as far as `MaxReserve` and the balance allow. Reasoning is output. What is paid by the piece is
 * reserved to the unit.
 */
export function reserveFor(order: Order, resolvedPrice: ResolvedPrice, settings: Settings): Reservation {
  const { choices, maxTokens } = order
  const outputMax = maxTokens ?? mayWrite(order, resolvedPrice)
  const basis = basisOf(order, outputMax)
  const rates = resolvedPrice.ratesFor(basis)
  const counts = knownCounts(order, resolvedPrice)
  const tool = insistedQuota(order, resolvedPrice, basis)
  const quotaOf = (outputTokens: number): number => tool + quotaFor({ ...counts, [outputUnit(order)]: outputTokens }, rates)
  const fixed = tool + quotaFor(counts, rates)
  const outputQuota = (outputTokens: number): number => quotaOf(outputTokens) - fixed
  const full = quotaOf(inAll(outputMax, choices))
  // Pieces take the place of tokens.
  if (counts.prompt === undefined) return { amount: fixed, least: fixed, outputMax, outputQuota: () => 0, outputWithin: () => null }
  if (full === 0) return { amount: 0, least: 0, outputMax, outputQuota: () => 0, outputWithin: () => null }
  const least = maxTokens === null ? quotaOf(inAll(Math.min(roomMin, outputMax), choices)) : full
  const amount = maxTokens === null ? Math.min(full, Math.max(least, settings.MaxReserve)) : full
  const each = rates.each[outputUnit(order)] * choices
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

function knownCounts(order: Order, { price }: ResolvedPrice): Counts {
  const { promptTokens, images = 0, characters = 0, audioMs = 0, calls = 0 } = order
  return countsOf({ ...noUsage, promptTokens, images, characters, audioMs, calls }, price, false)
}

/** What the model can write where nobody limits it: by its price row or the table of models, and what the prompt leaves of its context. */
function mayWrite({ promptTokens }: Order, { price, limits: { outputMax, contextMax } }: ResolvedPrice): number {
  const most = price.outputMax ?? outputMax
  if (contextMax === null) return most
  const left = Math.floor(contextMax - promptTokens * promptShare - promptSlack)
  return Math.max(Math.min(roomMin, most), Math.min(most, left))
}

/** Spoken output is dearer than written. */
function outputUnit({ isSpoken = false }: Order): 'completion' | 'audioOutput' {
  return isSpoken ? 'audioOutput' : 'completion'
}

function inAll(tokens: number, choices: number): number {
  return Math.min(tokens * choices, Number.MAX_SAFE_INTEGER)
}

/** What the price of a request depends on before its answer is there. */
function basisOf(order: Order, outputMax: number): PriceBasis {
  const { promptTokens, choices, serviceTier = 'standard', pictureSize, pictureQuality } = order
  const completionTokens = inAll(outputMax, choices)
  return { promptTokens, completionTokens, serviceTier, pictureSize, pictureQuality }
}
