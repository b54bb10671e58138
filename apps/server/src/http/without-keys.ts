/** Rows, or one row, with an empty `key`: for callers whose scopes do not include keys. */
export function withoutKeys(data: unknown): unknown {
  if (Array.isArray(data)) return data.map(blank)
  return blank(data)
}

function blank(row: unknown): unknown {
  return typeof row === 'object' && row !== null && 'key' in row ? { ...row, key: '' } : row
}
