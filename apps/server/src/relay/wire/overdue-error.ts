import { AppError } from '../../lib/app-error.ts'
import type { Overdue } from '../model/attempt-failure.ts'

/** The error of it, which names the setting. */
export function overdueError({ setting, ms }: Overdue, cause?: unknown): AppError {
  return new AppError('upstream_timeout', { says: 'upstream_overdue', params: { setting, seconds: ms / 1000 }, cause })
}
