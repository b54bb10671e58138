import ipaddr from 'ipaddr.js'

/** One range of addresses, of either family. */
export type Subnet = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Longest address or range: one of IPv6 with all digits, an IPv4 address inside and its length has 49 characters. The library needs quadratic time. */
export const ipTextMax = 64

/** Reads `10.0.0.0/8`, `2001:db8::/32` or a single address. `null` = not a range. */
export function parseSubnet(text: string): Subnet | null {
  if (text.length > ipTextMax) return null
  const range = text.includes('/') ? text : ipaddr.isValid(text) ? `${text}/${text.includes(':') ? 128 : 32}` : ''
  // The library also takes `1.2/8` and octal parts; a range that people can misread is refused.
  if (!/^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)\/\d{1,3}$/i.test(range)) return null
  if (/(^|\.)0\d/.test(range)) return null
  return ipaddr.isValidCIDR(range) ? ipaddr.parseCIDR(range) : null
}

/** Whether an address lies in one of the ranges. IPv4 inside IPv6 counts as IPv4. An unreadable address lies in none. */
export function isInSubnets(address: string, subnets: readonly Subnet[]): boolean {
  const ip = parseAddress(address)
  return ip !== null && subnets.some(([base, bits]) => ip.kind() === base.kind() && ip.match(base, bits))
}

/** The key under which a client is counted: its IPv4 address, or the /64 of its IPv6 address, all of which one client may use. */
export function clientKey(address: string): string {
  const ip = parseAddress(address)
  return ip instanceof ipaddr.IPv6 ? ip.parts.slice(0, 4).join(':') : (ip?.toString() ?? address)
}

/** The client's network: the /24 of an IPv4 address, or the /48 of an IPv6 address, which one customer commonly gets. */
export function networkKey(address: string): string {
  const ip = parseAddress(address)
  if (ip === null) return address
  return ip instanceof ipaddr.IPv6 ? ip.parts.slice(0, 3).join(':') : ip.octets.slice(0, 3).join('.')
}

/** Whether an address is one of this machine only. */
export function isLoopbackAddress(address: string): boolean {
  return parseAddress(address)?.range() === 'loopback'
}

/** Whether a text is an IP address as proxies, clients and URLs write it. */
export function isIpAddress(text: string): boolean {
  return parseAddress(text) !== null
}

/** The library also takes `127.1` and `0x7f000001`; they are refused, because no proxy or client writes addresses so. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (text.length > ipTextMax) return null
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : null
}
