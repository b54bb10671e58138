import { clientKey, networkKey } from '../../lib/cidr.ts'
import type { Clock } from '../../lib/clock.ts'
import { createLru } from '../../lib/lru.ts'
import { createThrottle } from '../../lib/throttle.ts'

/** Limits how often passwords may be tried. */
export interface LoginThrottle {
  /** Counts a try before its outcome is known. @returns seconds to wait; 0 = allowed */
  take(name: string, address: string): number
  /** Uncounts the last try, which succeeded. */
  succeeded(name: string, address: string): void
}

const windowMs = 15 * 60_000
/** Most remembered pairs of client and account that it has logged in to. */
const knownMax = 100_000

/**
 * Counts by client, by network and by account. An attacker who tries one account from many addresses slows down only unknown clients:
 * a client that has logged in to the account before is counted separately.
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
