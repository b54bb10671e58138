import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { writeSecretFile } from './secret-file.ts'

const fileName = 'secret.key'

/** Whether a master key exists; otherwise reading it makes one. */
export function hasMasterKey(secret: string, dataDir: string): boolean {
  return secret !== '' || existsSync(join(dataDir, fileName))
}

/**
 * The key that seals stored secrets: from the environment, or else from a file in the data folder that the first start makes. Without it
 * the sealed keys of channels and tokens cannot be opened, so it must be backed up (apart from the database).
 */
export function readMasterKey(secret: string, dataDir: string): Uint8Array {
  if (secret !== '') return fromSecret(secret)
  const path = masterKeyPath(dataDir)
  if (!existsSync(path)) writeKey(path)
  return readKey(path)
}

/** The key that replaces the present one, while a rotation re-seals everything; `null` = none. */
export function readNextMasterKey({ secret, nextSecret, dataDir }: MasterKeyPlace): Uint8Array | null {
  if (secret !== '') return nextSecret === '' ? null : fromSecret(nextSecret)
  return existsSync(nextPath(dataDir)) ? readKey(nextPath(dataDir)) : null
}

/** Where keys come from. */
export interface MasterKeyPlace {
  /** The variable; empty = a file in the data folder. */
  readonly secret: string
  readonly nextSecret: string
  readonly dataDir: string
}

/** Makes the next key, or reads the one that an earlier try made. `null` = it must come from the environment. */
export function makeNextMasterKey(place: MasterKeyPlace): Uint8Array | null {
  if (place.secret === '' && !existsSync(nextPath(place.dataDir))) writeKey(nextPath(place.dataDir))
  return readNextMasterKey(place)
}

/** Makes the next key the present one. A key from the environment is changed by the operator. */
export function promoteMasterKey({ secret, dataDir }: MasterKeyPlace): void {
  if (secret === '' && existsSync(nextPath(dataDir))) renameSync(nextPath(dataDir), masterKeyPath(dataDir))
}

export const masterKeyPath = (dataDir: string): string => join(dataDir, fileName)
const nextPath = (dataDir: string): string => join(dataDir, `${fileName}.next`)

function fromSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

const writeKey = (path: string): void => writeSecretFile(path, randomBytes(32).toString('base64'))

function readKey(path: string): Uint8Array {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new Error(`${path} does not hold a master key; restore it from a backup`)
  return key
}
