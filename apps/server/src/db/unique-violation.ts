/** Whether a write failed because another row has the value already. To learn which column, query for the row. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : null
  const errno = 'errno' in error ? error.errno : null
  // SQLite's error name, and PostgreSQL's error code.
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === '23505' || errno === '23505'
}
