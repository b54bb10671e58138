import { AppError } from '../../lib/app-error.ts'
import type { AttemptFailure } from '../model/attempt-failure.ts'

/**
 * A credential is missing because of the key, if the vendor says so or no request can be made with it, or else because the vendor cannot be
 * reached. Either is blamed on the channel, and not on a model. A refusal has a status of 400 or more (RFC 6749, 5.2), so a success response
 * without a credential, such as the page of a proxy, says nothing about the key.
 */
export function credentialFailure(cause: unknown): AttemptFailure {
  if (!(cause instanceof AppError) || cause.code !== 'upstream_failed') return { by: 'transport', code: 'upstream_unreachable', cause }
  const { status, detail } = cause.options.params ?? {}
  if (typeof status !== 'number' || !isRefusal(status)) return { by: 'transport', code: 'upstream_unreachable', cause }
  const failure = {
    kind: 'bad_key',
    message: typeof detail === 'string' ? detail : '',
    type: null,
    param: null,
    code: 'credential_refused',
  } as const
  return { by: 'vendor', failure, status, retryAfterSeconds: null }
}

/** @param status 0 = no request could be made */
function isRefusal(status: number): boolean {
  return status === 0 || (status >= 400 && status < 500 && status !== 429)
}
