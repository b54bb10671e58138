import type { Db } from '../db/connect.ts'
import { newDerivation } from '../lib/key-derivation.ts'
import { type MasterKeyPlace, promoteMasterKey, readMasterKey, readNextMasterKey } from '../lib/master-key.ts'
import { createSeal, type Seal } from '../lib/seal.ts'
import { claimMasterKey, hasAccounts, readStoredKey, type StoredKey } from './queries.ts'

/** Identifies a master key without revealing it. */
export const fingerprintOf = (seal: Seal): string => seal.lookup('master key', 'fingerprint')

/** The seal of a key. Only stores of the first versions have values that are not bound to their rows. */
export const sealOf = (key: Uint8Array, derivation: string): Seal => createSeal(key, { bindsRows: derivation !== '' })

/**
 * The seal that fits the store. Completes a rotation of the master key that was interrupted after everything had been sealed again. A store
 * that was sealed with a missing key is opened too, because secrets can be entered again; `report` tells the operator.
 */
export async function openSeal(db: Db, place: MasterKeyPlace, report: (problem: string) => void): Promise<Seal> {
  const stored = (await readStoredKey(db)) ?? (await claimKey(db, place))
  const { fingerprint, derivation } = stored
  const seal = sealOf(await readMasterKey(place, derivation), derivation)
  if (fingerprint === fingerprintOf(seal)) return seal
  const nextKey = await readNextMasterKey(place, derivation)
  const next = nextKey === null ? null : sealOf(nextKey, derivation)
  if (next !== null && fingerprint === fingerprintOf(next)) {
    promoteMasterKey(place)
    return next
  }
  report('the database was sealed with another master key: keys of channels and tokens cannot be opened until it is back')
  return seal
}

/** Stores what names the first master key. A store of a version that did not store it has values that were sealed as the first versions did. */
async function claimKey(db: Db, place: MasterKeyPlace): Promise<StoredKey> {
  const derivation = (await hasAccounts(db)) ? '' : newDerivation(place)
  const seal = sealOf(await readMasterKey(place, derivation), derivation)
  return await claimMasterKey(db, { fingerprint: fingerprintOf(seal), derivation })
}
