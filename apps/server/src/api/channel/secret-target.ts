import { vendorByType } from '@sluice/vendors/list'

/** The members that decide where the secrets of a channel are sent. */
interface Addressed {
  readonly type: number
  /** Empty = the address of the type. */
  readonly base_url: string
  /** Empty = none. */
  readonly proxy: string
}

/**
 * Whether an edit sends secrets elsewhere: to another scheme, host or port, or without encryption through another proxy. Secrets are never
 * shown, so an editor who does not know them could otherwise have them sent to a server of the own.
 */
export function sendsElsewhere(before: Addressed, after: Addressed): boolean {
  if (originOf(before) !== originOf(after)) return true
  const proxy = readingProxy(after)
  return proxy !== '' && proxy !== readingProxy(before)
}

function originOf({ type, base_url }: Addressed): string {
  return URL.parse(base_url === '' ? (vendorByType(type)?.baseUrl ?? '') : base_url)?.origin ?? ''
}

/** The proxy that can read the requests, because they are not encrypted; empty = none. */
function readingProxy(channel: Addressed): string {
  return originOf(channel).startsWith('http:') ? (URL.parse(channel.proxy)?.host ?? '') : ''
}
