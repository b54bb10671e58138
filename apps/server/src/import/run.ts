import type { Db } from '../db/connect.ts'
import type { Seal } from '../lib/seal.ts'
import { type Reader, type RowOf, readRow } from './cells.ts'
import type { Dialect } from './dialects.ts'
import { type Plan, refuse } from './plan.ts'
import type { Source } from './source.ts'
import { count, type Kind, type Tally } from './tally.ts'
import type { Writer } from './writer.ts'

/** One import while it runs. */
export interface Run {
  readonly source: Source
  /** The database with the log: the source itself or another one. `null` = the log is not imported. */
  readonly logs: Source | null
  readonly dialect: Dialect
  /** The source's name in the records of imported rows. */
  readonly name: string
  readonly db: Db
  readonly seal: Seal
  readonly writer: Writer
  readonly ownPort: number
  /** Whether administrators and further root accounts keep their roles. */
  readonly withAdmins: boolean
  /** Seconds since the epoch. */
  readonly now: number
  readonly tallies: Readonly<Record<Kind, Tally>>
  /** What an operator must look at before trusting the result. */
  readonly trusted: Trusted
  /** Ids of the source -> ids here; 0 in a dry run. Rows that were not imported are missing. */
  readonly users: Map<number, number>
  /** Source ids of refused accounts: their rows are refused too, while rows of deleted accounts are left out. */
  readonly refusedUsers: Set<number>
  readonly channels: Map<number, number>
}

/** Parts of the source that are trusted with power over this installation, as lines of the report. */
export interface Trusted {
  /** Accounts that are administrators in the source. */
  readonly admins: string[]
  /** Options that matter for security; they count as set by root. */
  readonly options: string[]
}

type Columns = Readonly<Record<string, Reader<unknown>>>

interface Step<C extends Columns, Planned> {
  readonly kind: Kind
  readonly table: string
  readonly columns: C
  readonly label: (row: RowOf<C>) => string
  readonly plan: (row: RowOf<C>) => Plan<Planned>
  /** Called for each refused row, including unreadable ones. */
  readonly onRefused?: (id: number) => void
  readonly write: (planned: readonly Planned[], rows: readonly RowOf<C>[]) => Promise<void>
}

/** Imports a table page by page: reads, plans, counts, writes. */
export async function runStep<C extends Columns, Planned>(run: Run, from: Source, step: Step<C, Planned>): Promise<void> {
  for await (const page of from.pages(step.table, Object.keys(step.columns))) {
    const rows: RowOf<C>[] = []
    const planned = page.flatMap((cells) => {
      const row = readRow(step.columns, cells)
      if (typeof row !== 'string') rows.push(row)
      const plan = typeof row === 'string' ? refuse(`its ${row} cannot be stored exactly`) : step.plan(row)
      if (plan.do === 'refuse') step.onRefused?.(Number(cells['id']))
      return count(run.tallies[step.kind], typeof row === 'string' ? `${step.kind} ${String(cells['id'])}` : step.label(row), plan)
    })
    await step.write(planned, rows)
  }
}

/** The label of a row in the report. */
export function labelOf(kind: Kind, id: number, name: string): string {
  return `${kind} ${id} ${JSON.stringify(name.slice(0, 60))}`
}
