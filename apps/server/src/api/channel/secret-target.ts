import { baseOf, withoutVersion } from '@sluice/vendors/core/join-url'
import { vendorByType } from '@sluice/vendors/registry/list'

/** The members that decide where the secrets of a channel are sent. */
interface Addressed {
  readonly type: number
  /** Empty = the address of the type. */
  readonly base_url: string
  /** Empty = none. */
  readonly proxy: string
}

/**
 * Whether an edit sends secrets elsewhere: to another scheme, host, port or path, or without encryption through another proxy. Secrets are never
 * shown, so an editor who does not know them could otherwise have them sent to a server of the own, or to an account of the own at a host whose
 * paths name accounts.
 */
export function sendsElsewhere(before: Addressed, after: Addressed): boolean {
  if (placeOf(before) !== placeOf(after)) return true
  const proxy = readingProxy(after)
  return proxy !== '' && proxy !== readingProxy(before)
}

const addressOf = ({ type, base_url }: Addressed): string => (base_url === '' ? (vendorByType(type)?.routes.baseUrl ?? '') : base_url)

/** Where requests go, whatever version of the vendor's interface they are for. */
function placeOf(channel: Addressed): string {
  const address = addressOf(channel)
  const url = URL.parse(address)
  return url === null ? address : withoutVersion(baseOf(url.origin + url.pathname))
}

/** The proxy that can read the requests, because they are not encrypted; empty = none. */
function readingProxy(channel: Addressed): string {
  return URL.parse(addressOf(channel))?.protocol === 'http:' ? (URL.parse(channel.proxy)?.host ?? '') : ''
}
