import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { ipTextMax } from './cidr.ts'
import { isLocalAddress } from './public-address.ts'

/** Names under which clouds serve their machine metadata. */
const metadataHosts = new Set(['metadata', 'metadata.google.internal', 'metadata.goog', 'instance-data', 'instance-data.ec2.internal'])

/** Metadata services outside the link-local ranges, and Azure's platform address. Each vendor's documentation, read 2026-11-22. */
const metadataAddresses: ReadonlySet<string> = new Set([
  // Amazon, Google and Alibaba
  'fd00:ec2:0:0:0:0:0:254',
  'fd20:ce:0:0:0:0:0:254',
  '100.100.100.200',
  // Azure and Oracle
  '168.63.129.16',
  '192.0.0.192',
])

/**
 * Addresses that a channel may never point at: link-local (where clouds keep their metadata), unspecified, multicast, this server itself by
 * any address of this machine, and any port of its public addresses: a firewall may hide those from outside. Private and loopback ranges
 * are another question (`private-hosts.ts`), because models run there too.
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
  if (isMetadataHost(host)) return true
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  if (port === ownPort && (host === 'localhost' || host.endsWith('.localhost') || isOwnAddress(host))) return true
  return !isLocalAddress(host) && isOwnAddress(host)
}

/** Whether a host is a metadata service, or an address that nothing may be sent to. */
export function isMetadataHost(host: string): boolean {
  return metadataHosts.has(host) || isForbiddenAddress(host)
}

/** Whether an IP address is a metadata service, or one that nothing may be sent to. Also checks what a name resolved to. */
export function isForbiddenAddress(address: string): boolean {
  return formsOf(address).some(
    (ip) => metadataAddresses.has(ip.toNormalizedString()) || ['linkLocal', 'unspecified', 'multicast', 'broadcast'].includes(ip.range()),
  )
}

/** Whether a host is this machine: a loopback address, or the address of one of its interfaces. */
function isOwnAddress(host: string): boolean {
  const forms = formsOf(host)
  if (forms.length === 0) return false
  const own = new Set(
    Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address }) => ipaddr.isValid(address))
      .map(({ address }) => ipaddr.process(address).toNormalizedString()),
  )
  return forms.some((ip) => ip.range() === 'loopback' || own.has(ip.toNormalizedString()))
}

/** The address, and every IPv4 address embedded in it. Empty for a name. */
function formsOf(address: string): ReadonlyArray<ipaddr.IPv4 | ipaddr.IPv6> {
  if (address.length > ipTextMax || !ipaddr.isValid(address)) return []
  // Mapped addresses (::ffff:1.2.3.4) become IPv4 addresses.
  const ip = ipaddr.process(address)
  if (ip instanceof ipaddr.IPv4) return [ip]
  const bytes = ip.toByteArray()
  return [ip, ...embeddings.flatMap((embedded) => embedded(bytes)).map((quad) => new ipaddr.IPv4([...quad]))]
}

type Embedding = (bytes: readonly number[]) => ReadonlyArray<readonly number[]>

/** The four bytes at each of `places`, for addresses that begin with `prefix`. */
function after(prefix: readonly number[], ...places: ReadonlyArray<readonly number[]>): Embedding {
  return (bytes) =>
    prefix.every((byte, index) => bytes[index] === byte) ? places.map((place) => place.map((index) => bytes[index] ?? 0)) : []
}

const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0)
const last = [12, 13, 14, 15]

/** Positions at which IPv6 addresses embed IPv4 ones, to which gateways and tunnels connect. */
const embeddings: readonly Embedding[] = [
  // IPv4-compatible (RFC 4291, 2.5.5.1) without `::` and `::1`, and IPv4-translated (RFC 2765, 2.1)
  (bytes) => after(zeros(12), last)(bytes).filter(([first]) => first !== 0),
  after([...zeros(8), 0xff, 0xff, 0, 0], last),
  // NAT64: the well-known prefix (RFC 6052, 2.1) and the local one (RFC 8215), in every prefix length of RFC 6052, 2.2 that fits
  after([0, 0x64, 0xff, 0x9b, ...zeros(8)], last),
  after([0, 0x64, 0xff, 0x9b, 0, 1], [6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], last),
  // 6to4 (RFC 3056, 2)
  after([0x20, 0x02], [2, 3, 4, 5]),
  // Teredo: the server, and the client with every bit inverted (RFC 4380, 4)
  after([0x20, 0x01, 0, 0], [4, 5, 6, 7]),
  (bytes) => after([0x20, 0x01, 0, 0], last)(bytes).map((quad) => quad.map((byte) => byte ^ 0xff)),
  // ISATAP (RFC 5214, 6.1), whatever its prefix
  (bytes) => (((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe ? [bytes.slice(12)] : []),
]
