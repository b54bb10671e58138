import { Database } from 'bun:sqlite'
import { ensurePrivateFile } from '../lib/private-file.ts'

/**
 * Refuses a second process on the same store. The lock is an open exclusive transaction on a file of its own: the operating system
 * releases it when the process ends, however it ends, so no stale lock is left behind.
 * @returns a function that unlocks
 */
export function lockStore(path: string): () => void {
  ensurePrivateFile(path)
  const lock = new Database(path, { create: true })
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new Error(`another process is using this database (${path} is locked); stop it first`, { cause })
  }
  return () => lock.close()
}
