import { vendorByType } from '@sluice/vendors/list'

/** What decides where the secrets of a channel are sent. */
interface Addressed {
  readonly type: number
  /** Empty: the address of the type. */
  readonly base_url: string
  /** Empty: none. */
  readonly proxy: string
}

/**
 * Whether an edit sends what is secret to somebody else: to another scheme, host or port, or through another proxy where the way is not
 * encrypted. Secrets are never shown, so whoever edits a channel may not know them, and could have them sent to a server of their own.
 */
export function sendsElsewhere(before: Addressed, after: Addressed): boolean {
  if (originOf(before) !== originOf(after)) return true
  const proxy = readingProxy(after)
  return proxy !== '' && proxy !== readingProxy(before)
}

function originOf({ type, base_url }: Addressed): string {
  return URL.parse(base_url === '' ? (vendorByType(type)?.baseUrl ?? '') : base_url)?.origin ?? ''
}

/** The proxy that reads what passes through it; empty = none does. */
function readingProxy(channel: Addressed): string {
  return originOf(channel).startsWith('http:') ? (URL.parse(channel.proxy)?.host ?? '') : ''
}
