import { randomBytes } from 'node:crypto'
import type { Db } from '../db/connect.ts'
import { newDerivation } from '../lib/key-derivation.ts'
import { hasMasterKey, type MasterKeyPlace, promoteMasterKey, readMasterKey, readNextMasterKey } from '../lib/master-key.ts'
import { createSeal, type Seal } from '../lib/seal.ts'
import { claimMasterKey, hasAccounts, readCopiedKey, readStoredKey, type StoredKey } from './queries.ts'

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

/** The seal of a store that is only read, which may be that of an earlier version. Without a master key, one that is discarded. */
export async function sealForReading(db: Db, place: MasterKeyPlace): Promise<Seal> {
  const derivation = (await readCopiedKey(db))?.derivation ?? ''
  return sealOf(hasMasterKey(place) ? await readMasterKey(place, derivation) : randomBytes(32), derivation)
}

/** Stores what names the first master key. A store of a version that did not store it has values that were sealed as the first versions did. */
async function claimKey(db: Db, place: MasterKeyPlace): Promise<StoredKey> {
  const derivation = (await hasAccounts(db)) ? '' : newDerivation(place)
  const seal = sealOf(await readMasterKey(place, derivation), derivation)
  return await claimMasterKey(db, { fingerprint: fingerprintOf(seal), derivation })
}

/** A phrase in the variable can be guessed quickly by whoever has a copy of a store of the first versions. */
export function warnOfFastKey(seal: Seal, { secret }: Pick<MasterKeyPlace, 'secret'>, warn: (problem: string) => void): void {
  if (secret === '' || seal.bindsRows) return
  warn('the master key is derived from SLUICE_SECRET by a single fast hash: stop all servers and run `admin rotate-secret` once')
}
