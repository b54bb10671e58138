import type { Outgoing } from '@sluice/vendors/core/request'
import { upstreamLimitIn } from '@sluice/vendors/protocols/shared/output-limit-of-request'
import { knownLimitsOf } from '@sluice/vendors/registry/models/output-limits'
import { AppError } from '../../lib/app-error.ts'
import type { Call } from '../model/call.ts'

/**
 * The output limit to send if the client set none (`undefined`: none is sent): what the model can write and the balance covers, because vendors
 * refuse more. If it is not known what the model can write, none is sent where the balance covers much more than what is assumed.
 */
export function ownLimit({ budget, rules, params }: Call, model: string): number | undefined {
  const own = budget?.ownLimit ?? null
  if (own === null || (rules.isShortByDefault === true && own.affordable >= (own.outputMax ?? 0))) return undefined
  const known = model === params.model ? null : knownLimitsOf(model)
  const most = Math.min(own.outputMax ?? Number.POSITIVE_INFINITY, known?.outputMax ?? Number.POSITIVE_INFINITY)
  return most === Number.POSITIVE_INFINITY ? undefined : Math.min(most, own.affordable)
}

/** @throws AppError if the balance does not cover the limit sent to the vendor */
export function needHoldFor({ budget, params: { maxTokens, choices } }: Call, { body, outputMax }: Outgoing): void {
  // A limit that the vendor's form cannot hold does not keep it from writing more.
  const most = upstreamLimitIn(body) ?? (outputMax === undefined && maxTokens !== 0 ? maxTokens : null)
  if (budget?.extendHold(most === null ? null : most * choices) === false) throw new AppError('insufficient_user_quota')
}
