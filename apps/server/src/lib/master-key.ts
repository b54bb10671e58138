import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fileName = 'secret.key'

/** Whether there is a master key to read; otherwise reading makes one. */
export function hasMasterKey(secret: string, dataDir: string): boolean {
  return secret !== '' || existsSync(join(dataDir, fileName))
}

/**
 * The key that seals stored secrets: from the environment, else from a file beside the database that is made at first start.
 * Without it the sealed keys of channels and tokens cannot be read again, so it belongs into the backup (apart from the database).
 */
export function readMasterKey(secret: string, dataDir: string): Uint8Array {
  if (secret !== '') return fromSecret(secret)
  const path = masterKeyPath(dataDir)
  if (!existsSync(path)) writeKey(path, dataDir)
  return readKey(path)
}

/** The key that takes the place of the present one, while everything is being sealed anew; `null` = there is none. */
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

/** Makes the next key, or reads the one that an earlier try has made. `null`: it would have to come from the environment. */
export function makeNextMasterKey(place: MasterKeyPlace): Uint8Array | null {
  if (place.secret === '' && !existsSync(nextPath(place.dataDir))) writeKey(nextPath(place.dataDir), place.dataDir)
  return readNextMasterKey(place)
}

/** The next key becomes the key. A variable is changed by whoever set it. */
export function promoteMasterKey({ secret, dataDir }: MasterKeyPlace): void {
  if (secret === '' && existsSync(nextPath(dataDir))) renameSync(nextPath(dataDir), masterKeyPath(dataDir))
}

export const masterKeyPath = (dataDir: string): string => join(dataDir, fileName)
const nextPath = (dataDir: string): string => join(dataDir, `${fileName}.next`)

function fromSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest()
}

/** Under another name first, so that a file of the name is whole. */
function writeKey(path: string, dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const part = `${path}.part`
  rmSync(part, { force: true })
  writeFileSync(part, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx', flush: true })
  renameSync(part, path)
}

function readKey(path: string): Uint8Array {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new Error(`${path} does not hold a master key; restore it from a backup`)
  return key
}
