import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import type { SetAsideTable } from '../db/ledger-tables.ts'

export type AsideRow = Selectable<SetAsideTable>

export async function findAside(db: Db, id: number): Promise<AsideRow | undefined> {
  return await db.selectFrom('ledger_set_aside').selectAll().where('id', '=', id).executeTakeFirst()
}

interface AsidePage {
  /** Empty: all. */
  readonly state: string
  readonly p: number
  readonly after: number
  readonly size: number
}

/** The newest first. */
export async function listAsides(db: Db, { state, p, after, size }: AsidePage): Promise<readonly AsideRow[]> {
  const all = db.selectFrom('ledger_set_aside').selectAll().orderBy('id', 'desc').limit(size)
  const placed = after > 0 ? all.where('id', '<', after) : all.offset(p * size)
  return await (state === '' ? placed : placed.where(sql.ref('state'), '=', state)).execute()
}

/** What is open, and how much of it a command has decided on. */
export async function countAsides(db: Db): Promise<{ readonly open: number; readonly decided: number; readonly last: number }> {
  const row = await db
    .selectFrom('ledger_set_aside')
    .select(({ fn }) => [
      fn.countAll<number>().as('open'),
      sql<number | null>`SUM(CASE WHEN decision <> '' THEN 1 ELSE 0 END)`.as('decided'),
      fn.max('id').as('last'),
    ])
    .where('state', '=', 'open')
    .executeTakeFirst()
  return { open: Number(row?.open ?? 0), decided: Number(row?.decided ?? 0), last: Number(row?.last ?? 0) }
}

/** Carried out at a time. */
const decidedMax = 100

export async function listDecided(db: Db): Promise<readonly AsideRow[]> {
  return await db
    .selectFrom('ledger_set_aside')
    .selectAll()
    .where('state', '=', 'open')
    .where('decision', '<>', '')
    .orderBy('id')
    .limit(decidedMax)
    .execute()
}

interface Decision {
  readonly id: number
  readonly decision: 'retry' | 'resolve'
  readonly charge: number
  readonly remark: string
}

/** Leaves a decision to the servers. `false`: it is not open, or another one is being carried out. */
export async function decide(db: Db, { id, decision, charge, remark }: Decision): Promise<boolean> {
  const done = await db
    .updateTable('ledger_set_aside')
    .set({ decision, charged: charge, remark, resolved_by: 0 })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where('decision', '=', '')
    .executeTakeFirst()
  return Number(done.numUpdatedRows) === 1
}

/** Takes a decision back that cannot be carried out. */
export async function dropDecision(db: Db, id: number): Promise<void> {
  await db.updateTable('ledger_set_aside').set({ decision: '', charged: 0 }).where('id', '=', id).where('state', '=', 'open').execute()
}

/** Closes what has no reservation any more: it was ended otherwise, such as a task that its client has stopped. */
export async function closeEnded(
  db: Db,
  { id, by, remark, at }: { readonly id: number; readonly by: number; readonly remark: string; readonly at: number },
): Promise<boolean> {
  const done = await db
    .updateTable('ledger_set_aside')
    .set({ state: 'resolved', decision: '', charged: 0, resolved_by: by, resolved_at: at, remark })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('holds').select('holds.request_id').whereRef('holds.request_id', '=', 'ledger_set_aside.request_id'))),
    )
    .executeTakeFirst()
  return Number(done.numUpdatedRows) === 1
}
