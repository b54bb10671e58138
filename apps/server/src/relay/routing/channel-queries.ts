import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'

/** Channels by their ids; those that do not exist are left out. */
export async function listChannels(db: Db, ids: readonly number[]) {
  return await db
    .selectFrom('channels')
    .select([
      'id',
      'type',
      'name',
      'key_sealed',
      'status',
      'weight',
      'priority',
      'base_url',
      'other',
      'config_sealed',
      'models',
      'groups',
      'model_mapping',
      'settings_sealed',
    ])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute()
}

/** The size of every channel: the bytes of its longest columns, which the database knows without reading them. */
export async function listChannelSizes(db: Db): Promise<ReadonlyArray<{ readonly id: number; readonly bytes: number }>> {
  return await db
    .selectFrom('channels')
    .select([
      'id',
      sql<number>`octet_length(models) + octet_length(model_mapping) + octet_length(settings_sealed) + octet_length(config_sealed)`.as(
        'bytes',
      ),
    ])
    .orderBy('id')
    .execute()
}
