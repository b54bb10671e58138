import { createHash, randomBytes, scrypt } from 'node:crypto'
import { existsSync, readFileSync, renameSync, statSync } from 'node:fs'
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

/**
 * The key that seals stored secrets: derived from the variable as the store says, or else from a file in the data folder. Without it the
 * sealed keys of channels and tokens cannot be opened, so it must be backed up (apart from the database).
 * @returns `null`: there is neither the variable nor the file
 * @throws MASTER_KEY where the file is there and cannot be read, or holds no key
 */
export async function readMasterKey({ secret, dataDir }: KeySource, derivation: string): Promise<Uint8Array | null> {
  if (secret !== '') return await deriveKey(secret, derivation)
  const path = masterKeyPath(dataDir)
  return existsSync(path) ? readKey(path) : null
}

/** Reads the key like `readMasterKey`, and writes a new file where there is none: only for a store in which nothing is sealed with another. */
export async function createMasterKey(source: KeySource, derivation: string): Promise<Uint8Array> {
  const path = masterKeyPath(source.dataDir)
  const key = await readMasterKey(source, derivation)
  if (key !== null) return key
  writeKey(path)
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
  if (present !== '') return null
  const own = await readMasterKey(place, derivation)
  return own === null ? null : { key: own, derivation }
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

/** Far more than a key takes with spaces around it. */
const keyFileBytesMax = 4_096

function readKey(path: string): Uint8Array {
  const key = Buffer.from(readText(path).trim(), 'base64')
  if (key.length !== keyBytes) throw unusableKey(path, 'it does not contain a master key')
  return key
}

function readText(path: string): string {
  try {
    const { size } = statSync(path)
    return size > keyFileBytesMax ? '' : readFileSync(path, 'utf8')
  } catch (cause) {
    throw unusableKey(path, cause instanceof Error ? cause.message : String(cause))
  }
}

const unusableKey = (path: string, reason: string): Error =>
  masterKeyError(
    `${path} cannot be used: ${reason}. Make the file readable, or restore it from a backup. If it is lost, move it away and run \`admin reset-secret\``,
  )

/** A fault of the master key that the operator can mend. */
export function masterKeyError(message: string): Error {
  return Object.assign(new Error(message), { code: 'MASTER_KEY' })
}
