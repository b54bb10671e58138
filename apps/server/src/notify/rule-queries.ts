import { userStatus } from '@sluice/contract'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../db/connect.ts'
import type { NotificationRuleTable } from '../db/notification-tables.ts'
import type { Schema } from '../db/schema.ts'
import { mayHaveRule } from './delivery-queries.ts'

/** A rule that watches. */
export interface WatchingRule {
  readonly id: number
  readonly user_id: number
  readonly name: string
  readonly target: NotificationRuleTable['target']
  readonly threshold: number
  readonly hours: number
}

export interface Account {
  readonly id: number
  readonly username: string
  readonly quota: number
}

/** Breaches of one rule that one round finds. The next round finds the rest. */
const breachesMax = 100

type Kind = NotificationRuleTable['kind']
type Scope = NotificationRuleTable['scope']

/** Rules that are on, whose accounts may have them. */
function watching(db: Db, kind: Kind, scope: Scope): SelectQueryBuilder<Schema, 'notification_rules' | 'users', WatchingRule> {
  return db
    .selectFrom('notification_rules')
    .innerJoin('users', 'users.id', 'notification_rules.user_id')
    .select([
      'notification_rules.id',
      'notification_rules.user_id',
      'notification_rules.name',
      'notification_rules.target',
      'notification_rules.threshold',
      'notification_rules.hours',
    ])
    .where('kind', '=', kind)
    .where('scope', '=', scope)
    .where('is_on', '=', 1)
    .where(mayHaveRule)
}

export async function listWatching(db: Db, kind: Kind, scope: Scope): Promise<readonly WatchingRule[]> {
  return await watching(db, kind, scope).orderBy('notification_rules.id').execute()
}

/** Rules about the own balance that are newly breached, each with that account. */
export async function listLowOwn(db: Db): Promise<ReadonlyArray<{ readonly rule: WatchingRule; readonly account: Account }>> {
  const rows = await watching(db, 'balance', 'own')
    .select(['users.username', 'users.quota'])
    .whereRef('users.quota', '<', 'notification_rules.threshold')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('notification_breaches').select('subject').whereRef('rule_id', '=', 'notification_rules.id'))),
    )
    .limit(breachesMax)
    .execute()
  return rows.map(({ username, quota, ...rule }) => ({ rule, account: { id: rule.user_id, username, quota } }))
}

/** Accounts that have spent since a time and are newly below the threshold of a rule. */
export async function listLowAccounts(db: Db, { id, threshold }: WatchingRule, since: number): Promise<readonly Account[]> {
  return await db
    .selectFrom('users')
    .select(['id', 'username', 'quota'])
    .where('id', 'in', (query) => query.selectFrom('usage_hours').select('user_id').where('hour', '>=', since))
    .where('status', '=', userStatus.enabled)
    .where('quota', '<', threshold)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('notification_breaches').select('subject').where('rule_id', '=', id).whereRef('subject', '=', 'users.id'))),
    )
    .orderBy('id')
    .limit(breachesMax)
    .execute()
}

interface Day {
  /** Since 1970. */
  readonly number: number
  /** Its first second. */
  readonly start: number
}

/** Rules about the own spending of a day that are newly breached, each with what was spent. */
export async function listSpentOwn(db: Db, day: Day) {
  const spent = sql<number>`SUM(usage_accounts.quota)`
  const rows = await watching(db, 'spend', 'own')
    .innerJoin('usage_accounts', 'usage_accounts.user_id', 'notification_rules.user_id')
    .where('usage_accounts.hour', '>=', day.start)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('notification_breaches')
            .select('subject')
            .whereRef('rule_id', '=', 'notification_rules.id')
            .where('subject', '=', day.number),
        ),
      ),
    )
    .select(['users.username', spent.as('spent')])
    .groupBy(['notification_rules.id', 'users.username'])
    .having(sql<boolean>`${spent} >= notification_rules.threshold`)
    .limit(breachesMax)
    .execute()
  return rows.map(({ username, spent: quota, ...rule }) => ({ rule, username, spent: Number(quota) }))
}

/** What all accounts together spent and how their requests ended, since a time. */
export async function readTotals(db: Db, since: number) {
  const row = await db
    .selectFrom('usage_sums')
    .select(({ fn }) => [fn.sum('quota').as('quota'), fn.sum('served').as('served'), fn.sum('unserved').as('unserved')])
    .where('scope', '=', 'all')
    .where('name', '=', '')
    .where('hour', '>=', since)
    .executeTakeFirstOrThrow()
  return { quota: Number(row.quota ?? 0), served: Number(row.served ?? 0), unserved: Number(row.unserved ?? 0) }
}

/** Stores what a rule is breached by. @returns what it was not breached by before */
export async function addBreaches(db: Db, ruleId: number, subjects: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await db
    .insertInto('notification_breaches')
    .values(subjects.map((subject) => ({ rule_id: ruleId, subject })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('subject')
    .execute()
  return new Set(rows.map(({ subject }) => subject))
}

export async function endBreach(db: Db, ruleId: number): Promise<void> {
  await db.deleteFrom('notification_breaches').where('rule_id', '=', ruleId).execute()
}

/** Ends breaches by balances that are above the threshold again, and by the spending of earlier days. */
export async function endRecovered(db: Db, day: Day): Promise<void> {
  await db
    .deleteFrom('notification_breaches')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('notification_rules')
          .innerJoin('users', 'users.id', 'notification_breaches.subject')
          .select('users.id')
          .whereRef('notification_rules.id', '=', 'notification_breaches.rule_id')
          .where('kind', '=', 'balance')
          .whereRef('users.quota', '>=', 'notification_rules.threshold'),
      ),
    )
    .execute()
  await db
    .deleteFrom('notification_breaches')
    .where('subject', '<', day.number)
    .where('rule_id', 'in', (query) => query.selectFrom('notification_rules').select('id').where('kind', '=', 'spend'))
    .execute()
}
