import { lookUpNames } from '../../core/look-up-names.ts'
import { modelFactsOf } from './model-facts.ts'
import table from './output-limits.json' with { type: 'json' }
import { thinksLong } from './reasoning-models.ts'

/** What a model can write in one response. */
export interface OutputLimits {
  /** Most output tokens of one response, reasoning included. */
  readonly outputMax: number
  /** Most tokens of prompt and output together; `null` = not known. */
  readonly contextMax: number | null
  /** `outputMax` is a guess: the table does not have it. */
  readonly isAssumed: boolean
}

/** What is assumed where the table has no number. A reasoning model gets more, because its reasoning counts as output. */
const assumedMax = { plain: 8_192, reasoning: 32_768 } as const

/** `null` in the first place: the vendor names no limit of one response. */
type Row = readonly [outputMax: number | null, contextMax?: number]

// Holds: a test reads every row.
const limits: ReadonlyMap<string, Row> = new Map(Object.entries(table.models as unknown as Readonly<Record<string, Row>>))

/** What a model can write, by its name as vendors and resellers spell it. */
export function outputLimitsOf(model: string): OutputLimits {
  const [outputMax, contextMax = null] = rowOf(model) ?? [null]
  if (outputMax !== null) return { outputMax, contextMax, isAssumed: false }
  return { outputMax: mayReason(model) ? assumedMax.reasoning : assumedMax.plain, contextMax, isAssumed: true }
}

/** The limits that the table has for a model; `null` = none. */
export function knownLimitsOf(model: string): OutputLimits | null {
  const limits = outputLimitsOf(model)
  return limits.isAssumed ? null : limits
}

/** Most tokens of prompt and output together; `null` = not known. */
export function contextMaxOf(model: string): number | null {
  return rowOf(model)?.[1] ?? null
}

/** Whether a model may think before it responds, by its name or by public tables. */
export function mayReason(model: string): boolean {
  return thinksLong(model, {}) || modelFactsOf(model, 'chat').features.includes('reasoning')
}

function rowOf(model: string): Row | null {
  // Most requests name a model as the table does.
  const own = limits.get(model)
  if (own !== undefined) return own
  for (const name of lookUpNames(model)) {
    const row = limits.get(name)
    if (row !== undefined) return row
  }
  return null
}
