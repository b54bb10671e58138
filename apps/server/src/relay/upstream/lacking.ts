import { withoutKind } from '@sluice/vendors/dialects'
import type { Attempt } from '../model/answer.ts'
import type { Call } from '../model/call.ts'
import type { Channel } from '../model/channel.ts'
import type { Wanted } from '../model/request-params.ts'
import { type AttemptDeps, attempt } from './attempt.ts'
import type { Lacking } from './capability-cache.ts'

/**
 * One try at a channel. Where its server says that it does not have the kind, it is asked at once for what can stand in for it; that is
 * remembered only where it brought an answer, because a server without the model says nearly the same.
 */
export function attemptKind(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
  return channel.vendor.mayLack === undefined ? attempt(call, channel, deps) : attemptOrOther(call, channel, deps)
}

export interface KindAttemptDeps extends AttemptDeps {
  readonly lacking: Lacking
}

async function attemptOrOther(call: Call, channel: Channel, deps: KindAttemptDeps): Promise<Attempt> {
  const { lacking } = deps
  const vendor = lacking.vendorOf(channel)
  const tried = await attempt(call, vendor === channel.vendor ? channel : { ...channel, vendor }, deps)
  const other = isLack(tried) && canStandIn(call.wanted) && !call.isClientGone ? withoutKind(vendor, call.rules.kind) : null
  if (other === null) return tried
  const again = await attempt(call, { ...channel, vendor: other }, deps)
  if (again.isOk) lacking.found(channel, other)
  return again
}

/** The other kind of servers that lack one has no tools of its own. */
function canStandIn({ nativeOnly, webSearch }: Wanted): boolean {
  return nativeOnly === undefined && webSearch === undefined
}

/** The path is not there, as far as can be told: nothing is said of the model or of a part of the request. */
function isLack(tried: Attempt): boolean {
  if (tried.isOk || tried.failed.by !== 'vendor') return false
  const { status, failure } = tried.failed
  return status === 405 || (status === 404 && failure.code !== 'model_not_found' && failure.param === null)
}
