import { parseUrl } from '@sluice/contract'
import type { SafeStorage } from '../../lib/storage.ts'

const storageKey = 'ui-key-hosts'

/** Hosts that the user has allowed to receive keys, in this browser. */
export interface TrustedHosts {
  /** The hosts of the addresses that are not allowed yet. This page's own host always is. */
  readonly unknown: (addresses: readonly string[]) => readonly string[]
  readonly trust: (hosts: readonly string[]) => void
}

export function trustedHosts(storage: Pick<SafeStorage, 'readJson' | 'writeJson'>, ownOrigin: string): TrustedHosts {
  const stored = (): readonly string[] => {
    const list = storage.readJson(storageKey)
    return Array.isArray(list) ? list.filter((host): host is string => typeof host === 'string') : []
  }
  return {
    unknown(addresses) {
      const known = [hostOf(ownOrigin), ...stored()]
      return [...new Set(addresses.map(hostOf))].filter((host) => !known.includes(host))
    },
    trust: (hosts) => storage.writeJson(storageKey, [...new Set([...stored(), ...hosts])]),
  }
}

/** The host with its port; an invalid address is returned unchanged, so that it needs permission too. */
function hostOf(address: string): string {
  return parseUrl(address)?.host ?? address
}
