import { lookUpNames } from './look-up-names.ts'
import table from './output-limits.json' with { type: 'json' }
import { thinksLong } from './thinks-long.ts'

/** What a model can write in one answer. */
export interface OutputLimits {
  /** Most output tokens of one answer, reasoning included. */
  readonly outputMax: number
  /** Most tokens of prompt and answer together; `null` = not known. */
  readonly contextMax: number | null
}

/** For models that are not in the table. A reasoning model gets more, because its reasoning counts as output. */
const unknown: OutputLimits = { outputMax: 8_192, contextMax: null }
const unknownReasoning: OutputLimits = { outputMax: 32_768, contextMax: null }

const limits: ReadonlyMap<string, readonly number[]> = new Map(Object.entries<readonly number[]>(table.models))

/** What a model can write, by its name as vendors and resellers spell it. */
export function outputLimitsOf(model: string): OutputLimits {
  return knownLimitsOf(model) ?? (thinksLong(model, {}) ? unknownReasoning : unknown)
}

/** The same; `null` = the table does not have it. */
export function knownLimitsOf(model: string): OutputLimits | null {
  for (const name of lookUpNames(model)) {
    const [outputMax, contextMax = null] = limits.get(name) ?? []
    if (outputMax !== undefined) return { outputMax, contextMax }
  }
  return null
}
