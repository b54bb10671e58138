import { BlockList, isIP } from 'node:net'

/** Networks that the internet does not route (IANA, special-purpose address registries, read 2026-11-23). */
const privateNetworks = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  privateNetworks.addSubnet(address, bits, 'ipv4')
for (const [address, bits] of [
  // With the IPv4-compatible addresses (RFC 4291, 2.5.5.1).
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  // Both carry an IPv4 address, which may be of a local network (Teredo and 6to4).
  ['2001::', 32],
  ['2002::', 16],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  privateNetworks.addSubnet(address, bits, 'ipv6')

/** Names that only a local network knows. */
const localName = /^(?:localhost|[^.]+)$|\.(?:localhost|local|internal|lan|home|corp|arpa)$/i

/** Whether a host, given as an IP address, is one of a local network. */
export function isLocalAddress(address: string): boolean {
  return !isPublicAddress(`http://${address.includes(':') ? `[${address}]` : address}`)
}

type AddressesOf = (origin: string) => Promise<readonly string[]>

/** The addresses of an origin, which is refused if one of them is in a local network. @param isLocal whether an IP address is */
export function publicAddressesOf(addressesOf: AddressesOf, isLocal: (address: string) => boolean = isLocalAddress): AddressesOf {
  return async (origin) => {
    const addresses = await addressesOf(origin)
    if (addresses.some(isLocal)) throw new Error('an address of a local network')
    return addresses
  }
}

/** Whether an address of the web can be meant for everybody: not a host of a local network. The name is not resolved. */
export function isPublicAddress(address: string): boolean {
  const url = URL.parse(address)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '') return false
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const family = isIP(host)
  if (family === 0) return !localName.test(host)
  return !privateNetworks.check(host, family === 4 ? 'ipv4' : 'ipv6')
}
