import { isObject, lookUp, textOr } from '../is-object.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ModelTraits } from './models.ts'

/** Output tokens that thinking may take, by the client's wish (our table; the vendor asks for at least 1,024). */
const budgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384, xhigh: 16_384, max: 16_384 }

const efforts: Readonly<Record<string, string>> = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'max' }

/** What the vendor does at an effort that nobody named. */
const defaultEffort = 'high'

/** What about a request bears on thinking. */
export interface Turn {
  /** It answers a tool call of a turn whose thinking blocks are not at hand. */
  readonly hasLostThinking: boolean
  /** It must call a tool. */
  readonly forcesTool: boolean
  /** Most output tokens the client wants; `null` = it did not say. */
  readonly limit: number | null
  /** Most output tokens in all, thinking included, where the client named no limit; `undefined` = nobody says. */
  readonly outputLimit?: number | undefined
}

export interface Thinking {
  /** The value of `thinking`; `null` = the field is left out. */
  readonly field: JsonObject | null
  /** The value of `output_config.effort` that the client's `reasoning_effort` means; `null` = it means none. */
  readonly effort: string | null
  readonly isOn: boolean
  /** Room for thinking, which counts against `max_tokens`. */
  readonly extraTokens: number
}

/**
 * Whether and how the model thinks: as the client says in the vendor's own words (`thinking`), or in OpenAI's (`reasoning_effort`)
 * translated for the model's generation ("Extended thinking" and "Adaptive thinking", read 2026-11-21).
 */
export function toThinking(chat: JsonObject, traits: ModelTraits, turn: Turn): Thinking {
  const { thinking, reasoning_effort: wish } = chat
  const effort = effortOf(wish, traits)
  const field = withinLimit(isObject(thinking) ? fitting(thinking, traits) : wished(wish, traits), turn.outputLimit)
  if (field?.['type'] === 'disabled' || isPrevented(field, turn)) {
    // The word is sent only where it is needed: models that always think refuse it.
    return {
      field: traits.thinks === 'unless-told' ? disabled : null,
      effort: lowered(effort),
      isOn: traits.thinks === 'always',
      extraTokens: 0,
    }
  }
  const isOn = field !== null || traits.thinks !== 'if-asked'
  return { field, effort, isOn, extraTokens: isOn ? extraTokens(chat, field, turn.limit) : 0 }
}

const disabled: JsonObject = { type: 'disabled' }

/** The vendor's own words; a budget where budgets are gone becomes what replaced it. */
function fitting(thinking: JsonObject, { refusesTuning }: ModelTraits): JsonObject {
  return refusesTuning && thinking['type'] === 'enabled' ? adaptive : thinking
}

/** Without `display`, the newest models send their thinking blocks empty. */
const adaptive: JsonObject = { type: 'adaptive', display: 'summarized' }

function wished(wish: Json | undefined, { thinking }: ModelTraits): JsonObject | null {
  if (wish === 'none') return disabled
  const budget = lookUp(budgets, textOr(wish, ''))
  if (budget === undefined || thinking === 'none') return null
  return thinking === 'adaptive' ? adaptive : { type: 'enabled', budget_tokens: budget }
}

/** The vendor's smallest budget, and what is left for the answer itself. */
const budgetMin = 1_024
const answerMin = 256

/** A budget has to be below the limit. Where the limit has no room for the smallest one, the answer comes without thinking. */
function withinLimit(field: JsonObject | null, outputLimit: number | undefined): JsonObject | null {
  const budget = field?.['budget_tokens']
  if (outputLimit === undefined || typeof budget !== 'number' || budget <= outputLimit - answerMin) return field
  return outputLimit < budgetMin + answerMin ? disabled : { ...field, budget_tokens: outputLimit - answerMin }
}

function effortOf(wish: Json | undefined, { thinking, knowsXhigh }: ModelTraits): string | null {
  const effort = lookUp(efforts, textOr(wish, ''))
  if (effort === undefined || thinking !== 'adaptive') return null
  return effort === 'xhigh' && !knowsXhigh ? 'max' : effort
}

/**
 * A forced tool excludes thinking ("Tool use with thinking"). With a budget, the turn that asked for the tool must begin with its
 * thinking; adaptive thinking does not insist ("Validation changes").
 */
function isPrevented(field: JsonObject | null, { hasLostThinking, forcesTool }: Turn): boolean {
  return forcesTool || (hasLostThinking && field?.['type'] === 'enabled')
}

/** Without thinking, no effort above `high` is accepted. */
export function lowered(effort: string | null): string | null {
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort
}

/**
 * A budget stands inside the limit, so a limit meant for the answer alone grows by it; a client that set the budget itself set the
 * limit knowing it, unless they cannot both hold. Without a budget only a limit that nobody named grows.
 */
function extraTokens(chat: JsonObject, field: JsonObject | null, limit: number | null): number {
  const { thinking, reasoning_effort: wish } = chat
  const budget = field?.['budget_tokens']
  if (typeof budget === 'number') return isObject(thinking) && limit !== null && limit > budget ? 0 : budget
  return limit === null ? (lookUp(budgets, textOr(wish, defaultEffort)) ?? 0) : 0
}
