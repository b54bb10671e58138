import type { Vendor } from '@sluice/vendors/vendor'
import type { Clock } from '../../lib/clock.ts'
import type { Channel } from '../model/channel.ts'

/** What channels turned out to lack. A channel with another address or key counts as another; a restart forgets everything. */
export interface CapabilityCache {
  /** The channel's vendor, without the kinds that it is known to lack. */
  vendorOf(channel: Channel): Vendor
  /** Records that the channel behaves as this vendor. */
  found(channel: Channel, vendor: Vendor): void
}

/** After so long the server is asked again, because it may have been updated. */
const believedMs = 60 * 60_000

export function createCapabilityCache(clock: Clock): CapabilityCache {
  const known = new WeakMap<Channel, { readonly vendor: Vendor; readonly untilMs: number }>()
  return {
    vendorOf(channel) {
      const found = known.get(channel)
      return found === undefined || found.untilMs <= clock.monotonicMs() ? channel.vendor : found.vendor
    },
    found: (channel, vendor) => void known.set(channel, { vendor, untilMs: clock.monotonicMs() + believedMs }),
  }
}
