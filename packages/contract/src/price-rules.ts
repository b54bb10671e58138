import * as z from 'zod/mini'
import { parseJsonText } from './parse-json-text.ts'

/** A price or a factor. The upper limit is far above any real one. */
const factorEnd = 1e9
const factor = z.number().check(z.gte(0), z.lt(factorEnd))
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
  mediaCompletion: z.exactOptional(factor),
  spokenCompletion: z.exactOptional(factor),
  image: z.exactOptional(factor),
  imageCompletion: z.exactOptional(factor),
  second: z.exactOptional(factor),
  audioSecond: z.exactOptional(factor),
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

const isFactor = (value: unknown): boolean => typeof value === 'number' && value >= 0 && value < factorEnd

/** Checks of a field's value, by its name. Most fields are factors, which need no schema to check. */
const fieldChecks: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries(priceRule.shape).map(([name, schema]) => [
    name,
    schema.def.innerType === factor ? isFactor : (value) => schema.safeParse(value).success,
  ]),
)

/** Reads `{"model": {"field": price}}`; `null` = the text has another form. */
export function parsePriceRules(text: string): ReadonlyMap<string, PriceRule> | null {
  if (text.trim() === '') return new Map()
  try {
    const parsed = parseJsonText(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    const rules = Object.entries(parsed)
    return rules.every((rule): rule is [string, PriceRule] => isPriceRule(rule[1])) ? new Map(rules) : null
  } catch {
    return null
  }
}

/**
 * Checks only the fields that a rule has. The schema of a whole rule checks for each of its thirty fields whether it is missing, which takes
 * ten times as long, and a text may have thousands of rules.
 */
function isPriceRule(rule: unknown): rule is PriceRule {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return false
  for (const name in rule) {
    // Holds: parsed JSON inherits no member that a loop finds.
    if (fieldChecks.get(name)?.(rule[name as keyof typeof rule]) !== true) return false
  }
  return true
}
