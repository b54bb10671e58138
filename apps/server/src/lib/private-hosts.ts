import { isInSubnets, parseSubnet, type Subnet } from './cidr.ts'

/** Which hosts of private networks channels may reach. */
export interface PrivateHosts {
  /** Whether the list has the host of an origin, with its port or with every port, or a range that has the address. */
  has(origin: string, address?: string): boolean
}

/** What root has allowed. */
interface PrivateHostSettings {
  readonly AllowPrivateUpstreams: boolean
  readonly PrivateUpstreamHosts: readonly string[]
}

/** @param entries `host`, `host:port` or ranges of addresses; IPv6 addresses of hosts have brackets */
export function readPrivateHosts(entries: readonly string[]): PrivateHosts {
  const names = new Set(entries)
  const ranges = entries.map(parseSubnet).filter((range): range is Subnet => range !== null)
  return {
    has(origin, address = '') {
      const url = URL.parse(origin)
      if (url === null) return false
      const literal = address.includes(':') ? `[${address}]` : address
      return [url.hostname.replace(/\.$/, ''), literal].some(
        (host) =>
          host !== '' && (names.has(host) || names.has(`${host}:${portOf(url)}`) || isInSubnets(host.replace(/^\[|\]$/g, ''), ranges)),
      )
    },
  }
}

/** The entry for the host and the port of an address. */
export function privateHostOf(address: string): string | null {
  const url = URL.parse(address)
  return url === null || url.hostname === '' ? null : `${url.hostname.replace(/\.$/, '')}:${portOf(url)}`
}

const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80')

/** The hosts of private networks that channels may reach; `null` = all. The list is read once after each change. */
export function allowedPrivateHosts(settings: () => PrivateHostSettings): () => PrivateHosts | null {
  let entries: readonly string[] = []
  let hosts = readPrivateHosts(entries)
  return () => {
    const { AllowPrivateUpstreams, PrivateUpstreamHosts } = settings()
    if (AllowPrivateUpstreams) return null
    if (PrivateUpstreamHosts !== entries) {
      entries = PrivateUpstreamHosts
      hosts = readPrivateHosts(entries)
    }
    return hosts
  }
}
