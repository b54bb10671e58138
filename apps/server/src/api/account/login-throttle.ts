import { clientKey, networkKey } from '../../lib/cidr.ts'
import type { Limiters } from '../../lib/limiters.ts'

/** Limits how often passwords may be tried. */
export interface LoginThrottle {
  /** Counts a try before its outcome is known. @returns seconds to wait; 0 = allowed */
  take(name: string, address: string): Promise<number>
  /** Uncounts the last try, which succeeded. */
  succeeded(name: string, address: string): Promise<void>
}

const windowMs = 15 * 60_000

/**
 * Counts by client, by network and by account. An attacker who tries one account from many addresses slows down only unknown clients:
 * a client that has logged in to the account before is counted separately.
 */
export function createLoginThrottle(limiters: Limiters): LoginThrottle {
  const byClient = limiters.throttle('login-client', { free: 30, windowMs, waitMaxMs: windowMs })
  const byNetwork = limiters.throttle('login-network', { free: 120, windowMs, waitMaxMs: windowMs })
  const byAccount = limiters.throttle('login-account', { free: 10, windowMs, waitMaxMs: 60_000 })
  const known = limiters.remember('login-known')
  const pairOf = (name: string, address: string): string => `${name.toLowerCase()} ${clientKey(address)}`
  const accountKey = async (name: string, address: string): Promise<string> => {
    const pair = pairOf(name, address)
    return (await known.has(pair)) ? pair : name.toLowerCase()
  }

  return {
    async take(name, address) {
      const byAddress = (await byClient.take(clientKey(address))) || (await byNetwork.take(networkKey(address)))
      return byAddress || (await byAccount.take(await accountKey(name, address)))
    },
    async succeeded(name, address) {
      await byClient.giveBack(clientKey(address))
      await byNetwork.giveBack(networkKey(address))
      await byAccount.forget(await accountKey(name, address))
      await known.add(pairOf(name, address))
    },
  }
}
