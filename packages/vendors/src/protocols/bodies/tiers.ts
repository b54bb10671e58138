import type { JsonObject } from '../../core/json.ts'
import { serviceTierOf } from '../../core/service-tier.ts'
import type { ServiceTier } from '../../core/usage.ts'
import { objectsIn } from '../shared/chat-parts.ts'

const tierOrder = ['flex', 'priority', 'fast', 'ultrafast'] as const

/** The tiers that a body requests, also for its fallback models. */
export function tiersIn(body: JsonObject): readonly ServiceTier[] {
  const isFast = [body, ...objectsIn(body['fallbacks'])].some(({ speed }) => speed === 'fast')
  const requestTier = serviceTierOf(body)
  return tierOrder.filter((tier) => tier === requestTier || (tier === 'fast' && isFast))
}

export const isRegionalIn = ({ inference_geo: place }: JsonObject): boolean => typeof place === 'string' && place !== 'global'

/** Values of `service_tier` whose price is known: those that cost the standard price, and those that have one of their own. */
const knownTiers: ReadonlySet<string> = new Set([
  ...['auto', 'default', 'standard', 'standard_only', 'on_demand'],
  ...['flex', 'priority', 'fast', 'ultrafast', 'batch'],
])

/** Whether a body requests a tier of which no page says what it costs. */
export const hasUnknownTier = ({ service_tier: tier }: JsonObject): boolean => typeof tier === 'string' && !knownTiers.has(tier)
