import type { FieldReader } from '@sluice/http1/fields'
import type { Clock } from '../lib/clock.ts'
import { createSampler } from '../lib/sampler.ts'

/** Whose pages may call this server with a cookie. */
export interface OwnPages {
  /** All hosts of this server: a proxy in front may change the one in the request. */
  readonly hosts: readonly string[]
  /** Whether the request comes from a console of `CONSOLE_ORIGINS`. */
  readonly isConsole: boolean
}

/**
 * Whether a call with a cookie comes from another origin. The cookie is SameSite=Strict already; this also stops other origins of the
 * same site, and calls that change state from being opened as a page or image. Scripts send none of these headers and pass.
 */
export function isCrossSite(headers: FieldReader, { hosts, isConsole }: OwnPages, hasSideEffect: boolean): boolean {
  if (isForm(headers)) return true
  if (hasSideEffect && (headers.get('sec-fetch-mode') === 'navigate' || isEmbedded(headers.get('sec-fetch-dest')))) return true
  if (isConsole) return false
  const site = headers.get('sec-fetch-site')
  // The browser sets this after comparing the page's origin with the request's; no page can forge it.
  if (site === 'same-origin') return false
  if (site !== null && (site !== 'none' || hasSideEffect)) return true
  const origin = headers.get('origin') ?? headers.get('referer')
  return origin !== null && !hosts.includes(hostOf(origin) ?? '')
}

/** The three content types that a page may send to any site without a CORS preflight. Our own pages send JSON. */
function isForm(headers: FieldReader): boolean {
  const isBrowser = headers.has('origin') || headers.has('sec-fetch-site')
  return (
    isBrowser && /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i.test(headers.get('content-type') ?? '')
  )
}

function isEmbedded(destination: string | null): boolean {
  return destination !== null && ['document', 'iframe', 'frame', 'image', 'embed', 'object'].includes(destination)
}

/** Any page can cause any number of refusals. */
const logEveryMs = 60_000

/** Longest host in the log, in characters. */
const hostLengthMax = 255

/** A refused call. */
interface CrossSiteCall {
  /** Host of the page, as the browser names it; `null` = it names none. */
  readonly page: string | null
  readonly hosts: readonly string[]
  /** Number of refusals since the last one that was logged. */
  readonly keptBack: number
}

/** @param report called with the hosts that differ: where the page is the server's own, a proxy has changed one of them */
export function createCrossSiteLog(clock: Clock, report: (call: CrossSiteCall) => void) {
  const sample = createSampler(clock, logEveryMs)
  return (headers: FieldReader, { hosts }: OwnPages): void => {
    const keptBack = sample('')
    if (keptBack === null) return
    const address = headers.get('origin') ?? headers.get('referer')
    const page = (address === null ? null : hostOf(address))?.slice(0, hostLengthMax) ?? null
    const own = [...new Set(hosts)].map((host) => host.slice(0, hostLengthMax))
    report({ page, hosts: own, keptBack })
  }
}

function hostOf(address: string): string | null {
  return URL.parse(address)?.host ?? null
}
