import { SQL } from 'bun'
import { AppError } from '../lib/app-error.ts'

/** Seconds after which a client may ask again while the database is away. */
const retryAfterSeconds = 5

/** Whether the error means that the connection is gone or was never there, so that nothing is known of what it was doing. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof SQL.PostgresError)) return false
  // Classes of https://www.postgresql.org/docs/current/errcodes-appendix.html: 08 connection, 57P shutdown and start; 53300 has no place for us.
  if (error.code === 'ERR_POSTGRES_SERVER_ERROR') return /^(?:08|57P|53300)/.test(error.errno ?? '')
  return /^ERR_POSTGRES_(?:CONNECTION|IDLE|LIFETIME)/.test(error.code)
}

/** Whether the same transaction may well succeed in a moment: a deadlock, a lock or a statement that took too long, a full disk. */
export function isPassing(error: unknown): boolean {
  return error instanceof SQL.PostgresError && /^(?:40|53|55P03|57014)/.test(error.errno ?? '')
}

export function unavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', { cause, retryAfterSeconds })
}

/** What whoever asked is told: the database is away, or the query took longer than its time. Every other error is ours. */
export function toldError(error: unknown): unknown {
  if (isConnectionLost(error)) return unavailable(error)
  return error instanceof SQL.PostgresError && error.errno === '57014' ? new AppError('query_too_slow', { cause: error }) : error
}
