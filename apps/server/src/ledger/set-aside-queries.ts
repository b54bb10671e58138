import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import type { SetAsideTable } from '../db/ledger-tables.ts'

interface AsideNames {
  /** Empty: the account, the token or the reservation is gone. */
  readonly username: string
  readonly token_name: string
  /** Of the reservation, which an open one has. */
  readonly model_name: string
}

export type AsideRow = Selectable<SetAsideTable> & AsideNames

/** Without the operation, which may have megabytes. */
export type ListedAside = Omit<AsideRow, 'operation'> & { readonly has_operation: boolean }

/** All columns but the operation. */
const columns = [
  ...(['id', 'request_id', 'user_id', 'token_id', 'kind', 'amount', 'held', 'task_id', 'error_code', 'error_message'] as const),
  ...(['tries', 'created_at', 'state', 'decision', 'charged', 'resolved_by', 'resolved_at', 'remark'] as const),
] as const

function withNames(db: Db) {
  return db
    .selectFrom('ledger_set_aside')
    .leftJoin('users', 'users.id', 'ledger_set_aside.user_id')
    .leftJoin('tokens', 'tokens.id', 'ledger_set_aside.token_id')
    .leftJoin('holds', 'holds.request_id', 'ledger_set_aside.request_id')
    .select(columns.map((name) => `ledger_set_aside.${name}` as const))
    .select(({ fn, val }) => [
      fn.coalesce('users.username', val('')).as('username'),
      fn.coalesce('tokens.name', val('')).as('token_name'),
      fn.coalesce('holds.model_name', val('')).as('model_name'),
    ])
}

export async function findAside(db: Db, id: number): Promise<AsideRow | undefined> {
  return await withNames(db).select('ledger_set_aside.operation').where('ledger_set_aside.id', '=', id).executeTakeFirst()
}

interface AsidePage {
  /** Empty: all. */
  readonly state: string
  readonly p: number
  readonly after: number
  readonly size: number
}

/** The newest first. */
export async function listAsides(db: Db, { state, p, after, size }: AsidePage): Promise<readonly ListedAside[]> {
  const all = withNames(db)
    // It counts the bytes without reading them.
    .select(sql<number>`octet_length(ledger_set_aside.operation)`.as('bytes'))
    .orderBy('ledger_set_aside.id', 'desc')
    .limit(size)
  const placed = after > 0 ? all.where('ledger_set_aside.id', '<', after) : all.offset(p * size)
  const rows = await (state === '' ? placed : placed.where(sql.ref('ledger_set_aside.state'), '=', state)).execute()
  return rows.map(({ bytes, ...row }) => ({ ...row, has_operation: bytes > 0 }))
}

/** As text of the statement: the index of what is open serves no parameter. */
const isOpen = sql.lit('open' as const)

/** What is open, and how much of it a command has decided on. */
export async function countAsides(db: Db): Promise<{ readonly open: number; readonly decided: number; readonly last: number }> {
  const row = await db
    .selectFrom('ledger_set_aside')
    .select(({ fn }) => [
      fn.countAll<number>().as('open'),
      sql<number | null>`SUM(CASE WHEN decision <> '' THEN 1 ELSE 0 END)`.as('decided'),
      fn.max('id').as('last'),
    ])
    .where('state', '=', isOpen)
    .executeTakeFirst()
  return { open: Number(row?.open ?? 0), decided: Number(row?.decided ?? 0), last: Number(row?.last ?? 0) }
}

/** Carried out at a time. */
const decidedMax = 100

export async function listDecided(db: Db): Promise<readonly AsideRow[]> {
  return await withNames(db)
    .select('ledger_set_aside.operation')
    .where('ledger_set_aside.state', '=', isOpen)
    .where('ledger_set_aside.decision', '<>', '')
    .orderBy('ledger_set_aside.id')
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
