import { isInSubnets, type Subnet } from '../lib/cidr.ts'

/**
 * The address of the client itself. Forwarded addresses are believed only from proxies that the operator named, from the right:
 * the first one that no trusted proxy vouches for is the client.
 */
export function clientAddress(socketAddress: string, forwardedFor: string | null, trustedProxies: readonly Subnet[]): string {
  let address = plainAddress(socketAddress)
  if (trustedProxies.length === 0 || forwardedFor === null) return address
  const hops = forwardedFor.split(',').map((hop) => plainAddress(hop.trim()))
  while (isInSubnets(address, trustedProxies)) {
    const previous = hops.pop()
    if (previous === undefined || previous === '') break
    address = previous
  }
  return address
}

/** Whether the client came by https: directly, or by the word of a trusted proxy. */
export function isHttps(url: string, forwardedProto: string | null, isTrusted: boolean): boolean {
  return url.startsWith('https:') || (isTrusted && forwardedProto?.split(',')[0]?.trim() === 'https')
}

/** IPv4 inside IPv6 counts as IPv4, so that one address has one spelling. */
function plainAddress(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address
}
