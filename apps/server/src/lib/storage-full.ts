/** https://www.sqlite.org/rescode.html#full, and errno(3) for files of our own. */
const codes: ReadonlySet<unknown> = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])

/** Whether a write failed because there is no room for it. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.has(error.code)
}
