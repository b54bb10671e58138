import { makeSetupLink, setupAddresses, setupLinks, writeSetupFile } from '../api/account/setup-link.ts'
import { findRoot } from '../api/account/setup-queries.ts'
import { openSettings } from '../api/option/settings.ts'
import { openForChanges } from '../db/open-beside.ts'
import { storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { publicAddressOf } from '../lib/base-path.ts'
import { systemClock as clock } from '../lib/clock.ts'
import { sealForReading } from './open-seal.ts'
import { UsageError } from './usage-error.ts'

/** Prints a new setup link and ends the earlier one. */
export async function setupLink(env: Env, args: readonly string[]): Promise<readonly string[]> {
  if (args.length > 0) throw new UsageError()
  const { db, close } = await openForChanges(storePlace(env))
  try {
    const root = await findRoot(db)
    if (root === undefined) throw new Error('there is no root account; start the server once')
    if (root.password_hash !== '')
      throw new Error(`${root.username} already has a password; set a new one: reset-password ${root.username}`)
    const settings = await openSettings({ db, seal: await sealForReading(db, env), clock })
    const address = settings.isConfirmed('sessions') ? publicAddressOf(settings.current().ServerAddress, env.basePath) : ''
    const secret = await makeSetupLink(db, root.id, clock)
    const addresses = setupAddresses({ ...env, address })
    writeSetupFile(env.dataDir, secret, addresses)
    return [
      `Open one of these to log in as ${root.username} and set a password:`,
      ...setupLinks(secret, addresses),
      'Earlier links no longer work.',
    ]
  } finally {
    await close()
  }
}
