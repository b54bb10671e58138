import type { Usage } from '@sluice/vendors/core/usage'
import { type BodyUse, withCallLimit } from '@sluice/vendors/protocols/bodies/body-use'
import { causableUsage, isSearchingModel } from '@sluice/vendors/registry/causable-usage'
import { type Channel, modelAt } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { ResponseEnd } from '../model/upstream-response.ts'
import type { Evidence } from './judge-usage.ts'
import { boundsOf } from './kind-bounds.ts'

/** Kinds whose responses are texts that pass through here. */
const kindsOfText: ReadonlySet<string> = new Set(['chat', 'completions', 'messages', 'responses', 'generate'])

/** What of a channel its responses are judged by. */
export interface JudgedChannel extends Pick<Channel, 'id' | 'vendor' | 'mapping'> {
  readonly settings: Pick<Channel['settings'], 'systemPrompt'>
}

/** A request as it was sent. */
export interface EvidenceSource {
  readonly params: RequestParams
  readonly channel: JudgedChannel | null
  readonly budget: { readonly upstreamLimit: number | null }
  readonly callType: { readonly kind: string }
}

/** What is known of a request, with which its vendor's count is compared. */
export function evidenceOf(
  { params, channel, budget, callType }: EvidenceSource,
  { isTextCut, isPartial = false, usage }: Pick<ResponseEnd, 'isTextCut' | 'isPartial' | 'usage'>,
): Evidence {
  const hasOwnPrompts = channel?.vendor.hasOwnPrompts === true
  const { isPromptSeen, isOutputSeen, mayLoop } = seenOf(params)
  // Reasoning that no limit bounds is bounded by the context alone.
  const beyond = channel?.vendor.thinksBeyondLimit === true ? (usage?.reasoningTokens ?? 0) : 0
  const { outputMax, audioMsMax, audioInputTokens } = boundsOf(callType.kind, params)
  const upstreamLimit = budget.upstreamLimit ?? outputMax
  return {
    model: modelAt(channel, params.model),
    upstreamLimit: upstreamLimit === null ? null : upstreamLimit + beyond,
    choices: params.choices,
    isPartial,
    promptTokens: params.promptTokens + (audioInputTokens ?? 0) + (params.deferredTokens ?? 0),
    isPromptSeen: (isPromptSeen || audioInputTokens !== null) && !hasOwnPrompts && (channel?.settings.systemPrompt ?? '') === '',
    isOutputSeen: isOutputSeen && !hasOwnPrompts && isTextCut !== true && kindsOfText.has(callType.kind),
    mayLoop: mayLoop || hasOwnPrompts,
    callsMax: hasOwnPrompts ? null : (boundedUse(channel, params)?.callsMax ?? null),
    usesMax: usesMaxOf(params),
    audioMsMax,
  }
}

/** What a request may cause at the vendor that it was sent to. */
const boundedUse = (channel: JudgedChannel | null, { use }: RequestParams): BodyUse | undefined =>
  use !== undefined && channel?.vendor.limitsToolCalls === true ? withCallLimit(use) : use

/** How often each advisor may be called. */
function usesMaxOf({ use }: RequestParams): ReadonlyMap<string, number> {
  if (use === undefined || use.models.length === 0) return noUses
  return new Map(use.models.flatMap(({ model, usesMax }) => (usesMax === undefined ? [] : [[model, usesMax] as const])))
}

const noUses: ReadonlyMap<string, number> = new Map()

/** Images of one response, which are charged individually: models that are prompted for some generate several. */
const imagesOfChoice = 4

/** The vendor's usage, without what the request cannot have caused. */
export function causedUsage({ params, channel, callType }: Pick<EvidenceSource, 'params' | 'channel' | 'callType'>, usage: Usage): Usage {
  const { model, choices, images = 0, characters = 0, audioMs, audioTokens = 0, uncounted } = params
  const use = boundedUse(channel, params)
  if (use === undefined) return usage
  const hasAudio = audioMs !== undefined || characters > 0 || audioTokens > 0 || uncounted !== undefined
  const most = kindsOfText.has(callType.kind) ? Math.min(images, choices) * imagesOfChoice : images
  return causableUsage(usage, { use, model, nameOf: (named) => modelAt(channel, named), images: most, characters, hasAudio })
}

/** What of a request and its response passes through here. */
export function seenOf({
  model,
  textPrompt,
  follows,
  makers,
  use,
  nativeOnly,
  mayHideOutput,
  isSpoken,
}: RequestParams): Pick<Evidence, 'isPromptSeen' | 'isOutputSeen' | 'mayLoop'> {
  const mayLoop = (use?.isWorking ?? nativeOnly !== undefined) || isSearchingModel(model)
  const isPromptSeen = textPrompt !== undefined && textPrompt.hasMore !== true && follows === undefined && makers === undefined
  // Calls of tools that a vendor describes itself have forms of their own.
  const isText = mayHideOutput !== true && isSpoken !== true && nativeOnly === undefined
  return { isPromptSeen: isPromptSeen && !mayLoop, isOutputSeen: isText && !mayLoop, mayLoop }
}

/** For the administrators: what the vendor counted. */
export function suspicionText(usage: Usage | null, model: string): string {
  return `${model}: ${usage?.promptTokens ?? 0} input tokens and ${usage?.completionTokens ?? 0} output tokens`
}
