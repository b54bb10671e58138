import type { Failure } from '@sluice/vendors/dialect'
import { classified } from '@sluice/vendors/failure-rules'
import type { Channel } from '../model/channel.ts'
import { parseFailure } from './without-secrets.ts'

/** A failure that a dialect read in a 2xx answer or a stream of a channel: as the vendor's table classifies it, and without secrets. */
export function channelFailure(failure: Failure, channel: Channel): Failure {
  return parseFailure(classified(failure, channel.vendor.failures), channel)
}
