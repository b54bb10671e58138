import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { modalities, modelFeatures } from './model-facts.ts'
import { noInput } from './parts.ts'

/** What a model is called for. The last three are work that takes minutes. */
export const modelKinds = [
  'chat',
  'responses',
  'completions',
  'embeddings',
  'rerank',
  'moderations',
  'images',
  'speech',
  'transcriptions',
  'realtime',
  'videos',
  'songs',
  'pictures',
] as const
export type ModelKind = (typeof modelKinds)[number]

/** Whether requests for a model are served now, judging by its most recent ones. */
export const modelStates = ['up', 'degraded', 'down'] as const
export type ModelState = (typeof modelStates)[number]

/** Quota of one unit, for the requesting account, without rounding. The units are those of the charges of a log row, and
 * `thinking`, a completion token in a response with reasoning, `mediaCompletion`, one in a response to audio, images or videos, and `cachedExplicit`, a
 * prompt token from an explicit cache. */
const unitPrices = z.record(z.string(), z.number())

/** Half of the responses of the last 24 hours began within so many milliseconds; `null` = there were none. */
const firstByte = z.nullable(z.int())

export const modelRow = z.object({
  name: z.string(),
  kinds: z.array(z.enum(modelKinds)),
  /** Types of the channels that serve it. */
  vendors: z.array(z.int()),
  /** Maximum LLM tokens of prompt and output together, and of the output; 0 = not known. */
  context: z.int(),
  output: z.int(),
  /** Whether requests can be charged: models without a price are refused. */
  is_priced: z.boolean(),
  /** Only what has a price of its own; empty = free, if it is priced. Of several vendors the highest. */
  prices: unitPrices,
  /** Prices of longer requests, which apply to all their tokens. */
  tiers: z.array(z.object({ above: z.int(), above_output: z.int(), prices: unitPrices })),
  /** As public tables say, less what every channel that serves it refuses. Empty = not known. */
  inputs: z.array(z.enum(modalities)),
  outputs: z.array(z.enum(modalities)),
  features: z.array(z.enum(modelFeatures)),
  /** The day or month on which its vendor published it, such as `2025-08-07`; empty = not known. */
  released: z.string(),
  state: z.enum(modelStates),
  first_byte: firstByte,
  /** Output tokens of the last 24 hours by the seconds that these responses took, waiting included; `null` = there were none. */
  tokens_per_second: z.nullable(z.number()),
})
export type ModelRow = z.output<typeof modelRow>

/** Slots of a model's status: hours up to the current one, and days in UTC up to today. */
export const statusSlots = { hours: 24, days: 90 } as const

/** Requests that were served, in ten-thousandths of those that did not fail because of their clients. `null`: it is not known of any. */
const servedShare = z.nullable(z.int())

export const modelStatusRow = z.object({
  name: z.string(),
  /** Now. */
  state: z.enum(modelStates),
  /** Oldest first. */
  hours: z.array(servedShare),
  days: z.array(servedShare),
  /** Of all these hours, and of all these days. */
  totals: z.object({ hours: servedShare, days: servedShare }),
  first_byte: firstByte,
})
export type ModelStatusRow = z.output<typeof modelStatusRow>

/** The state that a slot had by its share. */
export function stateOfShare(share: number): ModelState {
  if (share >= 9_900) return 'up'
  return share >= 5_000 ? 'degraded' : 'down'
}

export const model = {
  /**
   * The models that the account may use, sorted. Visitors get those of the group `default`, if the option `PublicModelsEnabled` allows
   * it.
   */
  list: endpoint({
    method: 'GET',
    path: '/api/model/',
    access: 'public',
    knowsCaller: true,
    mayRefuseVisitors: true,
    input: noInput,
    data: z.array(modelRow),
  }),
  /**
   * How well the same models were served, if the option `StatusPageEnabled` allows it. Visitors get those of the group `default`. It says
   * nothing of channels and vendors, and not how many requests there were.
   */
  status: endpoint({
    method: 'GET',
    path: '/api/model/status',
    access: 'public',
    knowsCaller: true,
    mayRefuseVisitors: true,
    input: noInput,
    data: z.object({
      /** When the last slots began, in seconds since the epoch. */
      hour: z.int(),
      day: z.int(),
      models: z.array(modelStatusRow),
    }),
  }),
}
