import { createHash, randomBytes, scrypt } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { newDerivation, parseDerivation, type ScryptCost } from './key-derivation.ts'
import { writeSecretFile } from './secret-file.ts'

const fileName = 'secret.key'

/** Where keys come from. */
export interface MasterKeyPlace {
  /** The variable; empty = a file in the data folder. */
  readonly secret: string
  readonly nextSecret: string
  readonly dataDir: string
  /** What deriving a key from the variable costs from now on; for tests. */
  readonly scryptCost?: ScryptCost
}

type KeySource = Pick<MasterKeyPlace, 'secret' | 'dataDir'>

/** Whether a master key exists; otherwise reading it makes one. */
export function hasMasterKey({ secret, dataDir }: KeySource): boolean {
  return secret !== '' || existsSync(join(dataDir, fileName))
}

/**
 * The key that seals stored secrets: derived from the variable as the store says, or else from a file in the data folder that the first
 * start makes. Without it the sealed keys of channels and tokens cannot be opened, so it must be backed up (apart from the database).
 */
export async function readMasterKey({ secret, dataDir }: KeySource, derivation: string): Promise<Uint8Array> {
  if (secret !== '') return await deriveKey(secret, derivation)
  const path = masterKeyPath(dataDir)
  if (!existsSync(path)) writeKey(path)
  return readKey(path)
}

/** The key that replaces the present one, while a rotation re-seals everything; `null` = none. */
export async function readNextMasterKey({ secret, nextSecret, dataDir }: MasterKeyPlace, derivation: string): Promise<Uint8Array | null> {
  if (secret !== '') return nextSecret === '' ? null : await deriveKey(nextSecret, derivation)
  return existsSync(nextPath(dataDir)) ? readKey(nextPath(dataDir)) : null
}

/** A master key and how it is derived. */
export interface DerivedKey {
  readonly key: Uint8Array
  readonly derivation: string
}

/**
 * Makes the next key, or reads the one that an earlier try made. `null` = it must come from the environment. A store whose key is derived
 * as in the first versions keeps its variable, if there is no other, and gets a key that is derived from it slowly.
 */
export async function makeNextMasterKey(place: MasterKeyPlace, present: string): Promise<DerivedKey | null> {
  if (place.secret === '' && !existsSync(nextPath(place.dataDir))) writeKey(nextPath(place.dataDir))
  const derivation = newDerivation(place)
  const key = await readNextMasterKey(place, derivation)
  if (key !== null) return { key, derivation }
  return present === '' ? { key: await readMasterKey(place, derivation), derivation } : null
}

/** Makes the next key the present one. A key from the environment is changed by the operator. */
export function promoteMasterKey({ secret, dataDir }: MasterKeyPlace): void {
  if (secret === '' && existsSync(nextPath(dataDir))) renameSync(nextPath(dataDir), masterKeyPath(dataDir))
}

export const masterKeyPath = (dataDir: string): string => join(dataDir, fileName)
const nextPath = (dataDir: string): string => join(dataDir, `${fileName}.next`)

const keyBytes = 32

/** Slow and in 32 MiB, because people choose phrases that can be guessed by whoever has a copy of the database. */
async function deriveKey(secret: string, derivation: string): Promise<Uint8Array> {
  const parsed = parseDerivation(derivation)
  if (parsed === null) return createHash('sha256').update(secret).digest()
  const { salt, log2N, r, p } = parsed
  const N = 2 ** log2N
  return await new Promise((resolve, reject) => {
    scrypt(secret, salt, keyBytes, { N, r, p, maxmem: 256 * N * r }, (error, key) =>
      error instanceof Error ? reject(error) : resolve(key),
    )
  })
}

const writeKey = (path: string): void => writeSecretFile(path, randomBytes(keyBytes).toString('base64'))

function readKey(path: string): Uint8Array {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== keyBytes) throw new Error(`${path} does not hold a master key; restore it from a backup`)
  return key
}
