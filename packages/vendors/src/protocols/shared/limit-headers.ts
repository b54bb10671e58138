/**
 * The headers in which vendors report a limit with each response: what remains, and when the limit resets (OpenAI, "Rate limits", read
 * 2026-11-22; Anthropic, "Rate limits", response headers, read 2026-11-23; those by size as prism-php/prism and tidyverse/ellmer read them, 2026-11-27).
 */
export const limitHeaders: ReadonlyArray<readonly [remaining: string, reset: string]> = [
  ['ratelimitbysize-remaining', 'ratelimitbysize-reset'],
  ...['-requests', '-tokens', ''].map((limit) => [`x-ratelimit-remaining${limit}`, `x-ratelimit-reset${limit}`] as const),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(
    (limit) => [`anthropic-ratelimit-${limit}-remaining`, `anthropic-ratelimit-${limit}-reset`] as const,
  ),
]
