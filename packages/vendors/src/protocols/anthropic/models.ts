/** How thinking is requested from a generation of models: not at all, with a token budget, or with an effort. */
export type ThinkingForm = 'none' | 'budget' | 'adaptive'

/**
 * What differs between generations (Anthropic, "Models overview", "Extended thinking", "Adaptive thinking", "Effort", "Errors" and
 * "Structured outputs", read 2026-11-21; "What's new" in Opus 5.5, Sonnet 5.5 and Haiku 5.5, stored copies read 2026-11-23: the newest refuse a
 * forced tool, and Sonnet 5.5 has `between_tools` in place of `disabled`). Instructions in the middle: from Opus 4.8
 * on ("What's new in Claude Opus 4.8" as simonw/llm-anthropic 73 quotes it, langchain-ai/langchainjs 11922 for the models of Claude 5, read 2026-11-29).
 */
export interface ModelTraits {
  /** Largest `max_tokens` that is accepted. */
  readonly outputMax: number
  readonly thinking: ThinkingForm
  /** Whether it thinks by default, and whether thinking can be turned off. */
  readonly thinks: 'if-asked' | 'unless-told' | 'always'
  /** The type of `thinking` that turns it off. */
  readonly offType: 'disabled' | 'between_tools'
  /** Accepts a `tool_choice` that forces a tool. */
  readonly takesForcedTool: boolean
  /** Accepts the effort `xhigh`. */
  readonly knowsXhigh: boolean
  /** Refuses `temperature`, `top_p`, `top_k` and a thinking budget. */
  readonly refusesTuning: boolean
  /** Refuses `temperature` together with `top_p`. */
  readonly takesOneSampling: boolean
  /** Accepts a prefill: the conversation may end with an assistant turn. */
  readonly takesPrefill: boolean
  /** Accepts instructions in the middle of the messages. */
  readonly takesSystemTurns: boolean
  /** Accepts `output_config.format` and `strict` tools. */
  readonly structuredOutput: boolean
}

const oldest: ModelTraits = {
  outputMax: 4_096,
  thinking: 'none',
  thinks: 'if-asked',
  offType: 'disabled',
  takesForcedTool: true,
  knowsXhigh: false,
  refusesTuning: false,
  takesOneSampling: false,
  takesPrefill: true,
  takesSystemTurns: false,
  structuredOutput: false,
}
const budgeted: ModelTraits = { ...oldest, outputMax: 64_000, thinking: 'budget' }
const newest: ModelTraits = {
  outputMax: 128_000,
  thinking: 'adaptive',
  thinks: 'if-asked',
  offType: 'disabled',
  takesForcedTool: true,
  knowsXhigh: true,
  refusesTuning: true,
  takesOneSampling: true,
  takesPrefill: false,
  takesSystemTurns: true,
  structuredOutput: true,
}
/** A model of another company behind this protocol: its limits are unknown, so no field is removed. */
const foreign: ModelTraits = { ...budgeted, outputMax: Number.MAX_SAFE_INTEGER, takesSystemTurns: true }

/** First match wins. `(?!-\d(?!\d))`: no minor version follows, but a date may. */
const rows: ReadonlyArray<readonly [RegExp, ModelTraits]> = [
  [/claude-sonnet-5-[5-9](?!\d)/, { ...newest, thinks: 'unless-told', offType: 'between_tools', takesForcedTool: false }],
  [/claude-(?:opus-5-[5-9]|(?:fable|mythos)-5-[1-9])(?!\d)/, { ...newest, thinks: 'always', takesForcedTool: false }],
  [/claude-(?:opus|sonnet)-5(?!-\d(?!\d))/, { ...newest, thinks: 'unless-told' }],
  [/claude-opus-4-8/, newest],
  [/claude-opus-4-7/, { ...newest, takesSystemTurns: false }],
  [/claude-(?:opus|sonnet)-4-6/, { ...newest, knowsXhigh: false, refusesTuning: false, takesSystemTurns: false }],
  [/claude-(?:opus|sonnet|haiku)-4-5/, { ...budgeted, takesOneSampling: true, structuredOutput: true }],
  [/claude-opus-4-1/, { ...budgeted, outputMax: 32_000, structuredOutput: true }],
  [/claude-opus-4(?:-0|(?!-\d(?!\d)))/, { ...budgeted, outputMax: 32_000 }],
  [/claude-(?:sonnet-4(?:-0|(?!-\d(?!\d)))|3-7)/, budgeted],
  [/claude-3-5/, { ...oldest, outputMax: 8_192 }],
  [/claude-(?:3|2|instant)/, oldest],
  // Fable, Mythos, and unknown models, which are most likely newer than this table: they get the fewest fields.
  [/claude/, { ...newest, thinks: 'always' }],
]

export function traitsOf(model: string): ModelTraits {
  return rows.find(([pattern]) => pattern.test(model))?.[1] ?? foreign
}
