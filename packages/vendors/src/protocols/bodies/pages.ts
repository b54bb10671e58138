// Pages that say what several places of bodies cost, as `source` of their rows.

/** The response's `service_tier` is the one that was used. */
export const tiers =
  'OpenAI, "Priority processing" (a premium for each token, or the standard tier) and "Flex processing" (the prices of batches), copies of 2026-07-15; read 2026-11-29'

export const fastAndRegional =
  'Anthropic, "Fast mode" and "Pricing": a factor at high speed, a tenth more for `inference_geo: "us"`, of all tokens; read 2026-11-29'

export const fallbackCosts =
  'Anthropic, "Refusals and fallback": `usage.iterations` has every attempt and names the model that served; read 2026-11-29'

export const liveSearch = 'xAI, "Live search": its API answers 410, as clients quote it from July 2026 on; read 2026-11-29'

const pricing = 'Gemini API, "Pricing", copies of 2026'

export const grounding = `${pricing}: 14 dollars for 1000 searches, of 2.5 and earlier 35 for 1000 prompts; read 2026-11-29`

export const geminiMaps = `${pricing}, grounding with Google Maps: 14 or 25 dollars for 1000, without a price here; read 2026-11-29`

export const geminiTokens = `${pricing}: code and pages behind addresses cost their tokens, the use of a computer those of its model; read 2026-11-29`

export const contextCaching = `${pricing}, "Context caching": the store is paid by the hour; read 2026-11-29`
