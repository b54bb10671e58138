import type { Kind } from '@sluice/vendors/core/kind'
import type { RequestRule } from '@sluice/vendors/core/request-rule'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { isLasting } from '@sluice/vendors/protocols/rules/learned-rules'
import type { Clock } from '../../lib/clock.ts'
import type { Channel } from '../model/channel.ts'

/** What channels turned out to have and to lack. A channel with another address or key counts as another; a restart forgets everything. */
export interface CapabilityCache {
  /** The channel's vendor, without the kinds that it is known to lack. */
  vendorOf(channel: Channel): Vendor
  /** Records that the channel behaves as this vendor. */
  recordVendor(channel: Channel, vendor: Vendor): void
  /** Whether the channel's server is known to have a kind that not all servers of its vendor have. */
  has(channel: Channel, kind: Kind): boolean
  /** Records that the server has responded to a request of this kind. */
  served(channel: Channel, kind: Kind): void
  /** What a model of the channel was found not to take. */
  rulesOf(channel: Channel, model: string): readonly RequestRule[] | undefined
  /** Records these of a model of the channel, in the place of what was known. */
  learned(channel: Channel, model: string, rules: readonly RequestRule[]): void
}

/** After so long the server is tried again, because it may have been updated. */
const believedMs = 60 * 60_000

/** Most models of a channel of which something is known: names of models are the operator's, so there are rarely more. */
const modelsMax = 100

interface LearnedRules {
  readonly rules: readonly RequestRule[]
  readonly untilMs: number
}

export function createCapabilityCache(clock: Clock): CapabilityCache {
  const known = new WeakMap<Channel, { readonly vendor: Vendor; readonly untilMs: number }>()
  const had = new WeakMap<Channel, Map<Kind, number>>()
  const rulesOfModels = new WeakMap<Channel, Map<string, LearnedRules>>()
  return {
    vendorOf(channel) {
      const entry = known.get(channel)
      return entry === undefined || entry.untilMs <= clock.monotonicMs() ? channel.vendor : entry.vendor
    },
    recordVendor: (channel, vendor) => void known.set(channel, { vendor, untilMs: clock.monotonicMs() + believedMs }),
    has: (channel, kind) => (had.get(channel)?.get(kind) ?? 0) > clock.monotonicMs(),
    served(channel, kind) {
      const kinds = had.get(channel) ?? new Map<Kind, number>()
      had.set(channel, kinds.set(kind, clock.monotonicMs() + believedMs))
    },
    rulesOf(channel, model) {
      const learned = rulesOfModels.get(channel)?.get(model)
      return learned === undefined || learned.untilMs <= clock.monotonicMs() ? undefined : learned.rules
    },
    learned(channel, model, rules) {
      const lasting = rules.filter(isLasting)
      const models = rulesOfModels.get(channel) ?? new Map<string, LearnedRules>()
      if (lasting.length === 0 || (models.size >= modelsMax && !models.has(model))) return
      rulesOfModels.set(channel, models.set(model, { rules: lasting, untilMs: clock.monotonicMs() + believedMs }))
    },
  }
}
