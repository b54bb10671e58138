import type { Usage } from '@sluice/vendors/core/usage'
import { doesHiddenWork } from '@sluice/vendors/registry/models/hidden-reasoning'
import { contextMaxOf } from '@sluice/vendors/registry/models/output-limits'
import { parseUsage } from '../pricing/parse-usage.ts'
import { isFarAbove, loopsMax, moreMax, smallContext, timesMax } from './count-tolerance.ts'
import { worksUnseen } from './hidden-work.ts'
import { withPossibleWork } from './judge-work.ts'
import { withMargin } from './output-budget.ts'

/** What is known of a request, with which its vendor's count is compared. */
export interface Evidence {
  /** The model's name at the vendor. */
  readonly model: string
  /** The output limit that the vendor was sent, for all responses together; `null`: none. */
  readonly upstreamLimit: number | null
  readonly choices: number
  /** Our estimate of the prompt. */
  readonly promptTokens: number
  /** Nothing but the text that was counted here is in the prompt. */
  readonly isPromptSeen: boolean
  /** All output passes through here as text. */
  readonly isOutputSeen: boolean
  /** The vendor reported only part of the usage. */
  readonly isPartial: boolean
  /** The vendor may call its model several times for one response. */
  readonly mayLoop: boolean
  /** How often it may run tools for one; `null` = nothing limits that. */
  readonly callsMax: number | null
  /** How often each model besides the requested one may be called, where the request limits that; missing: no limits. */
  readonly usesMax?: ReadonlyMap<string, number>
  /** Most milliseconds of audio that the order can be charged for. */
  readonly audioMsMax: number
}

/** A vendor's count, without what is impossible in it. */
export interface Judgement {
  readonly usage: Usage
  /** An exact count of the response must decide: see `judgedBy`. */
  readonly isDoubtful: boolean
}

/** Characters of usual text that are one token at most. With so few tokens a count is exact enough; only a larger one needs the tokenizer. */
const charsOfToken = 8

/**
 * Compares a vendor's count with what the request allowed and what passed through here. What cannot be is left out, and the usage is marked as
 * suspect: the gateway then counts that part itself. `evidence`: `null` = nothing is known but the text.
 */
export function judgeUsage(reported: Usage, text: string, evidence: Evidence | null): Judgement {
  const parsed = parseUsage(reported)
  if (parsed.isSuspect) return { usage: parsed, isDoubtful: false }
  const whole = evidence?.isPartial === true ? parsed : withoutMissing(parsed, text)
  const { usage, isDoubtful } = evidence === null ? { usage: whole, isDoubtful: false } : judgeTokens(whole, text, evidence)
  return { usage: usage.delegated.length === 0 ? usage : withPossibleWork(usage, evidence), isDoubtful }
}

/** Judges the tokens of the model itself, and the length of its audio. */
function judgeTokens(reported: Usage, text: string, evidence: Evidence): Judgement {
  const isLoud = reported.audioMs > evidence.audioMsMax
  const usage = isLoud ? { ...reported, audioMs: 0, isSuspect: true } : reported
  const { promptTokens, completionTokens } = usage
  const { upstreamLimit } = evidence
  if (isBeyondContext(usage, evidence)) return { usage: withoutPrompt(withoutOutput(usage)), isDoubtful: false }
  const isPromptOdd = promptTokens > moreMax && isPromptTooLong(usage, evidence)
  const known = isPromptOdd ? withoutPrompt(usage) : usage
  if (upstreamLimit !== null && completionTokens > withMargin(upstreamLimit)) return { usage: withoutOutput(known), isDoubtful: false }
  const isLong = completionTokens > moreMax + (timesMax * text.length) / charsOfToken
  return { usage: known, isDoubtful: isLong && evidence.isOutputSeen && !mayHideOutput(usage, evidence) }
}

/** The doubtful usage after our exact count of the response. */
export function judgedBy(ownTokens: number, usage: Usage): Usage {
  return isFarAbove(usage.completionTokens, ownTokens) ? withoutOutput(usage) : usage
}

/** Whether a usage is more than its model can read and write in one call. */
export function isBeyondModel({ promptTokens, completionTokens }: Usage, model: string): boolean {
  const contextMax = contextMaxOf(model)
  return contextMax !== null && promptTokens + completionTokens > contextMax
}

/** A usage without prompt tokens, or without output tokens although there is text, is suspect. */
function withoutMissing(usage: Usage, text: string): Usage {
  const { promptTokens, completionTokens, images, audioMs, characters, calls, delegated } = usage
  if (delegated.length > 0 || images > 0 || audioMs > 0 || characters > 0 || calls > 0) return usage
  if (promptTokens === 0) return withoutPrompt(usage)
  return completionTokens === 0 && text !== '' ? withoutOutput(usage) : usage
}

/**
 * Whether one call is longer than the context of its model, or all of them together than so many calls can be. A request that is longer than the
 * table's context shows that the table is wrong.
 */
function isBeyondContext(usage: Usage, evidence: Evidence): boolean {
  const { promptTokens, completionTokens, responseModel, largestCall } = usage
  const total = promptTokens + completionTokens
  if (total <= smallContext) return false
  const known = (responseModel === null ? null : contextMaxOf(responseModel)) ?? contextMaxOf(evidence.model)
  if (known === null) return false
  const contextMax = Math.max(known, 2 * evidence.promptTokens)
  return (largestCall ?? 0) > contextMax || total > contextMax * callsOf(usage, evidence)
}

/** The most calls of its model. Where the vendor reports them separately, tools that it was not allowed to run again may have cost some more. */
function callsOf({ largestCall }: Usage, { model, mayLoop, callsMax, choices }: Evidence): number {
  const isHidden = doesHiddenWork(model)
  if (!mayLoop && !isHidden) return choices
  return callsMax === null || largestCall !== null || isHidden ? loopsMax : Math.min(loopsMax, choices * (1 + callsMax))
}

function isPromptTooLong({ promptTokens }: Usage, evidence: Evidence): boolean {
  if (!evidence.isPromptSeen || !isFarAbove(promptTokens, evidence.promptTokens)) return false
  return !doesHiddenWork(evidence.model)
}

function mayHideOutput({ reasoningTokens, audioOutputTokens, imageOutputTokens, images, characters }: Usage, { model }: Evidence): boolean {
  if (reasoningTokens + audioOutputTokens + imageOutputTokens + images + characters > 0) return true
  return worksUnseen(model)
}

function withoutOutput(usage: Usage): Usage {
  return { ...usage, completionTokens: 0, reasoningTokens: 0, audioOutputTokens: 0, imageOutputTokens: 0, isSuspect: true }
}

function withoutPrompt(usage: Usage): Usage {
  const cached = { cachedTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 }
  return { ...usage, ...cached, promptTokens: 0, audioInputTokens: 0, imageInputTokens: 0, isSuspect: true }
}
