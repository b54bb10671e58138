import type { Settings } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import type { Service } from './call.ts'

/**
 * Asks the bot check about the token that a visitor's browser brought; does nothing where the check is off. The service takes
 * each token once, and nothing is remembered of it here: every action needs a token of its own.
 * @throws AppError turnstile_missing, turnstile_failed, outside_unreachable: without an answer nobody passes
 */
export type CheckHuman = (token: string, address: string) => Promise<void>

interface TurnstileDeps {
  readonly service: Service
  readonly base: string
  readonly settings: () => Settings
}

export function createCheckHuman({ service, base, settings }: TurnstileDeps): CheckHuman {
  return async (token, address) => {
    const { TurnstileCheckEnabled, TurnstileSecretKey } = settings()
    if (!TurnstileCheckEnabled) return
    if (token === '') throw new AppError('turnstile_missing')
    const answer = await service.json({
      url: `${base}/turnstile/v0/siteverify`,
      method: 'POST',
      body: new URLSearchParams({ secret: TurnstileSecretKey, response: token, remoteip: address }),
    })
    if (answer['success'] !== true) throw new AppError('turnstile_failed')
  }
}
