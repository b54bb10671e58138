import type { Delegated, ServiceTier, Usage } from '../core/usage.ts'
import { advisingModel } from '../protocols/anthropic/tool-results.ts'
import { requestedModel } from '../protocols/anthropic/usage.ts'
import type { NamedModel } from '../protocols/bodies/body-row.ts'
import type { BodyUse } from '../protocols/bodies/body-use.ts'
import { effectsMax } from '../protocols/bodies/body-use.ts'
import { isSameModel } from './same-model.ts'

/** What of a request bounds the usage of its response. */
export interface Cause {
  readonly use: BodyUse
  /** The requested model. */
  readonly model: string
  /** The name of a model at the vendor, which its responses have. */
  readonly nameOf: (model: string) => string
  /** Pieces that the request orders. */
  readonly images: number
  readonly characters: number
  /** It has audio, or asks for some. */
  readonly hasAudio: boolean
}

/**
 * Models that search in every call, whatever the request says (OpenAI, "Web search", its models for chats; OpenRouter, "Online variant"; Groq,
 * "Compound"; stored copies read 2026-11-29; Perplexity, "Models", named 2026-11-29).
 */
export const isSearchingModel = (model: string): boolean => /search|sonar|compound|:online/i.test(model)

/** Vendors count a character of some languages as two, and one marked for the voice as more. */
const countsOfCharacter = 4

/** Those that cost more than the standard one, the dearest last. */
const dearTiers: readonly ServiceTier[] = ['priority', 'fast', 'ultrafast']

/**
 * The usage that a vendor reports, without what its request cannot have caused: calls of tools that it did not send, more of them than it
 * allows, models that it did not name, a dearer tier or region than it requested. Nobody requested these, so nobody pays for them.
 */
export function causableUsage(usage: Usage, cause: Cause): Usage {
  const { use, images, characters } = cause
  const isSearching = isSearchingModel(cause.model) || isSearchingModel(cause.nameOf(cause.model))
  return {
    ...usage,
    ...causableCache(usage, use),
    searches: Math.min(usage.searches, isSearching ? effectsMax.searches : use.searches),
    fileSearches: Math.min(usage.fileSearches, use.fileSearches),
    // A response that breaks off, or whose tools came in its turns, does not show how large they are.
    containers: Math.min(Math.max(usage.containers, usage.containerCount * use.offered.gigabytes), use.containers),
    images: Math.min(usage.images, images),
    audioMs: cause.hasAudio ? usage.audioMs : 0,
    characters: Math.min(usage.characters, characters * countsOfCharacter),
    delegated: usage.delegated.length === 0 ? usage.delegated : causableWork(usage.delegated, cause),
    serviceTier: causableTier(usage.serviceTier, use.tiers),
    isRegional: usage.isRegional && use.isRegional,
    responseModel: usage.responseModel === null ? null : allowedResponseModel(usage.responseModel, cause),
  }
}

/** A cache for an hour costs more than one for five minutes, and no vendor writes to it unless the request asks for that. */
function causableCache({ cacheWriteTokens, cacheWrite1hTokens }: Usage, { cacheLife }: BodyUse): Partial<Usage> {
  if (cacheWrite1hTokens === 0 || cacheLife === '1h') return asReported
  return { cacheWriteTokens: cacheLife === null ? cacheWriteTokens : cacheWriteTokens + cacheWrite1hTokens, cacheWrite1hTokens: 0 }
}

const asReported: Partial<Usage> = {}

/** A tier that the vendor lowered costs what it is, and never more than the one that was requested. */
function causableTier(tier: ServiceTier, requestTiers: readonly ServiceTier[]): ServiceTier {
  const dearest = requestTiers.reduce((most, other) => Math.max(most, dearTiers.indexOf(other)), -1)
  return dearTiers.indexOf(tier) <= dearest ? tier : (dearTiers[dearest] ?? 'standard')
}

/** The request's name for the model that responded; `null` = it names no such model. */
function allowedResponseModel(responseModel: string, cause: Cause): string | null {
  const { use, model, nameOf } = cause
  if (isSameModel(responseModel, nameOf(model))) return model
  const named = namedIn(cause, ['instead', 'after'], responseModel)
  if (named !== null || isSameModel(responseModel, model)) return named ?? model
  return use.unpriced.length > 0 ? responseModel : null
}

/** The client's name of a model that has a name at the vendor. */
function namedIn({ use: { models }, nameOf }: Cause, roles: ReadonlyArray<NamedModel['role']>, name: string): string | null {
  return models.find(({ role, model }) => roles.includes(role) && isSameModel(nameOf(model), name))?.model ?? null
}

/** Images a tool may make, and the work of models that the request names. Work of no named model is that of the requested one. */
function causableWork(delegated: readonly Delegated[], cause: Cause): readonly Delegated[] {
  let imagesLeft = cause.use.images
  return delegated.flatMap((work): Delegated[] => {
    const { models, usage } = work
    if (models[0] === requestedModel) return [{ ...work, models: [cause.model, cause.model] }]
    const isImage = usage.images > 0 || usage.imageOutputTokens > 0
    if (!isImage) return workOfNamed(work, cause)
    const images = Math.min(usage.images, imagesLeft)
    if (cause.use.images === 0 || (usage.images > 0 && images === 0)) return []
    imagesLeft -= images
    return [{ ...work, models: painterOf(models, cause), usage: { ...usage, images } }]
  })
}

function workOfNamed(work: Delegated, cause: Cause): Delegated[] {
  const { models } = cause.use
  const advising = work.models[0] === advisingModel ? models.find(({ role }) => role === 'beside')?.model : undefined
  const named = advising ?? namedIn(cause, ['beside'], work.models[0])
  if (named !== null) return [{ ...work, models: [named, named] }]
  return cause.use.unpriced.length > 0 ? [work] : []
}

/** The image model that the request names, or the vendor's default if it names none. */
function painterOf([reportedModel, usual]: Delegated['models'], cause: Cause): Delegated['models'] {
  const first = cause.use.models.find(({ role }) => role === 'beside')?.model
  return [namedIn(cause, ['beside'], reportedModel) ?? first ?? reportedModel, usual]
}
