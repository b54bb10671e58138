import type { FieldReader } from '@sluice/http1/fields'
import { isInSubnets, isPrivateAddress, type Subnet } from '../lib/cidr.ts'

/**
 * The address of the client. Forwarded addresses are accepted only from proxies that the operator configured, from right to left: the
 * first address that is not a trusted proxy is the client.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | null, trustedProxies: readonly Subnet[]): string {
  let address = plainAddress(socketAddress)
  if (trustedProxies.length === 0 || forwardedFor === null) return address
  const hops = hopsOf(forwardedFor)
  while (isInSubnets(address, trustedProxies)) {
    const previous = hops.pop()
    if (previous === undefined || previous === '') break
    address = previous
  }
  return address
}

/**
 * Whether the request can only have come from a private network. An untrusted header is read too, because it can only change the answer
 * to no, as for a client behind a proxy that is not configured.
 */
export function isFromNearby(address: string, forwardedFor: string | null): boolean {
  return isPrivateAddress(address) && (forwardedFor === null || hopsOf(forwardedFor).every(isPrivateAddress))
}

interface OriginRules {
  /** Whether the request came through a configured proxy. */
  readonly isTrusted: boolean
  /** The configured public address of this server; empty = none. */
  readonly publicAddress: string
}

/** Scheme and host of the request, as the client or a trusted proxy reports them. */
export function originOf(
  url: URL,
  headers: FieldReader,
  { isTrusted, publicAddress }: OriginRules,
): { readonly isSecure: boolean; readonly host: string } {
  const proto = isTrusted ? firstOf(headers.get('x-forwarded-proto')) : ''
  const forwardedHost = isTrusted ? firstOf(headers.get('x-forwarded-host')) : ''
  const host = (forwardedHost === '' ? null : URL.parse(`http://${forwardedHost}`)?.host) ?? url.host
  // A request for the host of an https public address came by https, even if no proxy says so.
  const isSecure = proto === '' ? publicAddress === `https://${host}` || url.protocol === 'https:' : proto === 'https'
  return { isSecure, host }
}

function hopsOf(forwardedFor: string): string[] {
  return forwardedFor.split(',').map((hop) => plainAddress(hop.trim()))
}

function firstOf(list: string | null): string {
  return list?.split(',')[0]?.trim() ?? ''
}

/** Converts an IPv4 address inside IPv6 to IPv4, so that each address has one spelling. */
function plainAddress(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
