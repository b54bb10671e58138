import type { Outgoing } from '@sluice/vendors/dialect'
import { knownLimitsOf } from '@sluice/vendors/output-limits'
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

/** Names of the output limit in vendors' requests. */
const limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/** @throws AppError if the balance does not cover the limit sent to the vendor */
export function needHoldFor({ budget }: Call, { body }: Outgoing): void {
  let most: number | null = null
  for (const name of limitFields) {
    const limit = body[name]
    if (typeof limit === 'number') most = Math.max(limit, most ?? limit)
  }
  const choices = typeof body['n'] === 'number' ? body['n'] : 1
  const limit = most === null ? null : most * choices
  if (budget?.extendHold(limit) === false) throw new AppError('insufficient_user_quota')
}
