/** Whether a write failed because there is no room for it: https://www.sqlite.org/rescode.html#full */
export function isStorageFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL'
}
