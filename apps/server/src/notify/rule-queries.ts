import { userStatus } from '@sluice/contract'
import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
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
  readonly scope: NotificationRuleTable['scope']
  readonly threshold: number
  readonly hours: number
  /** Empty or 0 = all. */
  readonly model_name: string
  readonly channel_id: number
}

export interface Account {
  readonly id: number
  readonly username: string
  readonly quota: number
}

/** Breaches of one rule that one round finds. The next round finds the rest. */
export const breachesMax = 100

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
      'notification_rules.scope',
      'notification_rules.threshold',
      'notification_rules.hours',
      'notification_rules.model_name',
      'notification_rules.channel_id',
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

/** Accounts that one look covers, by id; the next look goes on behind them. */
export interface AccountRange {
  readonly after: number
  readonly upTo: number
}

/** The next accounts behind an id. @returns `null` = there are none */
export async function findAccountRange(db: Db, after: number, count: number): Promise<AccountRange | null> {
  const next = db.selectFrom('users').select('id').where('id', '>', after).orderBy('id').limit(count)
  const { last } = await db
    .selectFrom(next.as('next'))
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow()
  return last === null ? null : { after, upTo: Number(last) }
}

interface LowAccountsQuery {
  readonly range: AccountRange
  readonly below: number
  /** Only accounts that have spent since then. */
  readonly since: number
  readonly limit: number
}

/** Accounts of a range that are in use and have a low balance, by id. */
export async function listLowAccounts(db: Db, { range, below, since, limit }: LowAccountsQuery): Promise<readonly Account[]> {
  return await db
    .selectFrom('users')
    .select(['id', 'username', 'quota'])
    .where('id', '>', range.after)
    .where('id', '<=', range.upTo)
    .where('status', '=', userStatus.enabled)
    .where('quota', '<', below)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('usage_accounts').select('hour').whereRef('user_id', '=', 'users.id').where('hour', '>=', since)),
    )
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The accounts of a range that breach rules about all balances already, by rule. */
export async function listLowBreaches(db: Db, { after, upTo }: AccountRange): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const rows = await db
    .selectFrom('notification_rules')
    .innerJoin('notification_breaches', 'notification_breaches.rule_id', 'notification_rules.id')
    .select(['rule_id', 'subject'])
    .where('kind', '=', 'balance')
    .where('scope', '=', 'all')
    .where('subject', '>', after)
    .where('subject', '<=', upTo)
    .execute()
  const subjectsOf = new Map<number, Set<number>>()
  for (const { rule_id: id, subject } of rows) {
    const subjects = subjectsOf.get(id)
    if (subjects === undefined) subjectsOf.set(id, new Set([subject]))
    else subjects.add(subject)
  }
  return subjectsOf
}

/** The rules of a kind that watch the whole server and are breached by one subject. */
export async function listBreached(db: Db, kind: Kind, subject: number): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('notification_rules')
    .innerJoin('notification_breaches', 'notification_breaches.rule_id', 'notification_rules.id')
    .select('notification_rules.id')
    .where('kind', '=', kind)
    .where('scope', '=', 'all')
    .where('subject', '=', subject)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The largest subject that breaches each rule of a kind. */
export async function listNewestSubjects(db: Db, kind: Kind): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('notification_rules')
    .innerJoin('notification_breaches', 'notification_breaches.rule_id', 'notification_rules.id')
    .select(({ fn }) => ['notification_rules.id', fn.max('subject').as('subject')])
    .where('kind', '=', kind)
    .groupBy('notification_rules.id')
    .execute()
  return new Map(rows.map(({ id, subject }) => [id, Number(subject)]))
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

/** What all accounts together spent since a time. */
export async function readSpent(db: Db, since: number): Promise<number> {
  const row = await db
    .selectFrom('usage_sums')
    .select(({ fn }) => fn.sum('quota').as('quota'))
    .where('scope', '=', 'all')
    .where('name', '=', '')
    .where('hour', '>=', since)
    .executeTakeFirstOrThrow()
  return Number(row.quota ?? 0)
}

export interface HourOfEnds {
  readonly hour: number
  readonly served: number
  readonly unserved: number
}

/** How requests ended in each hour since a time: of all together, or by model or channel. A channel is named by its id. */
export async function listEnds(
  db: Db,
  scope: 'all' | 'model' | 'channel',
  since: number,
): Promise<ReadonlyMap<string, readonly HourOfEnds[]>> {
  const rows = await db
    .selectFrom('usage_sums')
    .select(['name', 'hour', 'served', 'unserved'])
    .where('scope', '=', sql.lit(scope))
    .where('hour', '>=', since)
    .execute()
  return Map.groupBy(rows, ({ name }) => name)
}

export async function listChannelNames(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('channels').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Stores what rules are breached by. @returns what they were not breached by before */
export async function addBreaches(db: Db, breaches: readonly Breach[]): Promise<readonly Breach[]> {
  return await db
    .insertInto('notification_breaches')
    .values(breaches)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['rule_id', 'subject'])
    .execute()
}

export async function endBreaches(db: Db, ruleIds: readonly number[]): Promise<void> {
  if (ruleIds.length > 0) await db.deleteFrom('notification_breaches').where('rule_id', 'in', ruleIds).execute()
}

export interface Breach {
  readonly rule_id: number
  readonly subject: number
}

/** Breaches in the order of their key, behind one of them; `isOver` = of a balance that is no longer low. */
export async function listBreachesBehind(
  db: Db,
  last: Breach,
  limit: number,
): Promise<ReadonlyArray<Breach & { readonly isOver: boolean }>> {
  const behind = db
    .selectFrom('notification_breaches')
    .select(['rule_id', 'subject'])
    .where(sql<SqlBool>`(rule_id, subject) > (${last.rule_id}, ${last.subject})`)
    .orderBy('rule_id')
    .orderBy('subject')
    .limit(limit)
  const rows = await db
    .selectFrom(behind.as('breaches'))
    .select(['rule_id', 'subject'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('notification_rules')
          .innerJoin('users', 'users.id', 'breaches.subject')
          .select('users.id')
          .whereRef('notification_rules.id', '=', 'breaches.rule_id')
          .where('kind', '=', 'balance')
          .whereRef('users.quota', '>=', 'notification_rules.threshold'),
      ).as('is_over'),
    )
    .orderBy('rule_id')
    .orderBy('subject')
    .execute()
  return rows.map(({ rule_id, subject, is_over }) => ({ rule_id, subject, isOver: Boolean(is_over) }))
}

/** Ends a breach by a balance, if that is (still) above the threshold again. */
export async function endRecovered(db: Db, { rule_id, subject }: Breach): Promise<void> {
  await db
    .deleteFrom('notification_breaches')
    .where('rule_id', '=', rule_id)
    .where('subject', '=', subject)
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
}

/** Ends breaches by the spending of earlier days. */
export async function endEarlierDays(db: Db, day: number): Promise<void> {
  await db
    .deleteFrom('notification_breaches')
    .where('subject', '<', day)
    .where('rule_id', 'in', (query) => query.selectFrom('notification_rules').select('id').where('kind', '=', 'spend'))
    .execute()
}
