import type { Engine } from './location.ts'

/** The differences between the engines of sources. Texts only, so that they can be tested without a server. */
export interface EngineTexts {
  /** Rows of `table_name` and `column_name`. */
  readonly columns: string
  readonly quote: (name: string) => string
  /** The placeholder of the first parameter. */
  readonly mark: string
}

export const engineTexts: Readonly<Record<Engine, EngineTexts>> = {
  sqlite: {
    columns:
      "SELECT m.name AS table_name, p.name AS column_name FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table'",
    quote: (name) => `"${name}"`,
    mark: '?',
  },
  mysql: {
    columns: 'SELECT TABLE_NAME AS table_name, COLUMN_NAME AS column_name FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()',
    quote: (name) => `\`${name}\``,
    mark: '?',
  },
  postgres: {
    columns: 'SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = ANY (current_schemas(false))',
    quote: (name) => `"${name}"`,
    mark: '$1',
  },
}

/** The next rows of a table behind an id. */
export function pageText(engine: Engine, table: string, columns: readonly string[]): string {
  const { quote, mark } = engineTexts[engine]
  return `SELECT ${columns.map(quote).join(', ')} FROM ${quote(table)} WHERE ${quote('id')} > ${mark} ORDER BY ${quote('id')} LIMIT ${pageRows}`
}

/** A whole small table that has no id. */
export function wholeText(engine: Engine, table: string, columns: readonly string[]): string {
  const { quote } = engineTexts[engine]
  return `SELECT ${columns.map(quote).join(', ')} FROM ${quote(table)}`
}

/** Rows read at a time: a few megabytes of the widest table. */
export const pageRows = 1_000
