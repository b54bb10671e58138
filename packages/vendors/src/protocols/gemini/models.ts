import type { RequestRule } from '../../core/request-rule.ts'

/** How thinking is controlled: not at all, by a token budget between two numbers, or by a level. */
export type ThinkingForm =
  | { readonly by: 'none' }
  /** @property least 0 = it can be turned off */
  | { readonly by: 'budget'; readonly least: number; readonly most: number; readonly isOffByDefault: boolean }
  /** @property levels from the lowest */
  | { readonly by: 'level'; readonly levels: readonly Level[] }

export type Level = 'minimal' | 'low' | 'medium' | 'high'

/**
 * What differs between generations of models (Gemini API, "Thinking", "Thought signatures", "Structured outputs", "Image generation";
 * Cloud developer guides for 3.8 Flash and Gemini 4, stored copies read 2026-11-22). No prefill from 3.6 on, and at 3.5 Flash-Lite (LibreChat-AI/agents
 * 323 and 412, cline/cline 12521, read 2026-11-29).
 */
export interface ModelTraits {
  readonly thinking: ThinkingForm
  /** Refuses a turn whose first call of a function has no signature. */
  readonly needsSignatures: boolean
  /** Refuses images that it generated in an earlier turn if they have no signature. */
  readonly needsImageSignatures: boolean
  /** Structured output and functions may be requested together. */
  readonly mixesFormatAndTools: boolean
  /** Results of functions may have images in them. */
  readonly takesImageResults: boolean
  /** Takes a conversation that ends with its own turn, and goes on with it. */
  readonly takesPrefill: boolean
  /** Knows system instructions; otherwise they stand before the first text of the user. */
  readonly takesSystem: boolean
  /** Generates images; such models support neither functions nor structured output. */
  readonly draws: boolean
  /** Whole responses are cut at half its limit, so a stream is always requested. */
  readonly streamsOnly: boolean
  /** The vendor charges each search; otherwise each request that searched. */
  readonly chargesEachSearch: boolean
}

const level = (...levels: readonly Level[]): ThinkingForm => ({ by: 'level', levels })
const budget = (least: number, most: number, isOffByDefault = false): ThinkingForm => ({ by: 'budget', least, most, isOffByDefault })

/** Generation 3 and later. */
const newest: ModelTraits = {
  thinking: level('low', 'medium', 'high'),
  needsSignatures: true,
  needsImageSignatures: false,
  mixesFormatAndTools: true,
  takesImageResults: true,
  takesPrefill: false,
  takesSystem: true,
  draws: false,
  streamsOnly: false,
  chargesEachSearch: true,
}
const older: ModelTraits = {
  ...newest,
  thinking: { by: 'none' },
  needsSignatures: false,
  mixesFormatAndTools: false,
  takesImageResults: false,
  takesPrefill: true,
  chargesEachSearch: false,
}
const allLevels = level('minimal', 'low', 'medium', 'high')
const drawing: ModelTraits = {
  ...newest,
  thinking: { by: 'none' },
  needsSignatures: false,
  needsImageSignatures: true,
  takesPrefill: true,
  draws: true,
}

/** First match wins. */
const rows: ReadonlyArray<readonly [RegExp, ModelTraits]> = [
  [/gemma/, { ...older, takesSystem: false }],
  [/nano-banana-2\.1/, { ...drawing, thinking: allLevels }],
  [/gemini-2.*image/, { ...drawing, needsImageSignatures: false, chargesEachSearch: false }],
  [/image|banana/, drawing],
  [/tts/, older],
  [/gemini-(?:1|2\.0|pro$|pro-vision)/, older],
  [/gemini-2\.5-flash-lite/, { ...older, thinking: budget(512, 24_576, true) }],
  [/gemini-2\.5-flash/, { ...older, thinking: budget(0, 24_576) }],
  [/gemini-(?:2\.5|robotics-er-1\.5)/, { ...older, thinking: budget(128, 32_768) }],
  [/gemini-3-pro/, { ...newest, thinking: level('low', 'high'), takesPrefill: true }],
  [/gemini-3\.5-flash-lite|gemini-3\.6-(?:flash|lite)/, { ...newest, thinking: allLevels }],
  [/gemini-3(?:\.[1-5])?-flash|gemini-3\.[1-5]-lite/, { ...newest, thinking: allLevels, takesPrefill: true }],
  [/gemini-3\.[1-5](?!\d)/, { ...newest, takesPrefill: true }],
  [/argon/, { ...newest, streamsOnly: true }],
]

const userLast = [{ rule: 'user-last' }] as const
const noRules = [] as const

/** What a model does not take in a request. Google Cloud has models of others, too. */
export function geminiRulesFor(model: string): readonly RequestRule[] {
  return traitsOf(model).takesPrefill || !model.includes('gemini') ? noRules : userLast
}

/** Longest name of a model that is looked up, in characters. Responses name their models too, in whatever length. */
const nameMax = 256

/** Unknown models are most likely newer than this table. */
export function traitsOf(model: string): ModelTraits {
  const name = model.slice(0, nameMax)
  return rows.find(([form]) => form.test(name))?.[1] ?? newest
}
