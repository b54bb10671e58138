import type { Failure } from './failure.ts'
import type { Usage } from './usage.ts'

/** A usage of zero: readers start from it and set only the counts they know. */
export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  imageInputTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
  audioMs: 0,
  characters: 0,
  images: 0,
  calls: 0,
  searches: 0,
  fileSearches: 0,
  containers: 0,
  containerCount: 0,
  delegated: [],
  serviceTier: 'standard',
  isRegional: false,
  isCacheExplicit: false,
  isRefused: false,
  responseModel: null,
  largestCall: null,
  costNanos: null,
  isSuspect: false,
}

interface ServedRequest {
  readonly usage: Usage | null
  readonly isPartial?: boolean
}

/** The usage that the vendor reported; `null`: what is known was counted here. */
export const reportedUsage = ({ usage, isPartial }: ServedRequest): Usage | null => (isPartial === true ? null : usage)

/** What is known of the usage of a response. */
export const knownUsage = ({ usage, isPartial }: WithMedia): WithMedia => (isPartial === true ? { usage, isPartial } : { usage })

/** The vendor sent invalid counts, which differs from sending none. */
export const nonsense: Usage = { ...noUsage, isSuspect: true }

/** The usage to show; `null` if its counts are invalid. */
export function believed(usage: Usage | null): Usage | null {
  return usage?.isSuspect === true ? null : usage
}

/**
 * Merges a later usage of the same response. Counts of a stream are totals, so they only grow; if one decreases, the usage counts as
 * invalid.
 */
export function laterUsage(known: Usage | null, now: Usage | null): Usage | null {
  if (known === null || now === null) return now ?? known
  const isGrown = now.promptTokens >= known.promptTokens && now.completionTokens >= known.completionTokens
  return isGrown && !known.isSuspect ? now : nonsense
}

/** What is known of a response whose usage was not reported: the sum of its parts, searches, and that it has reasoning. `null` = nothing */
export function partialUsage(parts: Usage | null, { hasReasoning, searches }: Seen): Usage | null {
  const known = hasReasoning ? sumOfUsages(parts, reasoningUsage) : parts
  if (searches === 0) return known
  return { ...(known ?? noUsage), searches: Math.max(known?.searches ?? 0, searches) }
}

/** A usage with what a response brought. */
interface WithMedia {
  readonly usage: Usage | null
  /** The output tokens are our count, because the vendor reports none. */
  readonly isPartial?: true
}

/**
 * The usage with the images and the audio that the response brought: some vendors do not distinguish them from text, some report only their
 * number of tokens, some report nothing, and a price may be for each image. @param media what was seen; `null` = none
 */
export function withMedia(usage: Usage | null, media: Usage | null): WithMedia {
  if (media === null) return { usage }
  if (usage === null || usage.completionTokens === 0) {
    const { completionTokens, audioOutputTokens, imageOutputTokens, images } = media
    return { usage: { ...(usage ?? noUsage), completionTokens, audioOutputTokens, imageOutputTokens, images }, isPartial: true }
  }
  const { completionTokens, audioOutputTokens, reasoningTokens } = usage
  const most = Math.max(0, completionTokens - audioOutputTokens - reasoningTokens)
  const imageOutputTokens = usage.imageOutputTokens || Math.min(media.imageOutputTokens, most)
  return { usage: { ...usage, imageOutputTokens, images: Math.max(usage.images, media.images) } }
}

interface Seen {
  readonly hasReasoning: boolean
  readonly searches: number
}

const reasoningUsage: Usage = { ...noUsage, reasoningTokens: 1 }

/** The sum of usages that may be missing; `null` = both are. */
export function sumOfUsages(first: Usage | null, second: Usage | null): Usage | null {
  return first === null || second === null ? (first ?? second) : addUsage(first, second)
}

/** Adds two usages; the service tier is the later one's, and the sum is invalid if one of them is. */
export function addUsage(first: Usage, second: Usage): Usage {
  const isSuspect = first.isSuspect || second.isSuspect
  const sum: Record<string, unknown> = { ...second, isSuspect, delegated: [...first.delegated, ...second.delegated] }
  for (const [name, count] of Object.entries(first)) {
    const more = sum[name]
    if (typeof count === 'number' && typeof more === 'number') sum[name] = count + more
  }
  sum['largestCall'] = maxOf(first.largestCall, second.largestCall)
  // Holds: no member was removed, and numbers stayed numbers.
  return sum as unknown as Usage
}

/** The larger one that is known. */
export function maxOf(first: number | null, second: number | null): number | null {
  return first === null || second === null ? (first ?? second) : Math.max(first, second)
}

/** A failure of a response for which the vendor reports usage, there or before. */
export function withUsageOf(failure: Failure, usage: Usage | null): Failure {
  return failure.usage !== undefined || usage === null || usage.promptTokens + usage.completionTokens === 0
    ? failure
    : { ...failure, usage }
}
