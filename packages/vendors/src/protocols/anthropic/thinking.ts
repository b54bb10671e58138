import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ModelTraits } from './models.ts'

/** Thinking budget in output tokens for each `reasoning_effort` (our table; the vendor's minimum is 1,024). */
const budgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384, xhigh: 16_384, max: 16_384 }

const efforts: Readonly<Record<string, string>> = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'max' }

/** The vendor's default effort. */
const defaultEffort = 'high'

/** The properties of a request that affect thinking. */
export interface Turn {
  /** It responds to a tool call of a turn whose thinking blocks are missing. */
  readonly hasLostThinking: boolean
  /** It must call a tool. */
  readonly forcesTool: boolean
  /** The client's limit of output tokens; `null` = none. */
  readonly limit: number | null
  /** Our limit of output tokens including thinking, if the client named none; `undefined` = none. */
  readonly outputLimit?: number | undefined
}

export interface Thinking {
  /** The value of `thinking`; `null` = the field is left out. */
  readonly field: JsonObject | null
  /** `output_config.effort` for the client's `reasoning_effort`; `null` = none. */
  readonly effort: string | null
  readonly isOn: boolean
  /** Tokens added to `max_tokens` for thinking, which counts against it. */
  readonly extraTokens: number
}

/**
 * Whether and how the model thinks: from the vendor's own field (`thinking`), or from OpenAI's (`reasoning_effort`) translated for the
 * model's generation ("Extended thinking" and "Adaptive thinking", read 2026-11-21).
 */
export function toThinking(chat: JsonObject, traits: ModelTraits, turn: Turn): Thinking {
  const { thinking, reasoning_effort: reasoningEffort } = chat
  const effort = effortOf(reasoningEffort, traits)
  const field = withinLimit(isObject(thinking) ? fitting(thinking, traits) : thinkingFor(reasoningEffort, traits), turn.outputLimit)
  if (field?.['type'] === 'disabled' || isPrevented(field, turn)) {
    const isAlways = traits.thinks === 'always'
    // The field is sent only where it is needed: models that always think refuse it, and think least with the lowest effort.
    return {
      field: traits.thinks === 'unless-told' ? { type: traits.offType } : null,
      effort: lowered(isAlways && field?.['type'] === 'disabled' ? (effort ?? 'low') : effort),
      isOn: isAlways,
      extraTokens: 0,
    }
  }
  const isOn = field !== null || traits.thinks !== 'if-asked'
  return { field, effort, isOn, extraTokens: isOn ? extraTokens(chat, field, turn.limit) : 0 }
}

const disabled: JsonObject = { type: 'disabled' }

/** The client's own `thinking`; for models without budgets, a budget becomes adaptive thinking. */
function fitting(thinking: JsonObject, { refusesTuning }: ModelTraits): JsonObject {
  return refusesTuning && thinking['type'] === 'enabled' ? adaptive : thinking
}

/** Without `display`, the newest models send their thinking blocks empty. */
const adaptive: JsonObject = { type: 'adaptive', display: 'summarized' }

function thinkingFor(reasoningEffort: Json | undefined, { thinking }: ModelTraits): JsonObject | null {
  if (reasoningEffort === 'none') return disabled
  const budget = lookUp(budgets, textOr(reasoningEffort, ''))
  if (budget === undefined || thinking === 'none') return null
  return thinking === 'adaptive' ? adaptive : { type: 'enabled', budget_tokens: budget }
}

/** The vendor's smallest budget, and the tokens left for the output itself. */
const budgetMin = 1_024
const responseMin = 256

/** A budget must be below the limit. If the limit is too small for the smallest budget, thinking is turned off. */
function withinLimit(field: JsonObject | null, outputLimit: number | undefined): JsonObject | null {
  const budget = field?.['budget_tokens']
  if (outputLimit === undefined || typeof budget !== 'number' || budget <= outputLimit - responseMin) return field
  return outputLimit < budgetMin + responseMin ? disabled : { ...field, budget_tokens: outputLimit - responseMin }
}

function effortOf(reasoningEffort: Json | undefined, { thinking, knowsXhigh }: ModelTraits): string | null {
  const effort = lookUp(efforts, textOr(reasoningEffort, ''))
  if (effort === undefined || thinking !== 'adaptive') return null
  return effort === 'xhigh' && !knowsXhigh ? 'max' : effort
}

/**
 * A forced tool excludes thinking ("Tool use with thinking"). With a budget, the turn that called the tool must begin with its thinking
 * blocks; adaptive thinking does not require them ("Validation changes").
 */
function isPrevented(field: JsonObject | null, { hasLostThinking, forcesTool }: Turn): boolean {
  return forcesTool || (hasLostThinking && field?.['type'] === 'enabled')
}

/** Without thinking, no effort above `high` is accepted. */
export function lowered(effort: string | null): string | null {
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort
}

/**
 * A budget counts against the limit, so a limit that is meant for the output alone grows by it. A client that set the budget itself took
 * it into account, unless the two contradict. Without a budget only a limit that the client did not set grows.
 */
function extraTokens(chat: JsonObject, field: JsonObject | null, limit: number | null): number {
  const { thinking, reasoning_effort: reasoningEffort } = chat
  const budget = field?.['budget_tokens']
  if (typeof budget === 'number') return isObject(thinking) && limit !== null && limit > budget ? 0 : budget
  return limit === null ? (lookUp(budgets, textOr(reasoningEffort, defaultEffort)) ?? 0) : 0
}
