/** https://www.sqlite.org/rescode.html: the file, its folder or the disk, with all extended codes. */
const damaged = /^SQLITE_(?:IOERR|CORRUPT|NOTADB|READONLY|CANTOPEN|PERM|AUTH|NOMEM|NOLFS|PROTOCOL)/

/** Whether the database itself is damaged or may not be written, whatever is in a transaction. */
export function isSqliteDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // Tables that are gone have no code of their own.
  return damaged.test(code) || /^no such (?:table|column)/.test(error.message)
}
