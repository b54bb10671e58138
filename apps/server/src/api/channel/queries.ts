import { pageSize } from '@sluice/contract'
import type { Insertable, Updateable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { containsText } from '../../db/contains-text.ts'
import type { ChannelTable } from '../../db/schema.ts'
import { searchMax } from '../../lib/like.ts'

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
  'used_quota',
  'model_mapping',
  'config_sealed',
] as const

export type StoredChannel = NonNullable<Awaited<ReturnType<typeof findChannel>>>

export async function listChannels(db: Db, p: number) {
  return await db
    .selectFrom('channels')
    .select(columns)
    .orderBy('id', 'desc')
    .limit(pageSize)
    .offset(p * pageSize)
    .execute()
}

/** By id or by a part of the name. */
export async function searchChannels(db: Db, keyword: string) {
  const id = /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0
  return await db
    .selectFrom('channels')
    .select(columns)
    .where((build) => build.or([build('id', '=', id), containsText('name', keyword)]))
    .orderBy('id', 'desc')
    .limit(searchMax)
    .execute()
}

export async function findChannel(db: Db, id: number) {
  return await db.selectFrom('channels').select(columns).where('id', '=', id).executeTakeFirst()
}

/** All or none. */
export async function insertChannels(db: Db, channels: readonly Insertable<ChannelTable>[]): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const channel of channels) await tx.insertInto('channels').values(channel).execute()
  })
}

export async function updateChannel(db: Db, id: number, change: Updateable<ChannelTable>): Promise<void> {
  if (Object.keys(change).length === 0) return
  await db.updateTable('channels').set(change).where('id', '=', id).execute()
}

export async function deleteChannel(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('channels').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
