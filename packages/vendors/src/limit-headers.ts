/**
 * The headers in which vendors report a limit with each answer: what remains, and when the limit resets (OpenAI, "Rate limits", read
 * 2026-11-22; Anthropic, "Rate limits", response headers, read 2026-11-23).
 */
export const limitHeaders: ReadonlyArray<readonly [remaining: string, reset: string]> = [
  ...['-requests', '-tokens', ''].map((limit) => [`x-ratelimit-remaining${limit}`, `x-ratelimit-reset${limit}`] as const),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map(
    (limit) => [`anthropic-ratelimit-${limit}-remaining`, `anthropic-ratelimit-${limit}-reset`] as const,
  ),
]
