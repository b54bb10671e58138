import { isIP } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import { isForbiddenAddress, isForbiddenTarget } from '../../lib/egress.ts'
import { ForbiddenAddress, PrivateAddress } from '../../lib/forbidden-address.ts'
import { lookUpName } from '../../lib/look-up-name.ts'
import { createLru } from '../../lib/lru.ts'
import type { ProxyFor } from '../../lib/outgoing-proxy.ts'
import type { PrivateHosts } from '../../lib/private-hosts.ts'
import { isLocalAddress, isPublicAddress, publicAddressesOf } from '../../lib/public-address.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'

/** Checks at connect time whether an address may be reached: the DNS records may have changed since the address was saved. */
export interface TargetGuard {
  /**
   * The addresses of an origin that an administrator has entered, for a channel or a service, all checked. Rejects with `ForbiddenAddress` if
   * one is forbidden, and with `PrivateAddress` if one is in a private network that root has not allowed.
   */
  addressesOf(origin: string): Promise<readonly string[]>
  /** Those of a service that root has chosen: it may be in any private network. */
  serviceAddressesOf(origin: string): Promise<readonly string[]>
  /** Those of an address that a client or a vendor chose. Rejects also if one is in a local network. */
  publicAddressesOf(origin: string): Promise<readonly string[]>
  /** Whether a proxy may resolve the origin's name. */
  mayBeNamed(origin: string): boolean
  /** The proxies of the environment, which may be in any private network. */
  readonly outgoing: { readonly proxyFor: ProxyFor; readonly addressesOf: (origin: string) => Promise<readonly string[]> }
  /** What forbids a channel to go to an address, through a proxy if it has one; `null` = nothing. */
  refusalOf(way: { readonly address: string; readonly proxy: string }): Promise<Refusal | null>
}

/** The part of a channel's way that is forbidden, and whether it could be on the list of private hosts. */
export interface Refusal {
  readonly part: 'address' | 'proxy'
  readonly isPrivate: boolean
}

/** How long the addresses of a host are cached: short, because DNS records change. */
const believedMs = 30_000
/** How long a name that was not found is cached: short, because it may appear soon, but long enough to spare the resolver. */
const unresolvedMs = 2_000
/** Size of the cache. */
const originsMax = 10_000

interface Verdict {
  /** `null`: forbidden. Empty: the name has no address; connecting reports that. */
  readonly addresses: readonly string[] | null
  readonly untilMs: number
}

interface GuardDeps {
  readonly clock: Clock
  /** The port this server listens on. */
  readonly ownPort: () => number
  /** The hosts of private networks that channels may reach; `null` = all. */
  readonly privateHosts?: () => PrivateHosts | null
  /** The proxy of the environment for an origin. Missing: there is none. */
  readonly proxyFor?: ProxyFor
  /** Resolves a name; empty if it is not found. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>
  /** Whether an IP address is one of a local network. */
  readonly isLocal?: (address: string) => boolean
}

export function createTargetGuard({
  clock,
  ownPort,
  lookUp = lookUpName,
  privateHosts = () => null,
  proxyFor = () => null,
  isLocal = isLocalAddress,
}: GuardDeps): TargetGuard {
  const verdicts = createLru<string, Verdict>(originsMax)
  const judging = createSingleFlight<readonly string[] | null>()

  const judge = (origin: string) => judging.run(origin, () => judgeNow(origin))

  async function judgeNow(origin: string): Promise<readonly string[] | null> {
    const addresses = isForbiddenTarget(origin, ownPort()) ? null : await resolve(origin)
    const keptMs = addresses?.length === 0 ? unresolvedMs : believedMs
    verdicts.set(origin, { addresses, untilMs: clock.monotonicMs() + keptMs })
    return addresses
  }

  /** @returns `null` if one of the addresses is forbidden */
  async function resolve(origin: string): Promise<readonly string[] | null> {
    const url = new URL(origin)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const addresses = isIP(host) === 0 ? await lookUp(host) : [host]
    const isForbidden = (address: string): boolean => {
      url.hostname = isIP(address) === 6 ? `[${address}]` : address
      return isForbiddenAddress(address) || isForbiddenTarget(url.href, ownPort())
    }
    return addresses.some(isForbidden) ? null : addresses
  }

  function known(origin: string): Verdict | null {
    const verdict = verdicts.get(origin)
    return verdict !== undefined && verdict.untilMs > clock.monotonicMs() ? verdict : null
  }

  async function serviceAddressesOf(origin: string): Promise<readonly string[]> {
    const verdict = known(origin)
    const addresses = verdict === null ? await judge(origin) : verdict.addresses
    if (addresses === null) throw new ForbiddenAddress('forbidden address')
    return addresses
  }

  async function addressesOf(origin: string): Promise<readonly string[]> {
    const addresses = await serviceAddressesOf(origin)
    const hosts = privateHosts()
    if (hosts !== null && addresses.some((address) => isLocal(address) && !hosts.has(origin, address)))
      throw new PrivateAddress('private address')
    return addresses
  }

  /** A name that only a local network knows counts as private. Other names are the proxy's to resolve. */
  function mayName(origin: string): boolean {
    const hosts = privateHosts()
    return hosts === null || isPublicAddress(origin) || hosts.has(origin)
  }

  async function refusalOf({ address, proxy }: { readonly address: string; readonly proxy: string }): Promise<Refusal | null> {
    if (proxy === '') return await refused('address', address)
    if (isForbiddenTarget(address, ownPort())) return { part: 'address', isPrivate: false }
    return mayName(address) ? await refused('proxy', proxy.replace(/^socks5:/, 'http:')) : { part: 'address', isPrivate: true }
  }

  async function refused(part: Refusal['part'], address: string): Promise<Refusal | null> {
    const origin = URL.parse(address)?.origin
    if (origin === undefined) return null
    try {
      await addressesOf(origin)
      return null
    } catch (error) {
      return { part, isPrivate: error instanceof PrivateAddress }
    }
  }

  return {
    mayBeNamed: (origin) => !isForbiddenTarget(origin, ownPort()) && mayName(origin),
    addressesOf,
    serviceAddressesOf,
    publicAddressesOf: publicAddressesOf(serviceAddressesOf, isLocal),
    outgoing: { proxyFor, addressesOf: serviceAddressesOf },
    refusalOf,
  }
}
