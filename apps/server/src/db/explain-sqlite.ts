import { readdirSync, statfsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../lib/app-error.ts'
import { isStorageFull } from '../lib/storage-full.ts'

/** https://www.sqlite.org/rescode.html */
const damages = ['SQLITE_CORRUPT', 'SQLITE_NOTADB'] as const
const diskFault = 'SQLITE_IOERR'

/**
 * Why a SQLite database cannot be used, for operators: the file and what to do. Other errors are returned as they are.
 * @param cause whatever was thrown
 */
export function explainSqlite(path: string, cause: unknown): unknown {
  const error = cause instanceof AppError ? cause.cause : cause
  const message = messageOf(path, error, isStorageFull(error) || (cause instanceof AppError && cause.code === 'storage_full'))
  // Errors with a code are printed without their stack (`explainStart`).
  return message === null ? cause : Object.assign(new Error(message, { cause }), { code: 'DATABASE' })
}

function messageOf(path: string, error: unknown, isFull: boolean): string | null {
  if (isFull)
    return `not enough disk space for ${path}: ${freeMegabytes(dirname(path))} MB free in ${dirname(path)}, ${walBytes / 1_000_000} MB needed in addition to STORAGE_RESERVE_BYTES; free up space and start again`
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = error instanceof Error ? error.message : ''
  if (damages.some((start) => code.startsWith(start)))
    return `${path} is damaged (${reason}): restore a backup with \`admin restore FILE\`${copyHint(path)}`
  return code.startsWith(diskFault) ? `${path} cannot be read or written (${code}): check the disk or network file system` : null
}

/** What the write-ahead log of a database takes (docs/variables.md, `DATA_DIR`). */
export const walBytes = 130_000_000

function freeMegabytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return Math.floor((bavail * bsize) / 1_000_000)
}

/** The copy of before the last upgrade, where there is one. */
function copyHint(path: string): string {
  const start = `${basename(path)}.before-`
  const copy = readdirSync(dirname(path)).find((name) => name.startsWith(start))
  return copy === undefined ? '' : `; ${join(dirname(path), copy)} is the database as it was before the last upgrade`
}
