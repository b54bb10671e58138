import type { Settings } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import type { Service } from './call.ts'

/**
 * Verifies the bot-check token of a visitor's browser; does nothing if the check is off. Turnstile accepts each token once, and the result
 * is not cached here, so every action needs a new token.
 * @throws AppError turnstile_missing, turnstile_failed, service_unreachable: without a response the check fails
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
    const response = await service.json({
      url: `${base}/turnstile/v0/siteverify`,
      method: 'POST',
      body: new URLSearchParams({ secret: TurnstileSecretKey, response: token, remoteip: address }),
    })
    if (response['success'] !== true) throw new AppError('turnstile_failed')
  }
}
