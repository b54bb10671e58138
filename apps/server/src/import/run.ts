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
  /** Where the log is: the source itself, or another database. `null`: it is not wanted. */
  readonly logs: Source | null
  readonly dialect: Dialect
  /** The name under which what is brought is remembered. */
  readonly name: string
  readonly db: Db
  readonly seal: Seal
  readonly writer: Writer
  readonly ownPort: number
  /** Seconds since the epoch. */
  readonly now: number
  readonly tallies: Readonly<Record<Kind, Tally>>
  /** Ids of the source -> ids here; 0 where nothing is written. What is not here is missing. */
  readonly users: Map<number, number>
  /** Ids of accounts of the source that were refused: what belongs to them is missed, unlike what belonged to deleted ones. */
  readonly refusedUsers: Set<number>
  readonly channels: Map<number, number>
}

type Columns = Readonly<Record<string, Reader<unknown>>>

interface Step<C extends Columns, Planned> {
  readonly kind: Kind
  readonly table: string
  readonly columns: C
  readonly label: (row: RowOf<C>) => string
  readonly plan: (row: RowOf<C>) => Plan<Planned>
  /** Hears of each row that was refused, also of those that cannot be read. */
  readonly onRefused?: (id: number) => void
  readonly write: (planned: readonly Planned[], rows: readonly RowOf<C>[]) => Promise<void>
}

/** Goes through a table page by page: reads, decides, counts, writes. */
export async function runStep<C extends Columns, Planned>(run: Run, from: Source, step: Step<C, Planned>): Promise<void> {
  for await (const page of from.pages(step.table, Object.keys(step.columns))) {
    const rows: RowOf<C>[] = []
    const planned = page.flatMap((cells) => {
      const row = readRow(step.columns, cells)
      if (typeof row !== 'string') rows.push(row)
      const plan = typeof row === 'string' ? refuse(`its ${row} cannot be kept exactly`) : step.plan(row)
      if (plan.do === 'refuse') step.onRefused?.(Number(cells['id']))
      return count(run.tallies[step.kind], typeof row === 'string' ? `${step.kind} ${String(cells['id'])}` : step.label(row), plan)
    })
    await step.write(planned, rows)
  }
}

/** How a row is called in the report. */
export function labelOf(kind: Kind, id: number, name: string): string {
  return `${kind} ${id} ${JSON.stringify(name.slice(0, 60))}`
}
