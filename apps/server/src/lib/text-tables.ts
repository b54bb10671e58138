/** A table that is stored as a text. */
export interface TextTable<Value> {
  readonly text: string
  get(key: string): Value | undefined
}

/** Reads the values of a text; does not throw. */
type Read<Value> = (text: string) => ReadonlyMap<string, Value>

interface ReadTable {
  readonly rows: number
  readonly forget: () => void
}

/**
 * Makes tables that are read when a value is first looked up. All of them keep at most so many rows; beyond it, those that were read first are
 * forgotten, and read again when they are needed.
 */
export function createTextTables(rowsMax: number): <Value>(text: string, read: Read<Value>) => TextTable<Value> {
  /** In the order in which they were read. */
  const kept = new Set<ReadTable>()
  let rows = 0

  function keep(added: ReadTable): void {
    kept.add(added)
    rows += added.rows
    for (const oldest of kept) {
      if (rows <= rowsMax || oldest === added) return
      kept.delete(oldest)
      rows -= oldest.rows
      oldest.forget()
    }
  }

  return (text, read) => {
    let values: ReturnType<typeof read> | null = text === '' ? new Map() : null

    function valuesNow(): ReturnType<typeof read> {
      if (values !== null) return values
      values = read(text)
      keep({ rows: values.size, forget: () => (values = null) })
      return values
    }

    return { text, get: (key) => valuesNow().get(key) }
  }
}
