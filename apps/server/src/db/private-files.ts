import { chmodSync, statSync } from 'node:fs'
import { ensurePrivateFile } from '../lib/private-file.ts'

/** What SQLite and the server keep beside a database, under its name. */
const suffixes = ['', '-wal', '-shm', '-journal', '.lock', '.reserve'] as const

const othersBits = 0o077

/**
 * Makes the files of a database readable for their owner only, whatever the folder allows. SQLite gives the files that it adds later the
 * mode of the database.
 */
export function keepPrivate(path: string, report: (what: string, error: unknown) => void): void {
  ensurePrivateFile(path)
  for (const file of suffixes.map((suffix) => path + suffix)) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode
    if (mode === undefined || (mode & othersBits) === 0) continue
    try {
      chmodSync(file, mode & 0o700)
    } catch (error) {
      report(`file readable by others, and its mode cannot be changed: ${file}`, error)
    }
  }
}
