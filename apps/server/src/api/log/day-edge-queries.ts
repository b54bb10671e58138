import { logType } from '@sluice/contract'
import type { Expression, ExpressionBuilder, RawBuilder, SqlBool } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { Schema } from '../../db/schema.ts'
import type { ChartColumn, TimeColumn } from '../../db/usage-columns.ts'
import { countOfLog } from '../../db/usage-tables.ts'
import type { DayEdge } from './day-edges.ts'

type Builder = ExpressionBuilder<Pick<Schema, 'logs' | 'usage_hours'>, 'logs'>

interface EdgeQuery<Column extends ChartColumn | TimeColumn> {
  readonly edges: readonly DayEdge[]
  readonly columns: readonly Column[]
  readonly matches: (build: Builder) => Expression<SqlBool>
  /** What distinguishes the lines of a day. */
  readonly id: RawBuilder<number>
  readonly name: RawBuilder<string>
}

/** Counts of one line on the edge of a day. */
interface EdgeRow<Column extends string> {
  readonly bucket: number
  readonly id: number
  readonly name: string
  readonly counts: Readonly<Record<Column, number>>
}

/** Sums of the rows of the log on the edges of days, by line. Those rows are in the hourly sums, too. */
export async function sumEdges<Column extends ChartColumn | TimeColumn>(
  db: Db,
  { edges, ...query }: EdgeQuery<Column>,
): Promise<ReadonlyArray<EdgeRow<Column>>> {
  if (edges.length === 0) return []
  const upTo = await readRolledUp(db)
  const sums = await Promise.all(edges.map((edge) => sumEdge(db, query, { ...edge, upTo })))
  return sums.flat()
}

/** The last row that is in the hourly sums. */
async function readRolledUp(db: Db): Promise<number> {
  const mark = await db.selectFrom('log_marks').select('value').where('name', '=', 'rolled-up').executeTakeFirst()
  return mark?.value ?? 0
}

async function sumEdge<Column extends ChartColumn | TimeColumn>(
  db: Db,
  { columns, matches, id, name }: Omit<EdgeQuery<Column>, 'edges'>,
  { day, from, to, upTo }: DayEdge & { readonly upTo: number },
): Promise<ReadonlyArray<EdgeRow<Column>>> {
  const rows = await db
    .selectFrom('logs')
    .select([id.as('line_id'), name.as('line_name')])
    .select(columns.map((column) => countOfLog(column).as(column)))
    .where('type', '=', logType.consume)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('id', '<=', upTo)
    // Holds: the condition names columns of the log only.
    .where((build) => matches(build as unknown as Builder))
    .groupBy(['line_id', 'line_name'])
    .execute()
  return rows.map((row) => {
    // Holds: it has a number, or its text, for each column.
    const sums = row as unknown as Readonly<Record<Column, number | string>>
    // Holds: each column gets its number.
    const counts = Object.fromEntries(columns.map((column) => [column, Number(sums[column])])) as Record<Column, number>
    return { bucket: day, id: Number(row.line_id), name: row.line_name, counts }
  })
}
