import { noUsage } from '@sluice/vendors/core/no-usage'
import type { Usage } from '@sluice/vendors/core/usage'
import type { Channel } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'
import type { EndReason, ResponseEnd } from '../model/upstream-response.ts'
import { msOfAudioTokens } from '../pricing/audio-tokens.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import { isMade, reasoningIn } from './hidden-work.ts'
import { type OutputBudget, withMargin } from './output-budget.ts'
import { reasoningBeyondLimit } from './reserve-request.ts'

/** A request with the channel that served it. */
interface ServedRequest {
  readonly params: RequestParams
  readonly channel: Pick<Channel, 'id' | 'vendor' | 'mapping'> | null
  readonly resolvedPrice: Pick<ResolvedPrice, 'price'>
}

/** A request as it was sent, with its output limit. */
type BudgetedRequest = ServedRequest & { readonly budget: Pick<OutputBudget, 'upstreamLimit'> }

/** How the gateway counts: see `OwnCounts`. */
interface Counting<Charge> {
  prompt(charge: Charge): number
  output(charge: Charge, text: string): Promise<number>
}

/** The usage without a vendor's count: the prompt and the delivered output. If nothing was delivered, nothing was used. */
export async function countUsage<Charge extends BudgetedRequest>(
  charge: Charge,
  end: ResponseEnd,
  ownCounts: Counting<Charge>,
): Promise<Usage> {
  const { usage, text, reason, isUnread = false, hasReasoning = false, hasBegun = false, toolTokens = 0 } = end
  // What a session has counted itself remains, even if its vendor's count is suspect.
  const isCounted = usage !== null && (!usage.isSuspect || usage.promptTokens + usage.completionTokens + usage.delegated.length > 0)
  const reasoning = unseenIn(end, charge)
  const isNothing = hasPieces(charge.params) ? servedBy[reason] !== null : text === '' && reasoning === 0 && !hasBegun
  if (!isCounted && reason !== 'complete' && !isUnread && isNothing) return noUsage
  const { audioOutputTokens, imageOutputTokens } = usage ?? noUsage
  const most = mostOf(charge)
  // A vendor that ignores the client's limit is not paid for the rest, as a stream of it would be cut.
  const isLimited = (charge.params.maxTokens ?? 0) > 0
  const written = Math.min(await ownCounts.output(charge, text), isLimited ? withMargin(most) : Number.POSITIVE_INFINITY)
  const own = written + audioOutputTokens + imageOutputTokens
  const completionTokens = Math.max(usage?.completionTokens ?? 0, own, Math.min(own + reasoning, most))
  const prompt = usage !== null && usage.promptTokens > 0 ? noPrompt : promptOf(charge, ownCounts, toolTokens)
  const known = knownOf(charge, end)
  const reasoningTokens = hasReasoning ? completionTokens : known.reasoningTokens
  return withPieces({ ...known, ...prompt, completionTokens, reasoningTokens }, charge)
}

/** The most output tokens by the limit that was sent, with reasoning that it does not bound. */
function mostOf({ budget: { upstreamLimit }, params, channel }: BudgetedRequest): number {
  return upstreamLimit === null ? Number.POSITIVE_INFINITY : upstreamLimit + reasoningBeyondLimit(params, [channel?.vendor ?? null])
}

/** What the vendor has reported so far, and, of what it reports at the end, what the request chose or always causes. */
function knownOf({ params, channel }: ServedRequest, { usage, isPartial = false }: ResponseEnd): Usage {
  const { serviceTier = 'standard', isRegional = false, use } = params
  if (usage !== null && !isPartial) return usage
  const known = usage ?? noUsage
  const isSearched = channel?.vendor.searchesAlways === true && use !== undefined && use.offered.searches > 0
  return {
    ...known,
    serviceTier: known.serviceTier === 'standard' ? serviceTier : known.serviceTier,
    isRegional: known.isRegional || isRegional,
    searches: Math.max(known.searches, isSearched ? 1 : 0),
  }
}

/** Tokens that the vendor may have made and that did not pass through here. */
function unseenIn({ unseenMs = 0, isUnread, usage, text }: ResponseEnd, { budget }: BudgetedRequest): number {
  return isUnread === true && usage === null && text === '' ? (budget.upstreamLimit ?? 0) : reasoningIn(unseenMs)
}

/** Whether a response is paid by the piece. */
const hasPieces = (params: RequestParams): boolean => isMade(params) || (params.audioMs ?? 0) > 0

const noPrompt: Partial<Usage> = {}

/** Our count of the prompt, with the parts of it that have prices of their own. */
function promptOf<Charge extends ServedRequest>(charge: Charge, ownCounts: Counting<Charge>, toolTokens: number): Partial<Usage> {
  const { audioTokens: audioInputTokens = 0, imageTokens: imageInputTokens = 0 } = charge.params
  const read = { promptTokens: ownCounts.prompt(charge) + toolTokens, audioInputTokens, imageInputTokens }
  return charge.resolvedPrice.price.audioSecond === undefined ? read : { ...read, audioMs: msOfAudioTokens(audioInputTokens) }
}

/**
 * Whether a response that ended so served its request; `null`: its client caused the end. A broken response that is priced per piece is charged only
 * then: a part of a piece is worthless.
 */
export const servedBy: Readonly<Record<EndReason, boolean | null>> = {
  complete: true,
  client_gone: null,
  out_of_quota: null,
  upstream_cut: false,
  timed_out: false,
  too_long: false,
  shut_down: false,
  failed: false,
}

/** Uses the requested number of pieces if the response does not give one. */
export function withPieces(usage: Usage, { params }: Pick<ServedRequest, 'params'>): Usage {
  const { images = 0, characters = 0, audioMs = 0, calls = 0, callsMax = calls } = params
  if (images === 0 && characters === 0 && audioMs === 0 && calls === 0) return usage
  return {
    ...usage,
    images: usage.images || images,
    characters: usage.characters || characters,
    audioMs: usage.audioMs || audioMs,
    calls: Math.min(usage.calls || calls, callsMax),
    // A vendor that counts calls reports no tokens.
    promptTokens: usage.promptTokens || (usage.calls > 0 ? params.promptTokens : 0),
  }
}
