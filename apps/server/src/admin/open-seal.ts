import { randomBytes } from 'node:crypto'
import type { Db } from '../db/connect.ts'
import { newDerivation } from '../lib/key-derivation.ts'
import {
  createMasterKey,
  type MasterKeyPlace,
  masterKeyError,
  masterKeyPath,
  promoteMasterKey,
  readMasterKey,
  readNextMasterKey,
} from '../lib/master-key.ts'
import { createSeal, type Seal } from '../lib/seal.ts'
import { claimMasterKey, hasAccounts, readCopiedKey, readStoredKey, type StoredKey } from './queries.ts'

/** Identifies a master key without revealing it. */
export const fingerprintOf = (seal: Seal): string => seal.lookup('master key', 'fingerprint')

/** The seal of a key. Only stores of the first versions have values that are not bound to their rows. */
export const sealOf = (key: Uint8Array, derivation: string): Seal => createSeal(key, { bindsRows: derivation !== '' })

/**
 * The seal that fits the store. Only a store in which nothing was sealed yet gets a new key. Completes a rotation of the master key that was
 * interrupted after everything had been sealed again.
 * @throws MASTER_KEY where the store was sealed with another key than the one that is here, or with one that is missing
 */
export async function openSeal(db: Db, place: MasterKeyPlace): Promise<Seal> {
  const { seal, isNext } = await fittingSeal((await readStoredKey(db)) ?? (await claimKey(db, place)), place)
  if (isNext) promoteMasterKey(place)
  return seal
}

/**
 * The seal that fits the store, without changing anything.
 * @returns `null`: nothing was sealed yet
 * @throws MASTER_KEY as `openSeal`
 */
export async function checkSeal(db: Db, place: MasterKeyPlace): Promise<Seal | null> {
  const stored = await readStoredKey(db)
  return stored === null ? null : (await fittingSeal(stored, place)).seal
}

/** `isNext`: a rotation of the key was interrupted after everything had been sealed again. */
async function fittingSeal(
  { fingerprint, derivation }: StoredKey,
  place: MasterKeyPlace,
): Promise<{ readonly seal: Seal; readonly isNext: boolean }> {
  const key = await readMasterKey(place, derivation)
  const seal = key === null ? null : sealOf(key, derivation)
  if (seal !== null && fingerprint === fingerprintOf(seal)) return { seal, isNext: false }
  const nextKey = await readNextMasterKey(place, derivation)
  const next = nextKey === null ? null : sealOf(nextKey, derivation)
  if (next !== null && fingerprint === fingerprintOf(next)) return { seal: next, isNext: true }
  throw lostKey(place, key === null)
}

/** What to do where the database is sealed with a key that is not here. */
function lostKey({ secret, dataDir }: MasterKeyPlace, isMissing: boolean): Error {
  const path = masterKeyPath(dataDir)
  const [fault, remedy] =
    secret !== ''
      ? ['another master key than that of SLUICE_SECRET', 'Start every server with the same SLUICE_SECRET as before']
      : isMissing
        ? [
            `a master key that is missing: there is no ${path}, and SLUICE_SECRET is not set`,
            'Put the file back, or set SLUICE_SECRET as before',
          ]
        : [`another master key than that in ${path}`, 'Put the right file back']
  return masterKeyError(
    `the database is encrypted with ${fault}. ${remedy}. If the key is lost, run \`admin reset-secret\` once: the server then starts with a new key, and stored keys and secrets must be entered again`,
  )
}

/** The seal of a store that is only read, which may be that of an earlier version. Without a usable master key, one that is discarded. */
export async function sealForReading(db: Db, place: MasterKeyPlace): Promise<Seal> {
  const derivation = (await readCopiedKey(db))?.derivation ?? ''
  const key = await readMasterKey(place, derivation).catch(() => null)
  return sealOf(key ?? randomBytes(32), derivation)
}

/** Stores what names the first master key. A store of a version that did not store it has values that were sealed as the first versions did. */
async function claimKey(db: Db, place: MasterKeyPlace): Promise<StoredKey> {
  const isUsed = await hasAccounts(db)
  const derivation = isUsed ? '' : newDerivation(place)
  const key = isUsed ? await readMasterKey(place, derivation) : await createMasterKey(place, derivation)
  if (key === null) throw lostKey(place, true)
  return await claimMasterKey(db, { fingerprint: fingerprintOf(sealOf(key, derivation)), derivation })
}

/** A phrase in the variable can be guessed quickly by whoever has a copy of a store of the first versions. */
export function warnOfFastKey(seal: Seal, { secret }: Pick<MasterKeyPlace, 'secret'>, warn: (problem: string) => void): void {
  if (secret === '' || seal.bindsRows) return
  warn('the master key is derived from SLUICE_SECRET by a single fast hash: stop all servers and run `admin rotate-secret` once')
}
