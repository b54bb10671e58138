import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '../../lib/clock.ts'
import { isForbiddenAddress, isForbiddenTarget } from '../../lib/egress.ts'
import { createLru } from '../../lib/lru.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'

/** Decides at the moment of connecting whether an address may be reached, names included: a form may have been filled in long ago. */
export interface TargetGuard {
  /** The addresses of an origin, all of them checked. Rejects with `ForbiddenAddress` where one may not be reached. */
  addressesOf(origin: string): Promise<readonly string[]>
  /** Whether an origin may be asked for by its name, where somebody else looks the name up. */
  mayBeNamed(origin: string): boolean
}

/** A channel or an address of a look-up points where nothing of ours may go. */
export class ForbiddenAddress extends Error {}

/** How long the answer for a host is believed. Short, because a name may be pointed elsewhere. */
const believedMs = 30_000
/** The same for a name that was not found: it may be found soon, but a thousand requests a second need not all ask. */
const notFoundMs = 2_000
/** Origins kept. */
const originsMax = 10_000

interface Verdict {
  /** `null`: forbidden. Empty: the name has none, and whoever connects will say so. */
  readonly addresses: readonly string[] | null
  readonly untilMs: number
}

interface GuardDeps {
  readonly clock: Clock
  /** The port we listen on. */
  readonly ownPort: () => number
  /** The addresses of a name; none where it is not found. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>
}

export function createTargetGuard({ clock, ownPort, lookUp = lookUpName }: GuardDeps): TargetGuard {
  const verdicts = createLru<string, Verdict>(originsMax)
  const judging = createSingleFlight<readonly string[] | null>()

  const judge = (origin: string) => judging.run(origin, () => judgeNow(origin))

  async function judgeNow(origin: string): Promise<readonly string[] | null> {
    const addresses = isForbiddenTarget(origin, ownPort()) ? null : await resolve(origin)
    const keptMs = addresses?.length === 0 ? notFoundMs : believedMs
    verdicts.set(origin, { addresses, untilMs: clock.monotonicMs() + keptMs })
    return addresses
  }

  /** @returns `null` where one of the addresses is forbidden */
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

  return {
    mayBeNamed: (origin) => !isForbiddenTarget(origin, ownPort()),
    async addressesOf(origin) {
      const verdict = known(origin)
      const addresses = verdict === null ? await judge(origin) : verdict.addresses
      if (addresses === null) throw new ForbiddenAddress('forbidden address')
      return addresses
    },
  }
}

async function lookUpName(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}
