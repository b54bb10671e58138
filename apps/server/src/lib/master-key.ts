import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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
  if (secret !== '') return createHash('sha256').update(secret).digest()
  const path = join(dataDir, fileName)
  if (!existsSync(path)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  }
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (key.length !== 32) throw new Error(`${path} does not hold a master key; restore it from a backup`)
  return key
}
