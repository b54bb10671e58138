export type Value = string | number | null
export type Line = readonly Value[]

/** Passes rows as one array per column, so that the statement's text does not depend on the number of rows. */
export function createColumns() {
  const parameters: (Value | readonly Value[])[] = []
  return {
    parameters,
    one: (type: string, value: Value): string => `$${parameters.push(value)}::${type}`,
    /** `types`: one per column. */
    unnest(types: readonly string[], lines: readonly Line[]): string {
      const columns = types.map((type, index) => `$${parameters.push(lines.map((line) => line[index] ?? null))}::${type}[]`)
      return `unnest(${columns.join(', ')})`
    },
  }
}

export type Columns = ReturnType<typeof createColumns>
export const repeat = (type: string, count: number): string[] => Array.from({ length: count }, () => type)
