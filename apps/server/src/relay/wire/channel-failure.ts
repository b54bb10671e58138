import type { Failure } from '@sluice/vendors/core/failure'
import { classified } from '@sluice/vendors/core/failure-rules'
import type { Spent } from '../model/attempt-failure.ts'
import type { Channel } from '../model/channel.ts'
import { parseFailure } from './without-secrets.ts'

/** A failure that a dialect read in a 2xx response or a stream of a channel: as the vendor's table classifies it, and without secrets. */
export function channelFailure(failure: Failure, channel: Channel): Failure {
  // It has no words of the vendor.
  if (failure.unread !== undefined) return failure
  return parseFailure(classified(failure, channel.vendor.failures), channel)
}

/** What the vendor bills for a response that failed: one beyond our limits, or one for which it reports usage. `undefined`: nothing. */
export function spentOn({ unread, usage }: Failure): Spent | undefined {
  if (unread !== undefined) return { ...unread, isUnread: true }
  return usage === undefined ? undefined : { usage, text: '', isTextCut: true, isFailed: true }
}
