import type { Kind } from '../../core/kind.ts'
import type { BodyRow, BodyTable } from './body-row.ts'
import { bodyTables } from './body-tables.ts'

type Rows = ReadonlyMap<string, BodyRow>

export interface ListIndex {
  readonly by: string
  readonly rows: Rows
}

/** A table, by names. */
export interface BodyIndex {
  readonly members: Rows
  readonly inner: ReadonlyMap<string, Rows>
  readonly lists: ReadonlyMap<string, ListIndex>
  /** Names may be written in snake case instead of camel case. */
  readonly isCamel: boolean
}

// Holds: the tables have every kind.
export const bodyIndexes = Object.fromEntries(Object.entries(bodyTables).map(([kind, table]) => [kind, indexOf(table)])) as Readonly<
  Record<Kind, BodyIndex>
>

function indexOf({ members, inner = {}, lists = {}, isCamel }: BodyTable): BodyIndex {
  return {
    members: byName(members),
    inner: new Map(Object.entries(inner).map(([path, rows]) => [path, byName(rows)])),
    lists: new Map(Object.entries(lists).map(([path, { by, rows }]) => [path, { by, rows: byName(rows) }])),
    isCamel: isCamel === true,
  }
}

function byName(rows: readonly BodyRow[]): Rows {
  return new Map(rows.flatMap((row) => row.names.map((name) => [name, row] as const)))
}

/** The row of a type, also of a tool that the client runs itself in a version with a date. */
export function rowOf(rows: Rows, name: string): BodyRow | undefined {
  const own = rows.get(name)
  if (own !== undefined) return own.anyDate === true ? undefined : own
  const family = rows.get(name.replace(/_20\d{6}$/, ''))
  return family?.anyDate === true ? family : undefined
}

/** A name as its table has it. Lists of forms end in brackets. */
export function plainName(name: string, { isCamel }: Pick<BodyIndex, 'isCamel'>): string {
  // Nearly every name is plain, and each one of a body is looked up.
  if (!name.includes(isCamel ? '_' : '[')) return name
  return isCamel ? name.replace(/(?!^)_([a-z])/g, (_all, letter: string) => letter.toUpperCase()) : name.replace(/\[\d{0,2}\]$/, '')
}
