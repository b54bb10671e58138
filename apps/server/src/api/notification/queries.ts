import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import type { NotificationRuleTable } from '../../db/notification-tables.ts'
import { onePage, type Page } from '../../db/one-page.ts'

function rulesOf(db: Db, userId: number) {
  return db
    .selectFrom('notification_rules')
    .select(({ exists, fn, selectFrom, val }) => [
      'id',
      'name',
      'kind',
      'scope',
      'threshold',
      'hours',
      'model_name',
      'channel_id',
      fn
        .coalesce(
          selectFrom('channels').select('channels.name').whereRef('channels.id', '=', 'notification_rules.channel_id').$asScalar(),
          val(''),
        )
        .as('channel_name'),
      'target',
      'url_sealed',
      'secret_sealed',
      'is_on',
      'created_time',
      exists(selectFrom('notification_breaches').select('subject').whereRef('rule_id', '=', 'notification_rules.id')).as('is_breached'),
    ])
    .where('user_id', '=', userId)
}

/** Newest first. An account has a few at most. */
export async function listRules(db: Db, userId: number) {
  return await rulesOf(db, userId).orderBy('id', 'desc').execute()
}

export type StoredRule = Awaited<ReturnType<typeof listRules>>[number]

export async function findRule(db: Db, userId: number, id: number): Promise<StoredRule | undefined> {
  return await rulesOf(db, userId).where('id', '=', id).executeTakeFirst()
}

export async function countRules(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('notification_rules')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

export async function insertRule(db: Db, rule: Insertable<NotificationRuleTable>): Promise<number> {
  return (await db.insertInto('notification_rules').values(rule).returning('id').executeTakeFirstOrThrow()).id
}

interface RuleChange {
  readonly name: string
  readonly threshold: number
  readonly hours: number
  readonly is_on: number
  readonly url_sealed: string
  readonly secret_sealed?: string
}

export async function updateRule(
  db: Db,
  { userId, id }: { readonly userId: number; readonly id: number },
  change: RuleChange,
): Promise<void> {
  await db.updateTable('notification_rules').set(change).where('user_id', '=', userId).where('id', '=', id).execute()
}

/** Forgets what a rule was breached by, so that it compares anew. */
export async function forgetBreaches(db: Db, ruleId: number): Promise<void> {
  await db.deleteFrom('notification_breaches').where('rule_id', '=', ruleId).execute()
}

/** @returns its name; `undefined` = the account has no such rule */
export async function deleteRule(db: Db, userId: number, id: number): Promise<string | undefined> {
  const row = await db
    .deleteFrom('notification_rules')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}

/** Newest first. */
export async function listDeliveries(db: Db, userId: number, page: Page) {
  return await onePage(deliveriesOf(db, userId), 'notification_deliveries', { page, order: ['id'] }).execute()
}

export async function findDeliveryOf(db: Db, userId: number, id: number) {
  return await deliveriesOf(db, userId).where('id', '=', id).executeTakeFirstOrThrow()
}

export type StoredDelivery = Awaited<ReturnType<typeof findDeliveryOf>>

function deliveriesOf(db: Db, userId: number) {
  return db
    .selectFrom('notification_deliveries')
    .select([
      'id',
      'delivery_id',
      'rule_id',
      'rule_name',
      'target',
      'notice',
      'is_test',
      'state',
      'attempts',
      'next_ms',
      'address',
      'error',
      'created_time',
      'ended_time',
    ])
    .where('user_id', '=', userId)
}

export async function hasChannel(db: Db, id: number): Promise<boolean> {
  return (await db.selectFrom('channels').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}
