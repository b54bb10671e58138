/** How a generation of models wants to be told to think. */
export type ThinkingForm = 'none' | 'budget' | 'adaptive'

/** What differs between generations (Anthropic, "Models overview" and "Extended thinking", read 2026-11-21). */
export interface ModelTraits {
  /** Largest `max_tokens` that is accepted. */
  readonly outputMax: number
  readonly thinking: ThinkingForm
  /** `temperature`, `top_p` and `top_k` are refused. */
  readonly refusesSampling: boolean
  /** `temperature` and `top_p` may not come together. */
  readonly oneSampling: boolean
  /** Thinks unless told not to. */
  readonly thinksByDefault: boolean
  /** `output_config.format` is known. */
  readonly structuredOutput: boolean
}

const oldest: ModelTraits = {
  outputMax: 4_096,
  thinking: 'none',
  refusesSampling: false,
  oneSampling: false,
  thinksByDefault: false,
  structuredOutput: false,
}
const budgeted: ModelTraits = { ...oldest, outputMax: 64_000, thinking: 'budget' }
const newest: ModelTraits = {
  outputMax: 128_000,
  thinking: 'adaptive',
  refusesSampling: true,
  oneSampling: true,
  thinksByDefault: false,
  structuredOutput: true,
}

/** First match wins. */
const traits: ReadonlyArray<readonly [RegExp, ModelTraits]> = [
  [/claude-sonnet-5/, { ...newest, thinksByDefault: true }],
  [/claude-(opus-4-[78]|opus-5|fable-5|mythos-5)/, newest],
  [/claude-(opus|sonnet)-4-6/, { ...newest, refusesSampling: false }],
  [/claude-(opus|sonnet|haiku)-4-5/, { ...budgeted, oneSampling: true, structuredOutput: true }],
  [/claude-opus-4-1/, { ...budgeted, outputMax: 32_000, structuredOutput: true }],
  [/claude-opus-4/, { ...budgeted, outputMax: 32_000 }],
  [/claude-(sonnet-4|3-7)/, budgeted],
  [/claude-3-5/, { ...oldest, outputMax: 8_192 }],
  [/claude-(3|2|instant)/, oldest],
]

/** A name that nobody has described yet is most likely newer than this table. */
export function traitsOf(model: string): ModelTraits {
  return traits.find(([pattern]) => pattern.test(model))?.[1] ?? newest
}
