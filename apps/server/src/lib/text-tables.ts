/** A table that is stored as a text. */
export interface TextTable<Value> {
  readonly text: string
  get(key: string): Value | undefined
}

/** Reads the values of a text; does not throw. */
type ReadTable<Value> = (text: string) => ReadonlyMap<string, Value>

interface ReadText {
  readonly length: number
  readonly forget: () => void
}

/**
 * Makes tables that are read when a value is first looked up. All of them keep the values of at most so many characters of text; beyond it,
 * those that were read first are forgotten, and read again when they are needed.
 */
export function createTextTables(charactersMax: number): <Value>(text: string, read: ReadTable<Value>) => TextTable<Value> {
  /** In the order in which they were read. */
  const kept = new Set<ReadText>()
  let characters = 0

  function keep(added: ReadText): void {
    kept.add(added)
    characters += added.length
    for (const oldest of kept) {
      if (characters <= charactersMax || oldest === added) return
      kept.delete(oldest)
      characters -= oldest.length
      oldest.forget()
    }
  }

  return (text, read) => {
    let values: ReturnType<typeof read> | null = text === '' ? new Map() : null

    function valuesNow(): ReturnType<typeof read> {
      if (values !== null) return values
      values = read(text)
      keep({ length: text.length, forget: () => (values = null) })
      return values
    }

    return { text, get: (key) => valuesNow().get(key) }
  }
}
