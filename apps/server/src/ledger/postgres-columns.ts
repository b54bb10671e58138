import { withoutZero } from '../db/postgres-values.ts'

export type Value = string | number | null
export type Line = readonly Value[]

/** What JSON can say and PostgreSQL cannot store: U+0000 and halves of surrogate pairs. Also found where a text spells them out. */
const unstorable = /\\u(?:0000|d[89a-f])/

/**
 * Passes rows as one parameter, so that the statement's text does not depend on the number of rows. JSON, because the client needs a
 * third of the time of an array for each column, and PostgreSQL no more.
 */
export function createColumns() {
  const parameters: Value[] = []
  return {
    parameters,
    one: (type: string, value: Value): string => `$${parameters.push(value)}::${type}`,
    /** A subquery, whose alias follows it. `types`: one per column. The inner array makes the planner expect a few rows, as there mostly are. */
    table(types: readonly string[], lines: readonly Line[]): string {
      const columns = types.map((type, index) => `(e->>${index})::${type} AS c${index}`)
      return `(SELECT ${columns.join(', ')} FROM unnest(ARRAY(SELECT jsonb_array_elements($${parameters.push(toJson(lines))}::text::jsonb))) AS r (e))`
    },
  }
}

export type Columns = ReturnType<typeof createColumns>
export const repeat = (type: string, count: number): string[] => Array.from({ length: count }, () => type)

function toJson(lines: readonly Line[]): string {
  const text = JSON.stringify(lines)
  return unstorable.test(text) ? JSON.stringify(lines.map((line) => line.map(storable))) : text
}

function storable(value: Value): Value {
  return withoutZero(typeof value === 'string' ? value.toWellFormed() : value)
}
