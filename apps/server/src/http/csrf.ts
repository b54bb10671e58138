/**
 * Whether a call that rides on a cookie comes from another site. The cookie is SameSite=Strict already; this also stops a page of
 * the same site, and addresses that change state being opened as a page or picture. Scripts send none of these headers and pass.
 */
export function isCrossSite(headers: Headers, host: string, hasSideEffect: boolean): boolean {
  const site = headers.get('sec-fetch-site')
  const isOwn = site === null || site === 'same-origin'
  if (!isOwn && !(site === 'none' && !hasSideEffect)) return true
  if (hasSideEffect && (headers.get('sec-fetch-mode') === 'navigate' || isEmbedded(headers.get('sec-fetch-dest')))) return true
  const origin = headers.get('origin') ?? headers.get('referer')
  return origin !== null && origin !== 'null' ? hostOf(origin) !== host : origin === 'null'
}

function isEmbedded(destination: string | null): boolean {
  return destination !== null && ['document', 'iframe', 'frame', 'image', 'embed', 'object'].includes(destination)
}

function hostOf(address: string): string | null {
  return URL.parse(address)?.host ?? null
}
