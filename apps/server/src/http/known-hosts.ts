import { hostOfAddress, isAddressOrLocalhost } from '../lib/read-host.ts'

interface KnownHostsDeps {
  /** `ALLOWED_HOSTS`; `*` = any. */
  readonly allowedHosts: readonly string[]
  readonly consoleOrigins: readonly string[]
  /** The configured public address of this server; empty = none. */
  readonly publicAddress: () => string
  /** Whether root set or confirmed that address. */
  readonly isAddressConfirmed: () => boolean
  /** The installation is older than the check. */
  readonly isUpgraded: boolean
}

/** The host names at which the management API responds. */
export interface KnownHosts {
  /** @param host from `readHost`; `null` = the request names none */
  isKnown(host: string | null): boolean
  /** Whether it responds at every name because the installation is older than the check and nothing is configured. */
  isUnchecked(): boolean
}

/**
 * A page of another site whose name leads to this server (DNS rebinding) is of the same origin for a browser, and may call everything. So
 * only the operator's names are accepted, and those that no site can have.
 */
export function createKnownHosts(deps: KnownHostsDeps): KnownHosts {
  const { allowedHosts, consoleOrigins, publicAddress, isAddressConfirmed, isUpgraded } = deps
  const names = new Set([...allowedHosts, ...consoleOrigins.map(hostOfAddress)])
  const isAny = names.has('*')
  /** An administrator below root neither adds a name nor takes root's away. `null` = not known, since the server started after the change. */
  let confirmed: string | null = null

  function confirmedAddress(): string | null {
    if (isAddressConfirmed()) confirmed = publicAddress()
    return confirmed
  }

  const isUnchecked = (): boolean => isUpgraded && allowedHosts.length === 0 && confirmedAddress() === ''

  return {
    isUnchecked,
    isKnown(host) {
      if (isAny) return true
      const address = confirmedAddress()
      if (address === null || isUnchecked()) return true
      return host !== null && (isAddressOrLocalhost(host) || names.has(host) || host === hostOfAddress(address))
    },
  }
}
