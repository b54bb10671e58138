/** Whether a write failed because another row has the value already. Which one: ask for the row. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : null
  const errno = 'errno' in error ? error.errno : null
  // SQLite's name of it, and PostgreSQL's number.
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === '23505' || errno === '23505'
}
