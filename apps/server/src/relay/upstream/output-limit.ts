import type { Outgoing } from '@sluice/vendors/dialect'
import { knownLimitsOf } from '@sluice/vendors/output-limits'
import { AppError } from '../../lib/app-error.ts'
import type { Call } from '../model/call.ts'

/** Where the client names no limit, what is reserved is the limit; a model that writes less than the requested one refuses a larger one. */
export function ownLimit({ budget, rules, params }: Call, model: string): { readonly outputLimit?: number } {
  const reserved = budget?.ownLimit ?? null
  if (budget === undefined || reserved === null || (rules.isShortByDefault === true && !budget.isTight)) return {}
  const known = model === params.model ? null : knownLimitsOf(model)
  return { outputLimit: Math.min(reserved, known?.outputMax ?? reserved) }
}

/** Fields by which vendors are told how much an answer may have. */
const limitFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/** @throws AppError where the balance does not have what the vendor is allowed to write */
export function needHoldFor({ budget }: Call, { body }: Outgoing): void {
  const limits = limitFields.map((name) => body[name]).filter((limit) => typeof limit === 'number')
  const choices = typeof body['n'] === 'number' ? body['n'] : 1
  const limit = limits.length === 0 ? null : Math.max(...limits) * choices
  if (budget?.extendHold(limit) === false) throw new AppError('insufficient_user_quota')
}
