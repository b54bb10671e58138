/**
 * Whether a call that rides on a cookie comes from another site. The cookie is SameSite=Strict already; this also stops a page of
 * the same site, and addresses that change state being opened as a page or picture. Scripts send none of these headers and pass.
 * @param ownHosts every host under which this server is known: a proxy in front may change the one that the request names
 */
export function isCrossSite(headers: Headers, ownHosts: readonly string[], hasSideEffect: boolean): boolean {
  if (hasSideEffect && (headers.get('sec-fetch-mode') === 'navigate' || isEmbedded(headers.get('sec-fetch-dest')))) return true
  const site = headers.get('sec-fetch-site')
  // The browser has compared the page's origin with the address it asked, which no page can forge.
  if (site === 'same-origin') return false
  if (site !== null && (site !== 'none' || hasSideEffect)) return true
  const origin = headers.get('origin') ?? headers.get('referer')
  return origin !== null && !ownHosts.includes(hostOf(origin) ?? '')
}

function isEmbedded(destination: string | null): boolean {
  return destination !== null && ['document', 'iframe', 'frame', 'image', 'embed', 'object'].includes(destination)
}

function hostOf(address: string): string | null {
  return URL.parse(address)?.host ?? null
}
