import { noUsage } from '@sluice/vendors/core/no-usage'
import type { Delegated, Usage } from '@sluice/vendors/core/usage'
import { contextMaxOf, knownLimitsOf } from '@sluice/vendors/registry/models/output-limits'
import { isFarAbove, loopsMax, smallContext } from './count-tolerance.ts'
import { tokensOfImage } from './kind-bounds.ts'
import { withMargin } from './output-budget.ts'

/** Input tokens of the images that a tool which draws may get for one. */
const toolImageTokens = 65_536

/** Input tokens of an advisor besides the conversation: its own instructions, which its vendor writes, and its tool definitions. */
const instructionTokens = 8_192

/** What is known of the request. */
interface Known {
  /** The model's name at the vendor. */
  readonly model: string
  /** Our estimate of the prompt. */
  readonly promptTokens: number
  /** How often the vendor may run tools; `null` = nothing limits that. */
  readonly callsMax: number | null
  /** How often each model besides the requested one may be called, where the request limits that; missing: no limits. */
  readonly usesMax?: ReadonlyMap<string, number>
}

/**
 * The usage without work of other models that is impossible: longer than their context or their output can be, of far more input than the
 * conversation has, in more calls than the request allows, or images of more tokens than they can have. Such work is left out, images are
 * charged by the piece, and the usage is suspect.
 * @param evidence `null` = nothing is known but the models
 */
export function withPossibleWork(usage: Usage, evidence: Known | null): Usage {
  const { promptTokens, completionTokens, largestCall } = usage
  const read = Math.max(evidence?.promptTokens ?? 0, largestCall ?? promptTokens + completionTokens)
  let callsLeft = evidence?.callsMax ?? loopsMax
  const usesLeft = new Map(evidence?.usesMax)
  const possible = usage.delegated.flatMap((work): readonly Delegated[] => {
    if (isDrawing(work)) return evidence === null ? [work] : generatedWithin(work, read)
    if (isTooLong(work, evidence) || (evidence !== null && isFarAbove(work.usage.promptTokens - instructionsOf(work, evidence), read)))
      return nothing
    if (work.usage.largestCall === null) return [work]
    const [model] = work.models
    const left = (usesLeft.get(model) ?? Number.POSITIVE_INFINITY) - 1
    usesLeft.set(model, left)
    callsLeft -= 1
    return callsLeft < 0 || left < 0 ? nothing : [work]
  })
  const isSame = possible.length === usage.delegated.length && possible.every((work, at) => work === usage.delegated[at])
  return isSame ? usage : { ...usage, delegated: possible, isSuspect: true }
}

const nothing: readonly Delegated[] = []

/** Calls that were declined read what the requested model does. */
const instructionsOf = ({ models: [model] }: Delegated, { model: own }: Known): number => (model === own ? 0 : instructionTokens)

const isDrawing = ({ usage: { images, imageOutputTokens } }: Delegated): boolean => images > 0 || imageOutputTokens > 0

function isTooLong({ models: [model], usage }: Delegated, evidence: Known | null): boolean {
  const { largestCall, completionTokens } = usage
  const tokens = largestCall ?? 0
  if (tokens <= smallContext) return false
  const contextMax = contextMaxOf(model) ?? (evidence === null ? null : contextMaxOf(evidence.model))
  if (contextMax !== null && tokens > contextMax) return true
  const outputMax = knownLimitsOf(model)?.outputMax ?? null
  return outputMax !== null && completionTokens > withMargin(outputMax)
}

/** The tokens of a vendor's tool that drew so many images, or the images alone if they cannot have so many tokens. */
function generatedWithin(work: Delegated, read: number): readonly Delegated[] {
  const { size, usage } = work
  const { images, promptTokens, completionTokens } = usage
  const isPossible =
    completionTokens <= withMargin(images * tokensOfImage(size)) &&
    !isFarAbove(promptTokens, Math.max(1, images) * (read + toolImageTokens))
  if (isPossible) return [work]
  return images === 0 ? nothing : [{ ...work, usage: { ...noUsage, images } }]
}
