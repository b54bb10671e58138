import type { Usage } from '@sluice/vendors/core/usage'
import type { Price } from '@sluice/vendors/registry/models/prices'
import type { Counts } from '../../ledger/price.ts'

/**
 * The units of a usage that are charged. A response is charged either by tokens or by pieces: by the vendor's token count if it sent one and
 * tokens have a price, else by pieces, else by our own token count. Calls and the vendor's tools are charged in addition.
 */
export function countsOf(usage: Usage, price: Price, isTold: boolean): Counts {
  const hasTokens = usage.promptTokens > 0 || usage.completionTokens > 0
  const isRead = price.audioSecond !== undefined
  // Images whose tokens were counted cost those, unless they have a price each.
  const images = usage.imageOutputTokens > 0 && price.picture === undefined && price.ratio !== undefined ? 0 : usage.images
  const hasPieces = images > 0 || (usage.audioMs > 0 && !isRead) || usage.characters > 0
  const calls = price.call === undefined ? 0 : usage.calls || usage.images || 1
  if (hasPieces && !(isTold && hasTokens && price.ratio !== undefined)) {
    const { searches, fileSearches, containers } = usage
    return { images, ...audioIn(usage, price), calls, searches, fileSearches, containers }
  }
  return isRead ? { ...tokenCounts(usage, calls), audioMs: usage.audioMs } : tokenCounts(usage, calls)
}

/** Milliseconds of speech for a character, where its length is not known: slow speech. */
const msOfCharacter = 100

/** Speech is charged by its length where the price has that and it is known, else by its characters; never by both. */
function audioIn({ audioMs, characters }: Usage, { second, character }: Price): Pick<Counts, 'audioMs' | 'characters'> {
  if (characters === 0) return { audioMs, characters }
  if (second === undefined || (audioMs === 0 && character !== undefined)) return { audioMs: 0, characters }
  return { audioMs: audioMs || characters * msOfCharacter, characters: 0 }
}

/** Tokens by class, and calls. A part larger than its whole is cut to it, so that no token is charged twice. */
function tokenCounts(usage: Usage, calls: number): Counts {
  const cached = Math.min(usage.cachedTokens, usage.promptTokens)
  const cacheWrite = Math.min(usage.cacheWriteTokens, usage.promptTokens - cached)
  const cacheWrite1h = Math.min(usage.cacheWrite1hTokens, usage.promptTokens - cached - cacheWrite)
  const fresh = usage.promptTokens - cached - cacheWrite - cacheWrite1h
  const audioInput = Math.min(usage.audioInputTokens, fresh)
  const imageInput = Math.min(usage.imageInputTokens, fresh - audioInput)
  const audioOutput = Math.min(usage.audioOutputTokens, usage.completionTokens)
  const imageOutput = Math.min(usage.imageOutputTokens, usage.completionTokens - audioOutput)
  return {
    prompt: fresh - audioInput - imageInput,
    completion: usage.completionTokens - audioOutput - imageOutput,
    cached,
    cacheWrite,
    cacheWrite1h,
    audioInput,
    audioOutput,
    imageInput,
    imageOutput,
    calls,
    searches: usage.searches,
    fileSearches: usage.fileSearches,
    containers: usage.containers,
  }
}
