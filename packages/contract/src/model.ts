import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
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

/** Whether requests of a model are served now, as far as its last ones tell. */
export const modelStates = ['up', 'degraded', 'down'] as const
export type ModelState = (typeof modelStates)[number]

/** Quota of one unit, for the account that asks, without rounding. The units are those of the charges of a log row, and
 * `thinking`, a completion token in an answer with thoughts, and `cachedExplicit`, a prompt token from a cache by marks. */
const unitPrices = z.record(z.string(), z.number())

export const modelRow = z.object({
  name: z.string(),
  kinds: z.array(z.enum(modelKinds)),
  /** Types of the channels that serve it. */
  vendors: z.array(z.int()),
  /** Most LLM tokens of prompt and answer together, and of an answer; 0 = not known. */
  context: z.int(),
  output: z.int(),
  /** Whether requests can be charged: models without a price are refused. */
  is_priced: z.boolean(),
  /** Only what has a price of its own; empty = free, if it is priced. Of several vendors the highest. */
  prices: unitPrices,
  /** Prices of longer requests, which apply to all their tokens. */
  tiers: z.array(z.object({ above: z.int(), above_output: z.int(), prices: unitPrices })),
  state: z.enum(modelStates),
})
export type ModelRow = z.output<typeof modelRow>

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
    input: noInput,
    data: z.array(modelRow),
  }),
}
