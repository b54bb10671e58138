import { lookup } from 'node:dns/promises'
import type { Clock } from '../lib/clock.ts'
import { isForbiddenAddress, isForbiddenTarget } from '../lib/egress.ts'
import { createLru } from '../lib/lru.ts'

/** Decides at the moment of connecting whether an address may be reached, names included: a form may have been filled in long ago. */
export interface TargetGuard {
  allows(url: string): boolean | Promise<boolean>
}

/** How long the answer for a host is believed. Short, because a name may be pointed elsewhere. */
const believedMs = 30_000

interface Verdict {
  readonly isAllowed: boolean
  readonly untilMs: number
}

export function createTargetGuard(clock: Clock, ownPort: () => number): TargetGuard {
  const verdicts = createLru<string, Verdict>(10_000)

  async function judge(origin: string): Promise<boolean> {
    const isAllowed = !isForbiddenTarget(origin, ownPort()) && !(await resolvesToForbidden(new URL(origin).hostname))
    verdicts.set(origin, { isAllowed, untilMs: clock.monotonicMs() + believedMs })
    return isAllowed
  }

  return {
    allows(url) {
      const origin = originOf(url)
      const known = verdicts.get(origin)
      return known !== undefined && known.untilMs > clock.monotonicMs() ? known.isAllowed : judge(origin)
    },
  }
}

function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash === -1 ? url : url.slice(0, slash)
}

async function resolvesToForbidden(host: string): Promise<boolean> {
  try {
    const addresses = await lookup(host.replace(/^\[|\]$/g, ''), { all: true })
    return addresses.some(({ address }) => isForbiddenAddress(address))
  } catch {
    // A name that does not resolve cannot be connected to either; the attempt says so in its own words.
    return false
  }
}
