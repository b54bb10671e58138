import { privateHostsMax } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Deadlines } from '../../lib/deadlines.ts'
import { inTime } from '../../lib/in-time.ts'
import { privateHostOf } from '../../lib/private-hosts.ts'
import { isLocalAddress, isPublicAddress } from '../../lib/public-address.ts'
import type { Seal } from '../../lib/seal.ts'
import { type Audit, program } from '../audit.ts'
import { createOpenChannelSecrets } from './channel-secrets.ts'
import { countAdministrators, listTargets } from './queries.ts'
import { proxyOf } from './settings.ts'
import { addressOf } from './target-checks.ts'

/** Who sets options when nobody does: what the program sets is pending super-admin approval. */
const byProgram = { role: 0, isProgram: true } as const

interface PrivateUpstreamDeps {
  readonly db: Db
  readonly seal: Seal
  readonly audit: Audit
  readonly store: {
    /** Whether somebody, or the program, has set the option. */
    isSet(key: 'AllowPrivateUpstreams'): boolean
    save(option: { readonly key: string; readonly value: string; readonly by: typeof byProgram }): Promise<unknown>
  }
  /** Addresses of services that administrators below root have entered: of options, and of their webhooks. */
  readonly services: (limit: number) => Promise<readonly string[]>
  /** The addresses of an origin; empty if its name is not found. */
  readonly addressesOf: (origin: string) => Promise<readonly string[]>
  readonly deadlines: Deadlines
}

export interface PrivateUpstreams {
  /** Before an account becomes an administrator. */
  beforeAdministrator(): Promise<void>
  /** After a start: administrators may have been imported, or the version before had no list. */
  afterStart(): Promise<void>
}

const stepRows = 500
/** Names that are resolved at once, and the time for each. */
const lookupsAtOnce = 50
const lookUpMs = 2_000

/**
 * With a second administrator, channels and what other administrators enter may reach only the private hosts that root allows. So that nothing
 * that works stops, the hosts that are there are put on the list first, and root is shown the list.
 */
export function createPrivateUpstreams({
  db,
  seal,
  audit,
  store,
  services,
  addressesOf,
  deadlines,
}: PrivateUpstreamDeps): PrivateUpstreams {
  const secrets = createOpenChannelSecrets(seal)
  const lookUpLimit = { deadlines, ms: lookUpMs, error: () => new Error('the resolver is slow') }

  async function close(): Promise<void> {
    const all = await privateHosts()
    const hosts = all.slice(0, privateHostsMax)
    if (hosts.length > 0) await store.save({ key: 'PrivateUpstreamHosts', value: hosts.join(','), by: byProgram })
    await store.save({ key: 'AllowPrivateUpstreams', value: 'false', by: byProgram })
    const params = { count: hosts.length, hosts: hosts.join(', ').slice(0, 2_000), left: all.length - hosts.length }
    await audit({ actor: program, messageKey: 'log_private_upstreams', params })
  }

  /** The private hosts of all channels, of their proxies and of services, with their ports. */
  async function privateHosts(): Promise<readonly string[]> {
    const entries = [...(await allHosts())]
    const hosts: string[] = []
    for (let from = 0; from < entries.length; from += lookupsAtOnce) {
      const step = entries.slice(from, from + lookupsAtOnce)
      const privateHosts = await Promise.all(step.map(async ([host, address]) => ((await isPrivate(address)) ? [host] : [])))
      hosts.push(...privateHosts.flat())
    }
    return hosts.sort()
  }

  /** Every host with a port, and one address of it. */
  async function allHosts(): Promise<ReadonlyMap<string, string>> {
    const addresses = new Map<string, string>()
    const add = (address: string): void => {
      const host = privateHostOf(address)
      if (host !== null) addresses.set(host, address)
    }
    for (const address of await services(privateHostsMax)) add(address)
    let rows = await listTargets(db, 0, stepRows)
    for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
      for (const address of rows.flatMap(addressesOfRow)) add(address)
      rows = await listTargets(db, last.id, stepRows)
    }
    return addresses
  }

  function addressesOfRow({ settings_sealed: sealed, ...row }: Awaited<ReturnType<typeof listTargets>>[number]): readonly string[] {
    const proxy = proxyOf(secrets.settings(sealed) ?? '')
    const address = addressOf(row)
    // The vendors' own addresses are of the internet, and need no resolver.
    const isVendors = row.base_url === '' && isPublicAddress(address)
    return [isVendors ? '' : address, proxy.replace(/^socks5:/, 'http:')]
  }

  /** A name that cannot be resolved counts as private: a resolver that is down must stop no channel. What is forbidden stays so. */
  async function isPrivate(address: string): Promise<boolean> {
    if (!isPublicAddress(address)) return true
    const addresses = await inTime(addressesOf(new URL(address).origin), lookUpLimit).catch(() => [])
    return addresses.length === 0 || addresses.some(isLocalAddress)
  }

  return {
    async beforeAdministrator() {
      if (!store.isSet('AllowPrivateUpstreams')) await close()
    },
    async afterStart() {
      if (!store.isSet('AllowPrivateUpstreams') && (await countAdministrators(db)) > 1) await close()
    },
  }
}
