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

/** Two counts in one; the later one says how fast it went. */
export function addUsage(first: Usage, second: Usage): Usage {
  const sum: Record<string, number | string> = { ...second }
  for (const [name, count] of Object.entries(first)) {
    const more = sum[name]
    if (typeof count === 'number' && typeof more === 'number') sum[name] = count + more
  }
  // Holds: every member is still there, and numbers are numbers.
  return sum as unknown as Usage
}
