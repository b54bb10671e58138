import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Level, ModelTraits, ThinkingForm } from './models.ts'

/** Tokens for each `reasoning_effort`, for models with budgets (Gemini API, "OpenAI compatibility", a stored copy read 2026-11-22). */
const budgets: Readonly<Record<string, number>> = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
}

const levels: Readonly<Record<string, Level>> = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}
const order: readonly Level[] = ['minimal', 'low', 'medium', 'high']

/** Below this limit, unrestricted thinking may leave no token for the output, because reasoning counts against the limit. */
const roomyLimit = 4_096
/** Tokens that are left for the output. */
const responseMin = 256

/**
 * `generationConfig.thinkingConfig`: the client's own, or made of `reasoning_effort`, `reasoning` or `thinking`. Reasoning is requested
 * wherever the model thinks, because it is paid for. `undefined`: the field is left out.
 */
export function toThinkingConfig(chat: JsonObject, { thinking }: ModelTraits, limit: number | null): JsonObject | undefined {
  const own = ownConfig(chat)
  if (own !== undefined || thinking.by === 'none') return own
  return thinking.by === 'level' ? byLevel(chat, thinking, limit) : byBudget(chat, thinking, limit)
}

type Leveled = Extract<ThinkingForm, { readonly by: 'level' }>
type Budgeted = Extract<ThinkingForm, { readonly by: 'budget' }>

function byLevel(chat: JsonObject, { levels: known }: Leveled, limit: number | null): JsonObject {
  const { effort, budget } = reasoningParamsOf(chat)
  const level = effort ?? (budget === null ? null : effortFor(budget)) ?? (limit !== null && limit < roomyLimit ? 'none' : null)
  const thinkingLevel = level === null ? undefined : nearest(lookUp(levels, level), known)
  return { ...(thinkingLevel === undefined ? {} : { thinkingLevel }), includeThoughts: true }
}

/** The effort whose budget is nearest from above. */
function effortFor(budget: number): string {
  if (budget === 0) return 'none'
  return Object.entries(budgets).find(([, tokens]) => tokens >= budget)?.[0] ?? 'high'
}

function byBudget(chat: JsonObject, thinking: Budgeted, limit: number | null): JsonObject | undefined {
  const { effort, budget } = reasoningParamsOf(chat)
  const tokens = budget ?? (effort === 'none' ? 0 : lookUp(budgets, effort ?? ''))
  if (tokens === undefined) return thinking.isOffByDefault ? undefined : { includeThoughts: true }
  const room = limit === null ? tokens : Math.min(tokens, Math.max(0, limit - responseMin))
  if (room === 0) return offOf(thinking)
  return { thinkingBudget: Math.min(thinking.most, Math.max(thinking.least, room)), includeThoughts: true }
}

/** Turned off, or the smallest budget of a model that always thinks. */
function offOf({ least, isOffByDefault }: Budgeted): JsonObject {
  return least === 0 || isOffByDefault ? { thinkingBudget: 0 } : { thinkingBudget: least, includeThoughts: true }
}

/** The requested level, or the next higher one that the model has; its highest if it has none. */
function nearest(minimum: Level | undefined, known: readonly Level[]): Level | undefined {
  if (minimum === undefined) return undefined
  return known.find((level) => order.indexOf(level) >= order.indexOf(minimum)) ?? known.at(-1)
}

interface ReasoningParams {
  readonly effort: string | null
  /** In tokens; `null` = none. */
  readonly budget: number | null
}

/** From `reasoning_effort`; from `reasoning: { effort, max_tokens }`; or from `thinking: { type, budget_tokens }`. */
function reasoningParamsOf({ reasoning_effort: effort, reasoning, thinking }: JsonObject): ReasoningParams {
  if (typeof effort === 'string') return { effort, budget: null }
  if (isObject(reasoning)) return { effort: effortIn(reasoning), budget: countOrNull(reasoning['max_tokens']) }
  if (!isObject(thinking)) return { effort: null, budget: null }
  return thinking['type'] === 'disabled'
    ? { effort: 'none', budget: null }
    : { effort: null, budget: countOrNull(thinking['budget_tokens']) }
}

function effortIn({ effort, enabled }: JsonObject): string | null {
  return enabled === false ? 'none' : textOr(effort, '') || null
}

function countOrNull(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** Fields of the vendor that its own OpenAI-compatible interface takes too ("OpenAI compatibility", a stored copy read 2026-11-22). */
export function googleFields({ extra_body: extra, google }: JsonObject): JsonObject {
  const inner = isObject(extra) ? extra['google'] : google
  return isObject(inner) ? inner : {}
}

function ownConfig(chat: JsonObject): JsonObject | undefined {
  const { thinking_config: snake, thinkingConfig: camel } = googleFields(chat)
  const config = camel ?? snake
  return isObject(config) ? config : undefined
}
