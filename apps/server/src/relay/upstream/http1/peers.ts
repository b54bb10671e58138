import type { Deadlines } from '../../../lib/deadlines.ts'
import { ForbiddenAddress } from '../../../lib/forbidden-address.ts'
import type { ProxyFor } from '../../../lib/outgoing-proxy.ts'
import { isPublicAddress, publicAddressesOf } from '../../../lib/public-address.ts'
import type { Peer } from './connection.ts'
import type { Target } from './request-text.ts'
import { handshakeWith, parseProxy } from './tunnel.ts'

/** The addresses of an origin. Rejects if one is forbidden. */
export type AddressesOf = (origin: string) => Promise<readonly string[]>

/** The proxies of the environment. */
export interface Outgoing {
  readonly proxyFor: ProxyFor
  /** The addresses of a proxy: the operator of the server chose it, so it may be in any private network. */
  readonly addressesOf: AddressesOf
}

export interface PeerDeps {
  readonly deadlines: Deadlines
  /** The addresses of an origin. Rejects if one is forbidden or there is none. */
  readonly addressesOf: AddressesOf
  /** Like `addressesOf`, for requests with `isPublicOnly`. */
  readonly publicAddressesOf?: AddressesOf
  /** Whether a proxy may resolve the origin's name. */
  readonly mayBeNamed: (origin: string) => boolean
  /** For requests without a proxy of their own. Missing: they have none. */
  readonly outgoing?: Outgoing
}

/** One address to try, each time with a new handshake. */
export type NextPeer = () => Peer

/** Timeout for resolving a name, in milliseconds. */
const resolveMs = 5_000

/** What must be known of a target to connect to it. */
type Goal = Pick<Target, 'origin' | 'hostname' | 'port' | 'serverName' | 'proxy' | 'isPublicOnly'>

/** The addresses at which a target can be reached, in their order. Rejects if a rule forbids them or there is none. */
export type PeersOf = (target: Goal) => Promise<readonly NextPeer[]>

export function createPeersOf({ deadlines, addressesOf, mayBeNamed, outgoing, ...more }: PeerDeps): PeersOf {
  const ofPublic = more.publicAddressesOf ?? publicAddressesOf(addressesOf)

  /** Rejects if resolving takes too long, because the resolver may never respond. */
  function inTime(addresses: Promise<readonly string[]>): Promise<readonly string[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
    const deadline = deadlines.start(resolveMs, () => reject(new Error('resolving the host name timed out')))
    addresses.then(resolve, reject).finally(() => deadlines.cancel(deadline))
    return promise
  }

  const resolve = ({ origin, isPublicOnly }: Goal): Promise<readonly string[]> =>
    inTime(isPublicOnly ? ofPublic(origin) : addressesOf(origin))

  async function directly(target: Goal): Promise<readonly NextPeer[]> {
    const { port, serverName } = target
    return (await resolve(target)).map((address) => () => ({ address, port, serverName, tunnel: null }))
  }

  /** Through a proxy, which connects to the hosts: to a name where it is the one to resolve it. */
  async function through(proxy: string, hosts: readonly string[], { to, of }: { to: Goal; of: AddressesOf }): Promise<readonly NextPeer[]> {
    const parsed = parseProxy(proxy)
    const addresses = await inTime(of(`http://${parsed.host}:${parsed.port}`))
    const { port, serverName } = to
    return hosts.flatMap((host) =>
      addresses.map((address) => () => ({ address, port: parsed.port, serverName, tunnel: handshakeWith(parsed, { host, port }) })),
    )
  }

  /** The proxy that was set for the target: its operator decides which addresses are connected to. */
  async function byOwnProxy(proxy: string, target: Goal): Promise<readonly NextPeer[]> {
    const { origin, isPublicOnly, hostname } = target
    if (!mayBeNamed(origin) || (isPublicOnly && !isPublicAddress(origin))) throw new ForbiddenAddress('forbidden address behind a proxy')
    return await through(proxy, [hostname], { to: target, of: addressesOf })
  }

  /**
   * A proxy of the environment does not lift the rules for addresses: they are checked here before it is used. It gets the name, because
   * proxies decide by names; an address that a client, a user or a vendor chose it gets as checked, so that the name cannot mean another
   * address there. Some networks resolve names of the internet only at their proxy: such a name is passed on if it may be.
   */
  async function byEnvironment(proxy: string, target: Goal, of: AddressesOf): Promise<readonly NextPeer[]> {
    const { origin, isPublicOnly, hostname } = target
    const addresses = await resolve(target)
    if (addresses.length === 0 && (isPublicOnly || !mayBeNamed(origin))) return []
    const hosts = isPublicOnly ? addresses.map((address) => (address.includes(':') ? `[${address}]` : address)) : [hostname]
    return await through(proxy, hosts, { to: target, of })
  }

  return async (target) => {
    if (target.proxy !== null) return await byOwnProxy(target.proxy, target)
    const proxy = outgoing?.proxyFor(target.origin) ?? null
    return outgoing === undefined || proxy === null ? await directly(target) : await byEnvironment(proxy, target, outgoing.addressesOf)
  }
}
