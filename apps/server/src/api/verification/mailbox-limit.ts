import type { RateLimit } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import type { Codes } from './codes.ts'

/** Counts a mail to a mailbox, whoever requests it. @throws AppError send_throttled */
export type CountMail = (email: string) => Promise<void>

/** `limit`: `null` = none. */
export function createCountMail(codes: Codes, limit: RateLimit | null): CountMail {
  return async (email) => {
    if (limit === null) return
    const { count: max, perSeconds: seconds } = limit
    const wait = await codes.count(`send-to:${mailboxOf(email)}`, { max, seconds })
    if (wait > 0) throw new AppError('send_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
  }
}

/** The mailbox of an address, without a tag behind a plus sign, which many providers ignore. */
function mailboxOf(email: string): string {
  const at = email.indexOf('@')
  const plus = email.indexOf('+')
  return plus >= 0 && plus < at ? email.slice(0, plus) + email.slice(at) : email
}
