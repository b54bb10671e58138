import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import type { ModelTraits } from './models.ts'

/** Output tokens that thinking may take, by the client's wish (our table; the vendor asks for at least 1,024). */
const budgets: Readonly<Record<string, number>> = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384, xhigh: 16_384, max: 16_384 }

const efforts: Readonly<Record<string, string>> = { minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'max' }

interface Thinking {
  /** Fields for the body. */
  readonly fields: JsonObject
  readonly effort: string | null
  /** Tokens to add to `max_tokens`, because thinking counts against it. */
  readonly extraTokens: number
  readonly isOn: boolean
}

const off: Thinking = { fields: {}, effort: null, extraTokens: 0, isOn: false }
const disabled: JsonObject = { thinking: { type: 'disabled' } }

/**
 * What `reasoning_effort` means to a generation of models. A client that sends `thinking` itself has its way.
 * @param hasLostThinking the turn may not think, because its earlier thinking is not at hand
 */
export function toThinking(chat: JsonObject, traits: ModelTraits, hasLostThinking: boolean): Thinking {
  const { thinking, reasoning_effort: wish } = chat
  if (isObject(thinking)) return { ...off, fields: { thinking }, isOn: thinking['type'] !== 'disabled' }
  const turnedOff: Thinking = { ...off, fields: traits.thinksByDefault ? disabled : {} }
  if (typeof wish !== 'string' || traits.thinking === 'none')
    return wish === undefined && traits.thinksByDefault && hasLostThinking ? turnedOff : off
  if (wish === 'none' || hasLostThinking) return turnedOff
  if (traits.thinking === 'adaptive')
    return { ...off, fields: { thinking: { type: 'adaptive', display: 'summarized' } }, effort: efforts[wish] ?? null, isOn: true }
  const budget = budgets[wish]
  return budget === undefined
    ? off
    : { ...off, fields: { thinking: { type: 'enabled', budget_tokens: budget } }, extraTokens: budget, isOn: true }
}
