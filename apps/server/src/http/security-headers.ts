interface PolicyOptions {
  /** SHA-256 of the page's inline scripts. */
  readonly scriptHashes: readonly string[]
  /** Origins that may be shown in a frame: the chat client, and a home page given as an address. */
  readonly frameOrigins: readonly string[]
  /** Whether pages show the bot check, which loads a script and a frame of another origin. */
  readonly hasBotCheck: boolean
}

const botCheckOrigin = 'https://challenges.cloudflare.com'

/** The policy of the console's page. Other origins are those of the bot check, if it is on, and of the release notes. */
export function contentSecurityPolicy({ scriptHashes, frameOrigins, hasBotCheck }: PolicyOptions): string {
  const botCheck = hasBotCheck ? [botCheckOrigin] : []
  return [
    "default-src 'self'",
    `script-src ${["'self'", ...scriptHashes.map((hash) => `'sha256-${hash}'`), ...botCheck].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: https:",
    // Speech of the playground, which the page has fetched itself.
    "media-src 'self' blob:",
    "connect-src 'self' https://api.github.com",
    `frame-src ${[...botCheck, ...frameOrigins].join(' ') || "'none'"}`,
    "frame-ancestors 'none'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ')
}

/** Sets the headers of every response that a browser may receive, beside `x-content-type-options`, which every response of the server has. */
export function setCommonHeaders(
  headers: Headers,
  { isSecure, requestId }: { readonly isSecure: boolean; readonly requestId: string },
): void {
  headers.set('x-request-id', requestId)
  headers.set('referrer-policy', 'strict-origin-when-cross-origin')
  headers.set('cross-origin-opener-policy', 'same-origin')
  headers.set('x-frame-options', 'DENY')
  if (isSecure) headers.set('strict-transport-security', 'max-age=31536000')
}
