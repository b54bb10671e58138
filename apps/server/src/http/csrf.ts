import type { FieldReader } from '@sluice/http1/fields'
/**
 * Whether a call that rides on a cookie comes from another site. The cookie is SameSite=Strict already; this also stops a page of
 * the same site, and addresses that change state being opened as a page or picture. Scripts send none of these headers and pass.
 * @param ownHosts every host under which this server is known: a proxy in front may change the one that the request names
 */
export function isCrossSite(headers: FieldReader, ownHosts: readonly string[], hasSideEffect: boolean): boolean {
  if (isForm(headers)) return true
  if (hasSideEffect && (headers.get('sec-fetch-mode') === 'navigate' || isEmbedded(headers.get('sec-fetch-dest')))) return true
  const site = headers.get('sec-fetch-site')
  // The browser has compared the page's origin with the address it asked, which no page can forge.
  if (site === 'same-origin') return false
  if (site !== null && (site !== 'none' || hasSideEffect)) return true
  const origin = headers.get('origin') ?? headers.get('referer')
  return origin !== null && !ownHosts.includes(hostOf(origin) ?? '')
}

/** The three types that a page may send to any site without asking it first. Our own pages send JSON. */
function isForm(headers: FieldReader): boolean {
  const isBrowser = headers.has('origin') || headers.has('sec-fetch-site')
  return (
    isBrowser && /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i.test(headers.get('content-type') ?? '')
  )
}

function isEmbedded(destination: string | null): boolean {
  return destination !== null && ['document', 'iframe', 'frame', 'image', 'embed', 'object'].includes(destination)
}

function hostOf(address: string): string | null {
  return URL.parse(address)?.host ?? null
}
