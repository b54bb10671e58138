import type { Db } from '../db/connect.ts'
import type { Seal } from '../lib/seal.ts'
import { type Reader, type RowOf, readRow, type SourceRow } from './cells.ts'
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
  readonly channels: Map<number, number>
}

type Columns = Readonly<Record<string, Reader<unknown>>>

interface Step<C extends Columns, Planned> {
  readonly kind: Kind
  readonly table: string
  readonly columns: C
  readonly label: (row: RowOf<C>) => string
  readonly plan: (row: RowOf<C>) => Plan<Planned>
  readonly write: (planned: readonly Planned[], rows: readonly RowOf<C>[]) => Promise<void>
}

/** Goes through a table page by page: reads, decides, counts, writes. */
export async function runStep<C extends Columns, Planned>(run: Run, from: Source, step: Step<C, Planned>): Promise<void> {
  const tally = run.tallies[step.kind]
  for await (const page of from.pages(step.table, Object.keys(step.columns))) {
    const rows = page.flatMap((cells) => readable(tally, step, cells))
    const planned = rows.flatMap((row) => count(tally, step.label(row), step.plan(row)))
    await step.write(planned, rows)
  }
}

function readable<C extends Columns, Planned>(tally: Tally, { kind, columns }: Step<C, Planned>, cells: SourceRow): readonly RowOf<C>[] {
  const row = readRow(columns, cells)
  if (typeof row !== 'string') return [row]
  count(tally, `${kind} ${String(cells['id'])}`, refuse(`its ${row} cannot be kept exactly`))
  return []
}

/** How a row is called in the report. */
export function labelOf(kind: Kind, id: number, name: string): string {
  return `${kind} ${id} ${JSON.stringify(name.slice(0, 60))}`
}
