import type { Usage } from '@sluice/vendors/dialect'
import { noUsage } from '@sluice/vendors/no-usage'
import type { AnswerEnd, EndReason } from '../model/answer.ts'
import type { Channel } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'
import { msOfAudioTokens } from '../pricing/audio-tokens.ts'
import type { ResolvedPrice } from '../pricing/resolve-price.ts'
import { type OutputBudget, withMargin } from './output-budget.ts'
import type { OwnCounts } from './own-counts.ts'
import { isMade, thoughtsIn } from './unseen-work.ts'

/** A request with the channel that answered it. */
interface Answered {
  readonly params: RequestParams
  readonly channel: Channel | null
  readonly resolvedPrice: Pick<ResolvedPrice, 'price'>
}

/** A request as it was sent, with its output limit. */
type Sent = Answered & { readonly budget: Pick<OutputBudget, 'sentLimit'> }

/** The usage without a vendor's count: the prompt and the delivered output. If nothing was delivered, nothing was used. */
export async function countUsage(charge: Sent, { usage, text, reason, unseenMs = 0 }: AnswerEnd, ownCounts: OwnCounts): Promise<Usage> {
  const { serviceTier = 'standard', isRegional = false } = charge.params
  // What a session has counted itself remains, even if its vendor's count is suspect.
  const isCounted = usage !== null && (!usage.isSuspect || usage.promptTokens + usage.completionTokens + usage.delegated.length > 0)
  const thoughts = thoughtsIn(unseenMs)
  const isNothing = hasPieces(charge.params) ? servedBy[reason] !== null : text === '' && thoughts === 0
  if (!isCounted && reason !== 'complete' && isNothing) return noUsage
  const { audioOutputTokens, imageOutputTokens } = usage ?? noUsage
  const most = charge.budget.sentLimit ?? Number.POSITIVE_INFINITY
  // A vendor that ignores the client's limit is not paid for the rest, as a stream of it would be cut.
  const isLimited = (charge.params.maxTokens ?? 0) > 0
  const written = Math.min(await ownCounts.output(charge, text), isLimited ? withMargin(most) : Number.POSITIVE_INFINITY)
  const own = written + audioOutputTokens + imageOutputTokens
  const completionTokens = Math.max(usage?.completionTokens ?? 0, own, Math.min(own + thoughts, most))
  const prompt = usage !== null && usage.promptTokens > 0 ? noPrompt : promptOf(charge, ownCounts)
  const known = usage ?? { ...noUsage, serviceTier, isRegional }
  return withPieces({ ...known, ...prompt, completionTokens }, charge)
}

/** Whether an answer is paid by the piece. */
const hasPieces = (params: RequestParams): boolean => isMade(params) || (params.audioMs ?? 0) > 0

const noPrompt: Partial<Usage> = {}

/** Our count of the prompt, with the parts of it that have prices of their own. */
function promptOf(charge: Answered, ownCounts: OwnCounts): Partial<Usage> {
  const { audioTokens: audioInputTokens = 0, imageTokens: imageInputTokens = 0 } = charge.params
  const read = { promptTokens: ownCounts.prompt(charge), audioInputTokens, imageInputTokens }
  return charge.resolvedPrice.price.audioSecond === undefined ? read : { ...read, audioMs: msOfAudioTokens(audioInputTokens) }
}

/**
 * Whether an answer that ended so served its request; `null`: its client caused the end. A broken answer that is priced per piece is charged only
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

/** Uses the requested number of pieces if the answer does not give one. */
export function withPieces(usage: Usage, { params }: Pick<Answered, 'params'>): Usage {
  const { images = 0, characters = 0, audioMs = 0, calls = 0, callsMax = calls } = params
  if (images === 0 && characters === 0 && audioMs === 0 && calls === 0) return usage
  return {
    ...usage,
    images: usage.images || images,
    characters: usage.characters || characters,
    audioMs: usage.audioMs || audioMs,
    calls: Math.min(usage.calls || calls, callsMax),
    // A vendor that counts calls tells no tokens.
    promptTokens: usage.promptTokens || (usage.calls > 0 ? params.promptTokens : 0),
  }
}
