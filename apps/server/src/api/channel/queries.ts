import { channelStatus, channelTestsKept, role, userStatus } from '@sluice/contract'
import { type DeleteQueryBuilder, type DeleteResult, type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { containsText, listContains } from '../../db/contains-text.ts'
import { exactFirst, idIn } from '../../db/exact-first.ts'
import { onePage, type Page } from '../../db/one-page.ts'
import type { ChannelTable, Schema } from '../../db/schema.ts'
import type { Seal } from '../../lib/seal.ts'

const columns = [
  'id',
  'type',
  'status',
  'name',
  'weight',
  'priority',
  'created_time',
  'test_time',
  'response_time',
  'base_url',
  'other',
  'balance',
  'balance_updated_time',
  'models',
  'groups',
  'tag',
  'model_mapping',
  'key_sealed',
  'config_sealed',
  'settings_sealed',
] as const

export type StoredChannel = NonNullable<Awaited<ReturnType<typeof findChannel>>>

/** 0 and empty mean all. */
interface Filters {
  readonly status: number
  readonly type: number
  readonly group: string
}

export async function listChannels(db: Db, query: Page & Filters) {
  return await onePage(filtered(selectChannels(db), query), 'channels', { page: query, order: ['id'] }).execute()
}

/** By id or by a part of the name or the tag. */
export async function searchChannels(db: Db, { keyword, ...query }: Page & Filters & { readonly keyword: string }) {
  const id = idIn(keyword)
  const all = filtered(selectChannels(db), query)
  const exact = id === null ? undefined : await all.where('id', '=', id).executeTakeFirst()
  const matches = matching(all, keyword)
  const others = exact === undefined ? matches : matches.where('id', '<>', exact.id)
  return await exactFirst({
    page: query,
    exact,
    others: async (page) => await onePage(others, 'channels', { page, order: ['id'] }).execute(),
  })
}

/** Ids of what the list or the search finds, newest first. */
export async function listChannelIds(db: Db, { keyword, ...filters }: Filters & { readonly keyword: string }, limit: number) {
  const listed = filtered(selectChannels(db), filters)
  const matches = (keyword === '' ? listed : matching(listed, keyword)).clearSelect().select('id')
  return (await matches.orderBy('id', 'desc').limit(limit).execute()).map(({ id }) => id)
}

/** Newest first. */
export async function listSealed(db: Db, ids: readonly number[]) {
  return await selectChannels(db).where('id', 'in', ids).orderBy('id', 'desc').execute()
}

/** Which of these names channels have. */
export async function listTakenNames(db: Db, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const rows = await db.selectFrom('channels').select('name').distinct().where('name', 'in', names).execute()
  return new Set(rows.map(({ name }) => name))
}

export async function findChannel(db: Db, id: number) {
  return await selectChannels(db).where('id', '=', id).executeTakeFirst()
}

/** A group is one item of the list of a channel, in its own case. */
function filtered(channels: ReturnType<typeof selectChannels>, { group, ...numbers }: Filters) {
  const columns = (['status', 'type'] as const).filter((column) => numbers[column] !== 0)
  const matches = columns.reduce((query, column) => query.where(column, '=', numbers[column]), channels)
  return group === '' ? matches : matches.where(listContains('groups', group))
}

function matching(channels: ReturnType<typeof selectChannels>, keyword: string) {
  const id = idIn(keyword) ?? 0
  return channels.where((build) => build.or([build('id', '=', id), containsText('name', keyword), containsText('tag', keyword)]))
}

function selectChannels(db: Db) {
  return (
    db
      .selectFrom('channels')
      // A channel whose row of usage is lost is shown too.
      .leftJoin('channel_usage', 'channel_usage.channel_id', 'channels.id')
      .select(columns)
      .select(({ fn, lit }) => fn.coalesce('channel_usage.used_quota', lit(0)).as('used_quota'))
  )
}

/** Rows of one statement. Nothing else uses SQLite's connection before the transaction ends, so a thousand rows should take few statements. */
const insertedAtOnce = 100

/** A channel and its key, which is sealed for the id that the channel gets. */
export interface KeyedChannel {
  readonly row: Omit<Insertable<ChannelTable>, 'key_sealed'>
  readonly key: string
}

export function sealChannelKey(seal: Seal, id: number, key: string): string {
  return seal.seal(key, seal.rowPurpose('channel-key', id))
}

/** In a transaction. @returns their ids, ascending */
export async function insertChannels(db: Db, seal: Seal, channels: readonly KeyedChannel[]): Promise<readonly number[]> {
  const ids: number[] = []
  for (let from = 0; from < channels.length; from += insertedAtOnce) {
    const some = channels.slice(from, from + insertedAtOnce)
    const rows = await db
      .insertInto('channels')
      .values(some.map(({ row }) => ({ ...row, key_sealed: '' })))
      .returning('id')
      .execute()
    // Ids are given in the order of the rows, which `returning` need not have.
    const added = rows.map(({ id }) => id).sort((one, other) => one - other)
    await saveKeys(
      db,
      added.map((id, index) => ({ id, sealed: sealChannelKey(seal, id, some[index]?.key ?? '') })),
    )
    await db
      .insertInto('channel_usage')
      .values(added.map((id) => ({ channel_id: id })))
      .execute()
    ids.push(...added)
  }
  return ids
}

async function saveKeys(db: Db, keys: ReadonlyArray<{ readonly id: number; readonly sealed: string }>): Promise<void> {
  const branches = sql.join(
    keys.map(({ id, sealed }) => sql`WHEN ${id} THEN ${sealed}`),
    sql` `,
  )
  await db
    .updateTable('channels')
    .set({ key_sealed: sql<string>`CASE id ${branches} END` })
    .where(
      'id',
      'in',
      keys.map(({ id }) => id),
    )
    .execute()
}

export async function updateChannel(db: Db, id: number, change: Updateable<ChannelTable>): Promise<void> {
  if (Object.keys(change).length === 0) return
  await db.updateTable('channels').set(change).where('id', '=', id).execute()
}

/** In a transaction: with its usage and tests. The channel goes first: this waits for a test that is being saved and locks its row. */
export async function deleteChannel(db: Db, id: number): Promise<boolean> {
  return (await deleteChannels(db, (channels) => channels.where('id', '=', id))).length > 0
}

/** In a transaction. @returns the ids of the deleted channels */
/** @param keptType the type of channels that stay; `null` = none */
export async function deleteDisabled(db: Db, keptType: number | null): Promise<readonly number[]> {
  const statuses = [channelStatus.disabled, channelStatus.autoDisabled]
  return await deleteChannels(db, (channels) => {
    const disabled = channels.where('status', 'in', statuses)
    return keptType === null ? disabled : disabled.where('type', '<>', keptType)
  })
}

type Deletion = DeleteQueryBuilder<Schema, 'channels', DeleteResult>

async function deleteChannels(db: Db, which: (channels: Deletion) => Deletion): Promise<readonly number[]> {
  const deleted = (await which(db.deleteFrom('channels')).returning('id').execute()).map(({ id }) => id)
  // A few hundred at a time: databases limit the number of values of one statement.
  for (let from = 0; from < deleted.length; from += 500) {
    const ids = deleted.slice(from, from + 500)
    await db.deleteFrom('channel_usage').where('channel_id', 'in', ids).execute()
    await db.deleteFrom('channel_tests').where('channel_id', 'in', ids).execute()
  }
  return deleted
}

/** Newest first. */
export async function scopeIds(
  db: Db,
  { statuses, types }: { readonly statuses: readonly number[]; readonly types?: readonly number[] },
): Promise<readonly number[]> {
  const inScope = db.selectFrom('channels').select('id').where('status', 'in', statuses)
  const query = types === undefined ? inScope : inScope.where('type', 'in', types)
  return (await query.orderBy('id', 'desc').execute()).map(({ id }) => id)
}

/** The state of a channel before its test. */
export async function findTestable(db: Db, id: number) {
  return await db.selectFrom('channels').select(['id', 'name', 'status', 'key_sealed']).where('id', '=', id).executeTakeFirst()
}

/** Changes the status of a channel if status and key are still the given ones. @returns its name; `null` = it was changed meanwhile */
export async function moveStatus(
  db: Db,
  { id, keySealed }: { readonly id: number; readonly keySealed: string },
  status: { readonly from: number; readonly to: number },
): Promise<string | null> {
  const moved = await db
    .updateTable('channels')
    .set({ status: status.to })
    .where('id', '=', id)
    .where('status', '=', status.from)
    .where('key_sealed', '=', keySealed)
    .returning('name')
    .executeTakeFirst()
  return moved?.name ?? null
}

export async function saveBalance(
  db: Db,
  id: number,
  { balance, atSeconds }: { readonly balance: number; readonly atSeconds: number },
): Promise<void> {
  await db.updateTable('channels').set({ balance, balance_updated_time: atSeconds }).where('id', '=', id).execute()
}

interface SavedTest {
  readonly isOk: boolean
  readonly elapsedMs: number
  readonly model: string
  readonly message: string
  /** Seconds. */
  readonly at: number
}

/** In a transaction: writes the channel and its history, of which the last few are kept. A failed test has no response time. */
export async function saveTest(db: Db, id: number, { isOk, elapsedMs, model, message, at }: SavedTest): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('channels')
    .set({ response_time: isOk ? elapsedMs : 0, test_time: at })
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return
  await db
    .insertInto('channel_tests')
    .values({ channel_id: id, created_time: at, model, passed: isOk ? 1 : 0, elapsed_ms: elapsedMs, message })
    .execute()
  const oldest = await db
    .selectFrom('channel_tests')
    .select('id')
    .where('channel_id', '=', id)
    .orderBy('id', 'desc')
    .offset(channelTestsKept)
    .limit(1)
    .executeTakeFirst()
  if (oldest !== undefined) await db.deleteFrom('channel_tests').where('channel_id', '=', id).where('id', '<=', oldest.id).execute()
}

