import type { JsonObject } from './json.ts'
import type { ServiceTier } from './usage.ts'

/**
 * OpenAI's `service_tier` of a request, or of a response: the requested tier, or the one used instead ("Priority processing", "Flex processing", stored
 * copies read 2026-11-21; "Ultrafast mode", read 2026-11-25). `fast` is priority's newer name, at the same price (the table of genai-prices 0.2.3;
 * not confirmed by a page of OpenAI).
 */
export function serviceTierOf({ service_tier: named }: JsonObject): ServiceTier {
  const tier = named === 'fast' ? 'priority' : named
  return tier === 'flex' || tier === 'priority' || tier === 'ultrafast' ? tier : 'standard'
}
