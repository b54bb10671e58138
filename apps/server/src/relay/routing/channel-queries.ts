import type { Db } from '../../db/connect.ts'

export async function listChannels(db: Db) {
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
    .orderBy('id')
    .execute()
}
