import type { Db } from '../db/connect.ts'
import { type MasterKeyPlace, promoteMasterKey, readMasterKey, readNextMasterKey } from '../lib/master-key.ts'
import { createSeal, type Seal } from '../lib/seal.ts'
import { readFingerprint, saveFingerprint } from './queries.ts'

/** Names a master key without telling anything of it. */
export const fingerprintOf = (seal: Seal): string => seal.lookup('master key', 'fingerprint')

/**
 * The seal that fits the store. A change of the master key that was cut off after everything had been sealed anew is brought to its end here.
 * A store that was sealed with a key that is not there is opened all the same, because keys can be entered again; `report` says so.
 */
export async function openSeal(db: Db, place: MasterKeyPlace, report: (problem: string) => void): Promise<Seal> {
  const seal = createSeal(readMasterKey(place.secret, place.dataDir))
  const stored = await readFingerprint(db)
  if (stored === fingerprintOf(seal)) return seal
  if (stored === '') {
    await saveFingerprint(db, fingerprintOf(seal))
    return seal
  }
  const nextKey = readNextMasterKey(place)
  const next = nextKey === null ? null : createSeal(nextKey)
  if (next !== null && stored === fingerprintOf(next)) {
    promoteMasterKey(place)
    return next
  }
  report('the database was sealed with another master key: keys of channels and tokens cannot be opened until it is back')
  return seal
}
