import ipaddr from 'ipaddr.js'

/** Names under which clouds serve their machine metadata. */
const metadataHosts = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data', 'instance-data.ec2.internal'])

/** Metadata service of one cloud on an otherwise private range. */
const metadataAddresses = new Set(['fd00:ec2:0:0:0:0:0:254', '100.100.100.200'])

/**
 * Addresses that a channel may never point at: link-local (where clouds keep their metadata), unspecified, multicast, and
 * ourselves. Private and loopback ranges are allowed, because models run there too.
 * @param ownPort the port we listen on
 */
export function isForbiddenTarget(address: string, ownPort: number): boolean {
  const url = URL.parse(address)
  if (url === null) return true
  // The WHATWG parser has already turned decimal, octal and hexadecimal forms into dotted quads.
  const host = url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase()
  if (metadataHosts.has(host)) return true
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (port === ownPort && (host === 'localhost' || isLoopback(host))) return true
  return isForbiddenAddress(host)
}

/** The same for an address that a name resolved to. */
export function isForbiddenAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = embeddedIpv4(ipaddr.process(address))
  if (metadataAddresses.has(ip.toNormalizedString())) return true
  return ['linkLocal', 'unspecified', 'multicast', 'broadcast'].includes(ip.range())
}

function isLoopback(host: string): boolean {
  return ipaddr.isValid(host) && embeddedIpv4(ipaddr.process(host)).range() === 'loopback'
}

/** The IPv4 address inside NAT64 and 6to4 forms, which reach the same machine. */
function embeddedIpv4(ip: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (ip instanceof ipaddr.IPv4) return ip
  const bytes = ip.toByteArray()
  if (ip.range() === 'rfc6052') return new ipaddr.IPv4(bytes.slice(12))
  if (ip.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  return ip
}
