import { type CodedMessage, role, userStatus } from '@sluice/contract'
import { type ExpressionBuilder, type Insertable, sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import type { NotificationDeliveryTable } from '../db/notification-tables.ts'
import type { Schema } from '../db/schema.ts'

export async function insertDelivery(db: Db, delivery: Insertable<NotificationDeliveryTable>): Promise<number> {
  return (await db.insertInto('notification_deliveries').values(delivery).returning('id').executeTakeFirstOrThrow()).id
}

/** Rows of one statement: databases limit the number of its values. */
const rowsAtOnce = 500

export async function insertDeliveries(db: Db, deliveries: readonly Insertable<NotificationDeliveryTable>[]): Promise<void> {
  for (let from = 0; from < deliveries.length; from += rowsAtOnce)
    await db
      .insertInto('notification_deliveries')
      .values(deliveries.slice(from, from + rowsAtOnce))
      .execute()
}

export interface DueDelivery {
  readonly id: number
  readonly delivery_id: string
  readonly rule_id: number
  readonly rule_name: string
  readonly notice: string
  readonly attempts: number
  readonly next_ms: number
  readonly created_time: number
}

const dueColumns = ['id', 'delivery_id', 'rule_id', 'rule_name', 'notice', 'attempts', 'next_ms', 'created_time'] as const

/** Ids of deliveries that are due, each with its account. Those that wait longest come first. */
export async function listDue(
  db: Db,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<ReadonlyArray<{ readonly id: number; readonly user_id: number }>> {
  return await db
    .selectFrom('notification_deliveries')
    .select(['id', 'user_id'])
    .where('state', '=', sql.lit('waiting'))
    .where('next_ms', '<=', nowMs)
    .orderBy('next_ms')
    .limit(limit)
    .execute()
}

/** Ends what still waits for these rules: a newer notification says what is true now. */
export async function supersedeWaiting(db: Db, ruleIds: readonly number[], time: number): Promise<void> {
  const error: CodedMessage = { code: 'notification_superseded', params: {} }
  await db
    .updateTable('notification_deliveries')
    .set({ state: 'failed', error: JSON.stringify(error), ended_time: time, next_ms: 0 })
    .where('state', '=', sql.lit('waiting'))
    .where('is_test', '=', 0)
    .where('rule_id', 'in', ruleIds)
    .execute()
}

export async function findDelivery(db: Db, id: number): Promise<DueDelivery> {
  return await db.selectFrom('notification_deliveries').select(dueColumns).where('id', '=', id).executeTakeFirstOrThrow()
}

/** Counts an attempt, and moves the next one on, unless somebody else makes it. */
export async function claimDelivery(db: Db, { id, next_ms: from }: DueDelivery, nextMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notification_deliveries')
    .set(({ eb }) => ({ next_ms: nextMs, attempts: eb('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('next_ms', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface Attempted {
  readonly state: NotificationDeliveryTable['state']
  readonly address: string
  readonly error: CodedMessage | null
  readonly nextMs: number
  readonly endedTime: number
}

/** Stores how an attempt ended, unless the delivery has ended meanwhile. */
export async function saveAttempt(db: Db, id: number, { state, address, error, nextMs, endedTime }: Attempted): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set({ state, address, error: error === null ? '' : JSON.stringify(error), next_ms: nextMs, ended_time: endedTime })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .execute()
}

/** Where a rule sends to, with what it needs of its account. `undefined` = the rule is gone, or its account may not have it any more. */
export async function findTarget(db: Db, ruleId: number) {
  return await db
    .selectFrom('notification_rules')
    .innerJoin('users', 'users.id', 'notification_rules.user_id')
    .select(['target', 'url_sealed', 'secret_sealed', 'users.email', 'users.role'])
    .where('notification_rules.id', '=', ruleId)
    .where(mayHaveRule)
    .executeTakeFirst()
}

/** The sealed addresses of webhooks of administrators below root. */
export async function listAdministratorWebhooks(db: Db, limit: number): Promise<readonly string[]> {
  const administrators = await db
    .selectFrom('users')
    .select('id')
    .where('role', '>=', sql.lit(role.admin))
    .where('role', '<', sql.lit(role.root))
    .limit(limit)
    .execute()
  if (administrators.length === 0) return []
  const rows = await db
    .selectFrom('notification_rules')
    .select('url_sealed')
    .where(
      'user_id',
      'in',
      administrators.map(({ id }) => id),
    )
    .where('target', '=', 'webhook')
    .limit(limit)
    .execute()
  return rows.map(({ url_sealed }) => url_sealed)
}

/** Whether an account may (still) have a rule. */
export function mayHaveRule({ eb, and, or }: ExpressionBuilder<Schema, 'notification_rules' | 'users'>) {
  const isOwn = and([eb('notification_rules.scope', '=', 'own'), eb('notification_rules.target', '<>', 'pusher')])
  return and([eb('users.status', '=', userStatus.enabled), or([eb('users.role', '>=', role.admin), isOwn])])
}

export async function deleteDeliveriesBefore(db: Db, time: number): Promise<void> {
  await db.deleteFrom('notification_deliveries').where('created_time', '<', time).execute()
}
