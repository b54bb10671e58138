import { parseArgs } from 'node:util'
import { type Dialect, dialects, isDialect } from './dialects.ts'
import { type Location, parseLocation } from './location.ts'

/** The parsed arguments of the command. */
export interface ImportArguments {
  readonly source: Location
  /** The database with the log; `null` = the log is not imported. */
  readonly logs: Location | null
  /** `null` = detected by the tables. */
  readonly dialect: Dialect | null
  /** `null` = the name of an earlier import of the same source, or else its place. */
  readonly name: string | null
  readonly isApplied: boolean
  /** Whether the import counts as a success although rows were refused. */
  readonly mayMiss: boolean
  /** Whether administrators and further root accounts keep their roles. */
  readonly withAdmins: boolean
}

export const usage = `Usage: import SOURCE [--apply] [--allow-missing] [--with-admins] [--dialect NAME] [--logs SOURCE | --no-logs] [--name NAME]

  SOURCE           a SQLite file, mysql://user:password@host/database, postgres://..., or the value of one-api's SQL_DSN
  --apply          write; without it nothing is written and the report says what would be
  --allow-missing  end with 0 also where rows were refused; without it the exit code is 2
  --with-admins    administrators and further root accounts keep their roles; without it they become common users
  --dialect        ${dialects.join(', ')}; by default it is detected from the tables
  --logs           the database of LOG_SQL_DSN, where the log is not in SOURCE
  --no-logs        leave the log where it is
  --name           the name under which this source is remembered, where two of them would be taken for one`

/** @returns the arguments, or a text that says what is wrong with them */
export function readArguments(args: readonly string[]): ImportArguments | string {
  const parsed = parse(args)
  if (typeof parsed === 'string') return parsed
  const { values, positionals } = parsed
  const source = positionals.length === 1 ? parseLocation(positionals[0] ?? '') : null
  if (source === null) return 'name one source: a file or an address'
  const logs = values.logs === undefined ? source : parseLocation(values.logs)
  if (logs === null) return '--logs is neither a file nor an address'
  const { dialect = null, name = null } = values
  if (dialect !== null && !isDialect(dialect)) return `--dialect must be one of ${dialects.join(', ')}`
  return {
    source,
    logs: values['no-logs'] === true ? null : logs,
    dialect,
    name,
    isApplied: values.apply === true,
    mayMiss: values['allow-missing'] === true,
    withAdmins: values['with-admins'] === true,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        apply: { type: 'boolean' },
        'allow-missing': { type: 'boolean' },
        'with-admins': { type: 'boolean' },
        dialect: { type: 'string' },
        logs: { type: 'string' },
        'no-logs': { type: 'boolean' },
        name: { type: 'string' },
      },
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
