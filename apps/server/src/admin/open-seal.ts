import type { Db } from '../db/connect.ts'
import { type MasterKeyPlace, promoteMasterKey, readMasterKey, readNextMasterKey } from '../lib/master-key.ts'
import { createSeal, type Seal } from '../lib/seal.ts'
import { claimFingerprint } from './queries.ts'

/** Identifies a master key without revealing it. */
export const fingerprintOf = (seal: Seal): string => seal.lookup('master key', 'fingerprint')

/**
 * The seal that fits the store. Completes a rotation of the master key that was interrupted after everything had been sealed again. A store
 * that was sealed with a missing key is opened too, because secrets can be entered again; `report` tells the operator.
 */
export async function openSeal(db: Db, place: MasterKeyPlace, report: (problem: string) => void): Promise<Seal> {
  const seal = createSeal(readMasterKey(place.secret, place.dataDir))
  const stored = await claimFingerprint(db, fingerprintOf(seal))
  if (stored === fingerprintOf(seal)) return seal
  const nextKey = readNextMasterKey(place)
  const next = nextKey === null ? null : createSeal(nextKey)
  if (next !== null && stored === fingerprintOf(next)) {
    promoteMasterKey(place)
    return next
  }
  report('the database was sealed with another master key: keys of channels and tokens cannot be opened until it is back')
  return seal
}
