import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { isPostgres } from '../../db/is-postgres.ts'
import { chartColumns } from '../../db/usage-columns.ts'
import { columnFilters, type FilterColumn, matchesUsage, type Span, type UsageFilters } from './usage-rows.ts'

export interface UsageQuery {
  readonly filters: UsageFilters
  /** What the rows are grouped by in addition: the lines of a chart. */
  readonly group: '' | 'model' | 'token' | 'channel' | 'user'
  /** Whole hours. */
  readonly span: Span
  /** The only accounts whose rows are needed, if they are known: the table may be searched for them. */
  readonly users?: readonly number[]
}

/** Key columns of the lines of each group: tokens of two users with the same name are two lines. */
const groupColumns = {
  '': [],
  model: ['model_name'],
  channel: ['channel_id'],
  token: ['user_id', 'token_name'],
  user: ['user_id'],
} as const

/** The columns behind `one` and `other` for each scope of `usage_pairs`. */
const pairColumns = {
  'token-model': ['token_name', 'model_name'],
  'token-channel': ['token_name', 'channel_id'],
  'model-channel': ['model_name', 'channel_id'],
  'user-model': ['user_id', 'model_name'],
} as const

type Source =
  | { readonly table: 'sums'; readonly scope: 'all' | 'model' | 'channel' | 'token' }
  | { readonly table: 'pairs'; readonly scope: keyof typeof pairColumns }
  | { readonly table: 'accounts' | 'hours' }

/** The table with the fewest rows that has the columns of a query, by these columns. */
const sources: Readonly<Record<string, Source>> = {
  '': { table: 'sums', scope: 'all' },
  model_name: { table: 'sums', scope: 'model' },
  channel_id: { table: 'sums', scope: 'channel' },
  token_name: { table: 'sums', scope: 'token' },
  'token_name model_name': { table: 'pairs', scope: 'token-model' },
  'token_name channel_id': { table: 'pairs', scope: 'token-channel' },
  'channel_id model_name': { table: 'pairs', scope: 'model-channel' },
  'user_id model_name': { table: 'pairs', scope: 'user-model' },
  user_id: { table: 'accounts' },
  'user_id token_name': { table: 'accounts' },
}

const columnOrder: readonly FilterColumn[] = ['user_id', 'username', 'token_name', 'channel_id', 'model_name']

function sourceOf({ filters, group }: Pick<UsageQuery, 'filters' | 'group'>): Source {
  const needed = new Set<FilterColumn>([...columnFilters(filters).map(([column]) => column), ...groupColumns[group]])
  return sources[columnOrder.filter((column) => needed.has(column)).join(' ')] ?? { table: 'hours' }
}

/** Matching usage of whole hours, as a table named `usage`. */
export function usageRows(db: Db, query: UsageQuery) {
  const source = sourceOf(query)
  switch (source.table) {
    case 'sums':
      return sumsOf(db, source.scope, query).as('usage')
    case 'pairs':
      return pairsOf(db, source.scope, query).as('usage')
    case 'accounts':
      return accountsOf(db, query).as('usage')
    case 'hours':
      return hoursOf(db, query).as('usage')
  }
}

/** Whether a query is about all accounts. These have many hourly rows, so their ranking is read from longer spans (`accountSpans`). */
export function isOfAllAccounts(query: UsageQuery): boolean {
  return sourceOf(query).table === 'accounts' && query.filters.userId === null
}

const noId = sql<number>`0`
const noName = sql<string>`''`

/** The key of a row of `usage_hours`, which each of its indexes holds whole on SQLite. */
const hourKey = ['hour', 'user_id', 'username', 'token_name', 'model_name', 'channel_id'] as const

function hoursOf(db: Db, query: UsageQuery) {
  const { filters, span } = query
  const { from, to } = span
  if (!isPostgres(db) && isOfAccountAndMore(filters)) return matchingHours(db, query)
  return db
    .selectFrom('usage_hours')
    .select(['hour', 'user_id', 'token_name', 'model_name', 'channel_id', ...chartColumns])
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .where((build) => matchesUsage(build, filters, isPostgres(db) ? 'each' : undefined))
}

/** An index finds the rows of the account. Reading them all for the other filters takes ten times as long as looking at their keys. */
const isOfAccountAndMore = (filters: UsageFilters): boolean =>
  (filters.userId !== null || filters.username !== '') && columnFilters(filters).length > 1

