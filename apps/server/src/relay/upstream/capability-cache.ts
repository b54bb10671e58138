import type { Vendor } from '@sluice/vendors/vendor'
import type { Clock } from '../../lib/clock.ts'
import type { Channel } from '../model/channel.ts'

/** What channels turned out not to have. Another address or key is another channel here, and a restart forgets all. */
export interface CapabilityCache {
  /** The vendor of the channel, without what it is known to lack. */
  vendorOf(channel: Channel): Vendor
  /** It answers as this vendor does. */
  found(channel: Channel, vendor: Vendor): void
}

/** Servers are brought up to date: then it is asked again. */
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
