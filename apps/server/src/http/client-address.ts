import type { FieldReader } from '@sluice/http1/fields'
import { isInSubnets, isPrivateAddress, type Subnet } from '../lib/cidr.ts'

/**
 * The address of the client itself. Forwarded addresses are believed only from proxies that the operator named, from the right:
 * the first one that no trusted proxy vouches for is the client.
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
 * Whether the request can only have come from a network that the operator is on. Here an untrusted header is read too: it can
 * only take the answer to no, as for a client behind a proxy that nobody named in the configuration.
 */
export function isFromNearby(address: string, forwardedFor: string | null): boolean {
  return isPrivateAddress(address) && (forwardedFor === null || hopsOf(forwardedFor).every(isPrivateAddress))
}

interface OriginRules {
  /** The request came through a proxy that the operator named. */
  readonly isTrusted: boolean
  /** The address that the operator gave this server; empty = none. */
  readonly publicAddress: string
}

/** Scheme and host under which the client asked, as it or a trusted proxy says. */
export function originOf(
  url: URL,
  headers: FieldReader,
  { isTrusted, publicAddress }: OriginRules,
): { readonly isSecure: boolean; readonly host: string } {
  const proto = isTrusted ? firstOf(headers.get('x-forwarded-proto')) : ''
  const forwardedHost = isTrusted ? firstOf(headers.get('x-forwarded-host')) : ''
  const host = (forwardedHost === '' ? null : URL.parse(`http://${forwardedHost}`)?.host) ?? url.host
  // Whoever asks for the host that the operator serves by https has come by https, also where no proxy says so.
  const isSecure = proto === '' ? publicAddress === `https://${host}` || url.protocol === 'https:' : proto === 'https'
  return { isSecure, host }
}

function hopsOf(forwardedFor: string): string[] {
  return forwardedFor.split(',').map((hop) => plainAddress(hop.trim()))
}

function firstOf(list: string | null): string {
  return list?.split(',')[0]?.trim() ?? ''
}

/** IPv4 inside IPv6 counts as IPv4, so that one address has one spelling. */
function plainAddress(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