function matchingHours(db: Db, { filters, span: { from, to } }: UsageQuery) {
  const keys = db
    .selectFrom('usage_hours')
    .select(hourKey)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .where((build) => matchesUsage(build, filters))
  return (
    db
      .selectFrom(keys.as('found'))
      // SQLite reads the tables of a cross join in their order.
      .crossJoin('usage_hours')
      .select(
        (['hour', 'user_id', 'token_name', 'model_name', 'channel_id', ...chartColumns] as const).map(
          (column) => `usage_hours.${column}` as const,
        ),
      )
      .where((build) => build.and(hourKey.map((column) => build(`usage_hours.${column}`, '=', build.ref(`found.${column}`)))))
  )
}

function accountsOf(db: Db, { filters: { userId, token_name }, span: { from, to } }: UsageQuery) {
  return db
    .selectFrom('usage_accounts')
    .select(['hour', 'user_id', 'token_name', noName.as('model_name'), noId.as('channel_id'), ...chartColumns])
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? 0))
    .$if(token_name !== '', (query) => query.where('token_name', '=', token_name))
}

/** Ids are numbers in the log and text in the sums. */
const numberIn = (column: 'name' | 'one' | 'other') => sql<number>`CAST(${sql.ref(column)} AS BIGINT)`

function sumsOf(db: Db, scope: 'all' | 'model' | 'channel' | 'token', { filters, span: { from, to } }: UsageQuery) {
  const name = columnFilters(filters)[0]?.[1] ?? null
  return (
    db
      .selectFrom('usage_sums')
      .select([
        'hour',
        noId.as('user_id'),
        'name as token_name',
        'name as model_name',
        (scope === 'channel' ? numberIn('name') : noId).as('channel_id'),
        ...chartColumns,
      ])
      .where('hour', '>=', from)
      .where('hour', '<', to)
      .$if(name === null, (query) => query.where('scope', '=', sql.lit(scope)))
      // COALESCE keeps SQLite from using the primary key for the scope, which would read all names.
      .$if(name !== null, (query) => query.where('name', '=', String(name)).where(sql<boolean>`COALESCE(scope, scope) = ${sql.lit(scope)}`))
  )
}

/** The half of a pair for this column; a column that is not in the pair gets its empty value. */
function half(scope: keyof typeof pairColumns, column: FilterColumn) {
  const place = pairColumns[scope][0] === column ? 'one' : pairColumns[scope][1] === column ? 'other' : null
  const isNumber = column === 'user_id' || column === 'channel_id'
  if (place === null) return isNumber ? noId : noName
  return isNumber ? numberIn(place) : sql.ref<string>(place)
}

const modelsOf = (db: Db, { from, to }: Span) =>
  db
    .selectFrom('usage_sums')
    .select('name')
    .distinct()
    .where('scope', '=', sql.lit('model'))
    .where('hour', '>=', from)
    .where('hour', '<', to)

function pairsOf(db: Db, scope: keyof typeof pairColumns, { filters, span: { from, to }, users }: UsageQuery) {
  const valueByColumn = new Map(columnFilters(filters))
  const [one, other] = pairColumns[scope].map((column) => valueByColumn.get(column))
  return (
    db
      .selectFrom('usage_pairs')
      .select([
        'hour',
        half(scope, 'user_id').$castTo<number>().as('user_id'),
        half(scope, 'token_name').$castTo<string>().as('token_name'),
        half(scope, 'model_name').$castTo<string>().as('model_name'),
        half(scope, 'channel_id').$castTo<number>().as('channel_id'),
        ...chartColumns,
      ])
      .where('scope', '=', sql.lit(scope))
      .where('hour', '>=', from)
      .where('hour', '<', to)
      .$if(one !== undefined, (query) => query.where('one', '=', String(one)))
      // The index begins with the first half: there are few models, so each of them is searched. Accounts have an index by model.
      .$if(one === undefined && scope !== 'user-model', (query) => query.where('one', 'in', modelsOf(db, { from, to })))
      .$if(users !== undefined, (query) => query.where('one', 'in', (users ?? []).map(String)))
      .$if(other !== undefined, (query) => query.where('other', '=', String(other)))
  )
}
