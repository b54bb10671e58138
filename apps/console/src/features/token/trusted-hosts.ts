import type { SafeStorage } from '../../lib/storage.ts'

const storageKey = 'ui-key-hosts'

/** Hosts to which the owner has agreed to send keys, on this browser. */
export interface TrustedHosts {
  /** Those of the addresses that nobody has agreed to yet. This page's own host needs no agreement. */
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

/** With its port; what is no address stands for itself, so that it is asked for too. */
function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address
}
