import { SQL } from 'bun'
import { AppError } from '../lib/app-error.ts'

/** Seconds after which a client may retry while the database is unreachable. */
const retryAfterSeconds = 5

/** Whether the connection was lost or never opened, so that it is unknown whether its transaction was committed. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false
  // https://www.postgresql.org/docs/current/errcodes-appendix.html: 08 connection, 57P shutdown and start, 53300 too many connections.
  if (error.code === 'ERR_POSTGRES_SERVER_ERROR') return /^(?:08|57P|53300)/.test(error.errno ?? '')
  return /^ERR_POSTGRES_(?:CONNECTION|IDLE|LIFETIME)/.test(error.code)
}

/** Whether a retry of the same transaction may succeed: deadlock, lock timeout, statement timeout, full disk. */
export function isPassing(error: unknown): boolean {
  return error instanceof SQL.PostgresError && /^(?:40|53|55P03|57014)/.test(error.errno ?? '')
}

/**
 * Whether the database itself is damaged or may not be written, whatever is in a transaction: read-only, no right, a table or a column that is
 * gone, errors of its disk, corrupted data.
 */
export function isDamage(error: unknown): boolean {
  return error instanceof SQL.PostgresError && /^(?:25006|42501|42P01|42703|3F000|58|XX00[12])/.test(error.errno ?? '')
}

/** Whether others held what it waited for, for too long or each for the other. */
export function isLockConflict(error: unknown): boolean {
  return error instanceof SQL.PostgresError && /^(?:40P01|55P03)$/.test(error.errno ?? '')
}

export function unavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', { cause, retryAfterSeconds })
}

/** Whether the server had no room for it: memory, locks or disk. */
const isOutOfRoom = (error: unknown): boolean => error instanceof SQL.PostgresError && /^53/.test(error.errno ?? '')

/**
 * Translates an unreachable or overloaded database and an exceeded time limit for the client. Every other error is a fault of ours and stays.
 */
export function translateError(error: unknown): unknown {
  if (isConnectionLost(error) || isOutOfRoom(error)) return unavailable(error)
  return error instanceof SQL.PostgresError && error.errno === '57014' ? new AppError('query_too_slow', { cause: error }) : error
}
