/** A requested model and its name at the vendor. */
export interface MappingRow {
  readonly from: string
  readonly to: string
}

/** The pairs of a mapping; `null` = the text is no JSON object of texts. */
export function readMapping(text: string): readonly MappingRow[] | null {
  if (text.trim() === '') return []
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    const entries = Object.entries(parsed)
    return entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')
      ? entries.map(([from, to]) => ({ from, to }))
      : null
  } catch {
    return null
  }
}

/** The JSON of the pairs. Empty lines are left out; a line with one name stays, so that the form reports it. */
export function writeMapping(rows: readonly MappingRow[]): string {
  const pairs = rows.map(({ from, to }) => [from.trim(), to.trim()] as const).filter(([from, to]) => from !== '' || to !== '')
  return pairs.length === 0 ? '' : JSON.stringify(Object.fromEntries(pairs), null, 2)
}

/** Names that stand on the left more than once: the last line of each counts. */
export function repeatedNames(rows: readonly MappingRow[]): ReadonlySet<string> {
  const names = rows.map(({ from }) => from.trim()).filter((name) => name !== '')
  return new Set(names.filter((name, index) => names.indexOf(name) !== index))
}
