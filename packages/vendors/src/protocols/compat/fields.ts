import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { forcesTool } from './tool-choice.ts'

export const modelOf = ({ model }: JsonObject): string => textOr(model, '')

/** The body without these fields; the same body if it has none of them. */
export function withoutFields(body: JsonObject, names: readonly string[]): JsonObject {
  if (!names.some((name) => name in body)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** The body with a number at most as large as the vendor accepts. */
export function withAtMost(body: JsonObject, name: string, most: number): JsonObject {
  const value = body[name]
  return typeof value === 'number' && value > most ? { ...body, [name]: most } : body
}

/** How much the client wants the model to reason: OpenAI's field, or its form in Responses, which other vendors know. `null` = not said. */
export function effortIn({ reasoning_effort: effort, reasoning }: JsonObject): string | null {
  const value: Json | undefined = effort ?? (isObject(reasoning) ? reasoning['effort'] : undefined)
  return typeof value === 'string' ? value : null
}

/**
 * The body with the vendor's own level of reasoning in `reasoning_effort`.
 * @param levels OpenAI's level -> the vendor's; a level that is missing is not sent, so the model's default applies
 */
export function withEffort(body: JsonObject, levels: Readonly<Record<string, string>>): JsonObject {
  const effort = effortIn(body)
  if (effort === null && !('reasoning' in body)) return body
  const level = effort === null ? undefined : levels[effort]
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  return level === undefined ? rest : { ...rest, reasoning_effort: level }
}

/** Whether a model that thinks by default would: thinking is not disabled, and no tool call is forced, which some cannot combine with thinking. */
export function mayThink(body: JsonObject): boolean {
  const { thinking } = body
  return effortIn(body) !== 'none' && !forcesTool(body) && !(isObject(thinking) && thinking['type'] === 'disabled')
}

/** For vendors that have this switch beside the level of reasoning. */
export function withoutThinking(body: JsonObject): JsonObject {
  return { ...body, thinking: { type: 'disabled' } }
}

/** Levels of vendors that have three. */
export const lowToHigh = { none: 'low', minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'high', max: 'high' } as const
/** Levels of vendors with low, high and max. */
export const lowHighMax = { none: 'low', minimal: 'low', low: 'low', medium: 'high', high: 'high', xhigh: 'max', max: 'max' } as const
