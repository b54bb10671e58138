import * as z from 'zod/mini'
import { parseJsonText } from './parse-json-text.ts'

/** A price or a factor. The upper limit is far above any real one. */
const factor = z.number().check(z.gte(0), z.lt(1e9))
const tokenCount = z.int().check(z.gte(0))

const tokenFactors = {
  ratio: z.exactOptional(factor),
  completion: z.exactOptional(factor),
  thinking: z.exactOptional(factor),
  cached: z.exactOptional(factor),
  cachedExplicit: z.exactOptional(factor),
  cacheWrite: z.exactOptional(factor),
  cacheWrite1h: z.exactOptional(factor),
}

/** Fields of a price that replace the built-in ones; docs/billing.md explains each. */
export const priceRule = z.strictObject({
  ...tokenFactors,
  /** Costs nothing, whatever the other fields say. */
  free: z.exactOptional(z.literal(true)),
  /** Costs as much as another model, except for the fields of this rule. */
  like: z.exactOptional(z.string().check(z.minLength(1), z.maxLength(256))),
  audio: z.exactOptional(factor),
  audioCompletion: z.exactOptional(factor),
  image: z.exactOptional(factor),
  imageCompletion: z.exactOptional(factor),
  second: z.exactOptional(factor),
  character: z.exactOptional(factor),
  picture: z.exactOptional(factor),
  pictures: z.exactOptional(z.record(z.string(), factor)),
  pictureDefault: z.exactOptional(z.string()),
  video: z.exactOptional(factor),
  credit: z.exactOptional(factor),
  call: z.exactOptional(factor),
  search: z.exactOptional(factor),
  fileSearch: z.exactOptional(factor),
  container: z.exactOptional(factor),
  tiers: z.exactOptional(
    z.readonly(
      z
        .array(z.strictObject({ ...tokenFactors, above: z.exactOptional(tokenCount), aboveOutput: z.exactOptional(tokenCount) }))
        .check(z.maxLength(16)),
    ),
  ),
  flex: z.exactOptional(factor),
  priority: z.exactOptional(factor),
  fast: z.exactOptional(factor),
  ultrafast: z.exactOptional(factor),
  batch: z.exactOptional(factor),
  regional: z.exactOptional(factor),
  outputMax: z.exactOptional(z.int().check(z.gte(1))),
})

export type PriceRule = z.output<typeof priceRule>

/** The ways to price a model in the form of a channel: free, like another model, or by ratios for prompt and completion tokens. */
export const priceChoice = z.union([
  z.strictObject({ free: z.literal(true) }),
  z.strictObject({ like: z.string().check(z.trim(), z.minLength(1), z.maxLength(256)) }),
  z.strictObject({ ratio: factor, completion: factor }),
])
export type PriceChoice = z.output<typeof priceChoice>

/** Options that each hold one field of the price of every model, under the names that the family uses. */
export const priceFieldOptions = {
  ratio: 'ModelRatio',
  completion: 'CompletionRatio',
  thinking: 'ThinkingRatio',
  cached: 'CacheRatio',
  cacheWrite: 'CreateCacheRatio',
  audio: 'AudioRatio',
  audioCompletion: 'AudioCompletionRatio',
  image: 'ImageRatio',
} as const satisfies Partial<Record<keyof PriceRule, string>>

const priceRules = z.record(z.string(), priceRule)

/** Reads `{"model": {"field": price}}`; `null` = the text has another form. */
export function parsePriceRules(text: string): ReadonlyMap<string, PriceRule> | null {
  if (text.trim() === '') return new Map()
  try {
    const rules = priceRules.safeParse(parseJsonText(text))
    return rules.success ? new Map(Object.entries(rules.data)) : null
  } catch {
    return null
  }
}
