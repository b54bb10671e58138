import type { UnreadableCounts } from '@sluice/contract'
import { openSettings } from '../api/option/settings.ts'
import type { Db } from '../db/connect.ts'
import { systemClock } from '../lib/clock.ts'
import { newDerivation } from '../lib/key-derivation.ts'
import { createMasterKey, type MasterKeyPlace, readMasterKey } from '../lib/master-key.ts'
import { fingerprintOf, sealOf } from './open-seal.ts'
import { readStoredKey, saveStoredKey } from './queries.ts'
import { countUnreadable } from './unreadable-values.ts'

type Reset = { readonly is: 'reset'; readonly unreadable: UnreadableCounts } | { readonly is: 'refused'; readonly reason: string }

/**
 * Gives up the master key that the store was sealed with: the one that is here, or a new one, takes its place. Nothing sealed is changed or
 * deleted, so that after the old key is back, another reset makes its values readable again.
 */
export async function resetSecret(db: Db, place: MasterKeyPlace): Promise<Reset> {
  const stored = await readStoredKey(db)
  const present = stored === null ? null : await readMasterKey(place, stored.derivation)
  if (stored !== null && present !== null && fingerprintOf(sealOf(present, stored.derivation)) === stored.fingerprint)
    return {
      is: 'refused',
      reason: 'the master key that is here fits the database; rotate-secret makes a new one and keeps everything readable',
    }
  const derivation = newDerivation(place)
  const seal = sealOf(await createMasterKey(place, derivation), derivation)
  await db.transaction().execute((tx) => saveStoredKey(tx, { fingerprint: fingerprintOf(seal), derivation }))
  const settings = await openSettings({ db, seal, clock: systemClock })
  return { is: 'reset', unreadable: await countUnreadable({ db, seal, options: settings.unreadable }) }
}