/** Newest first. */
export async function listTests(db: Db, channelIds: readonly number[]) {
  if (channelIds.length === 0) return []
  return await db
    .selectFrom('channel_tests')
    .select(['channel_id', 'created_time', 'model', 'passed', 'elapsed_ms', 'message'])
    .where('channel_id', 'in', channelIds)
    .orderBy('id', 'desc')
    .execute()
}

/** Every channel with the result of its last test (`null` = it has none), newest first. */
export async function listBoard(db: Db, limit: number) {
  return await db
    .selectFrom('channels')
    .select(['id', 'name', 'status'])
    .select(({ selectFrom }) =>
      selectFrom('channel_tests')
        .select('passed')
        .whereRef('channel_tests.channel_id', '=', 'channels.id')
        .orderBy('channel_tests.id', 'desc')
        .limit(1)
        .as('passed'),
    )
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Channels whose addresses a check of all of them reads. */
const enabledMax = 1_000

/** Where channels send their requests, in the order of their ids. */
export async function listTargets(db: Db, afterId: number, limit: number) {
  const targets = db.selectFrom('channels').select(['id', 'type', 'base_url', 'settings_sealed'])
  return await targets.where('id', '>', afterId).orderBy('id').limit(limit).execute()
}

/** Enabled channels whose vendors can be called, in the order of their ids. */
export async function listEnabledTargets(db: Db) {
  const targets = db.selectFrom('channels').select(['id', 'type', 'base_url', 'settings_sealed'])
  return await targets.where('status', '=', channelStatus.enabled).orderBy('id').limit(enabledMax).execute()
}

/** Channels of one type, in the order of their ids. */
export async function listOfType(db: Db, type: number, limit: number) {
  const channels = db.selectFrom('channels').select(['id', 'name', 'settings_sealed'])
  return await channels.where('type', '=', type).orderBy('id').limit(limit).execute()
}

/** Up to two: whether there is more than one is all that matters. */
export async function countAdministrators(db: Db): Promise<number> {
  const administrators = db.selectFrom('users').select('id').where('role', '>=', sql.lit(role.admin))
  return (await administrators.where('status', '<>', userStatus.deleted).limit(2).execute()).length
}
