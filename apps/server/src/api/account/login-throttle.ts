import { clientKey, networkKey } from '../../lib/cidr.ts'
import type { Clock } from '../../lib/clock.ts'
import { createLru } from '../../lib/lru.ts'
import { createThrottle } from '../../lib/throttle.ts'

/** How often somebody may try a password. */
export interface LoginThrottle {
  /** Counts a try before its outcome is known. @returns seconds to wait; 0 = go on */
  take(name: string, address: string): number
  /** The try that was taken last was a good one. */
  succeeded(name: string, address: string): void
}

const windowMs = 15 * 60_000
/** Clients that are remembered for having logged in to an account. */
const knownMax = 100_000

/**
 * Counted by client, by its network and by account. A stranger who tries one account from everywhere slows down strangers only:
 * a client that has logged in to the account before is counted by itself.
 */
export function createLoginThrottle(clock: Clock): LoginThrottle {
  const byClient = createThrottle(clock, { free: 30, windowMs, waitMaxMs: windowMs })
  const byNetwork = createThrottle(clock, { free: 120, windowMs, waitMaxMs: windowMs })
  const byAccount = createThrottle(clock, { free: 10, windowMs, waitMaxMs: 60_000 })
  const known = createLru<string, true>(knownMax)
  const pairOf = (name: string, address: string): string => `${name.toLowerCase()} ${clientKey(address)}`
  const accountKey = (name: string, address: string): string => {
    const pair = pairOf(name, address)
    return known.get(pair) === undefined ? name.toLowerCase() : pair
  }

  return {
    take: (name, address) =>
      byClient.take(clientKey(address)) || byNetwork.take(networkKey(address)) || byAccount.take(accountKey(name, address)),
    succeeded(name, address) {
      byClient.giveBack(clientKey(address))
      byNetwork.giveBack(networkKey(address))
      byAccount.forget(accountKey(name, address))
      known.set(pairOf(name, address), true)
    },
  }
}
