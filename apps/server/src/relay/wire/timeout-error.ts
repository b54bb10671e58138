import { AppError } from '../../lib/app-error.ts'
import type { ExceededTimeout } from '../model/attempt-failure.ts'

/** The client's error for a timeout; it names the setting. */
export function timeoutError({ setting, ms }: ExceededTimeout, cause?: unknown): AppError {
  return new AppError('upstream_timeout', { messageKey: 'upstream_overdue', params: { setting, seconds: ms / 1000 }, cause })
}
