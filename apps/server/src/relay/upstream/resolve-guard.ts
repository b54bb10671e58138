import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import { isForbiddenAddress, isForbiddenTarget } from '../../lib/egress.ts'
import { createLru } from '../../lib/lru.ts'
import { publicAddressesOf } from '../../lib/public-address.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'

/** Checks at connect time whether an address may be reached: the DNS records may have changed since the address was saved. */
export interface TargetGuard {
  /** The addresses of an origin, all checked. Rejects with `ForbiddenAddress` if one is forbidden. */
  addressesOf(origin: string): Promise<readonly string[]>
  /** The same for an address that a client or a vendor chose. Rejects also if one is in a local network. */
  publicAddressesOf(origin: string): Promise<readonly string[]>
  /** Whether a proxy may be asked to resolve the origin's name. */
  mayBeNamed(origin: string): boolean
}

/** The address of a channel or of a vendor query is forbidden. */
export class ForbiddenAddress extends Error {}

/** How long the addresses of a host are cached: short, because DNS records change. */
const believedMs = 30_000
/** The same for a name that was not found: short, because it may appear soon, but long enough to spare the resolver. */
const notFoundMs = 2_000
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
  /** Resolves a name; empty if it is not found. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>
  /** Whether an IP address is one of a local network. */
  readonly isLocal?: (address: string) => boolean
}

export function createTargetGuard({ clock, ownPort, lookUp = lookUpName, isLocal }: GuardDeps): TargetGuard {
  const verdicts = createLru<string, Verdict>(originsMax)
  const judging = createSingleFlight<readonly string[] | null>()

  const judge = (origin: string) => judging.run(origin, () => judgeNow(origin))

  async function judgeNow(origin: string): Promise<readonly string[] | null> {
    const addresses = isForbiddenTarget(origin, ownPort()) ? null : await resolve(origin)
    const keptMs = addresses?.length === 0 ? notFoundMs : believedMs
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

  async function addressesOf(origin: string): Promise<readonly string[]> {
    const verdict = known(origin)
    const addresses = verdict === null ? await judge(origin) : verdict.addresses
    if (addresses === null) throw new ForbiddenAddress('forbidden address')
    return addresses
  }

  return {
    mayBeNamed: (origin) => !isForbiddenTarget(origin, ownPort()),
    addressesOf,
    publicAddressesOf: publicAddressesOf(addressesOf, isLocal),
  }
}

async function lookUpName(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}
