import type { Usage } from './dialect.ts'

/** Nothing was used: what a reader starts from, so that it names only what it knows. */
export const noUsage: Usage = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
  audioInputTokens: 0,
  imageInputTokens: 0,
  audioOutputTokens: 0,
  imageOutputTokens: 0,
  audioMs: 0,
  characters: 0,
  images: 0,
  calls: 0,
  searches: 0,
  serviceTier: 'standard',
}
