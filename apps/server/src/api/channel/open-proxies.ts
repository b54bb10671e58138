import { rawProxyType } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Seal } from '../../lib/seal.ts'
import { createOpenChannelSecrets } from './channel-secrets.ts'
import { listOfType } from './queries.ts'
import { openedSettings } from './settings.ts'

/** Raw proxies that are looked at: an installation has a few. */
const proxiesMax = 100

/** The raw proxies without lists of methods and paths, from before there were such lists. */
export function createOpenProxies({ db, seal }: { readonly db: Db; readonly seal: Seal }) {
  const secrets = createOpenChannelSecrets(seal)
  return async (): Promise<{ id: number; name: string }[]> => {
    const rows = await listOfType(db, rawProxyType, proxiesMax)
    return rows.flatMap(({ id, name, settings_sealed: sealed }) => {
      const settings = secrets.settings(sealed)
      // A channel whose settings cannot be read is not used.
      if (settings === null) return []
      const { proxy_methods, proxy_paths } = openedSettings(settings)
      return proxy_methods === '' || proxy_paths === '' ? [{ id, name }] : []
    })
  }
}
