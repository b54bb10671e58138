import { type ChannelLoss, lossSpanSeconds } from '@sluice/contract'
import { sql } from 'kysely'
import type { Db } from '../../db/connect.ts'

/** The channels whose requests since `now - lossSpanSeconds` cost more than was charged for them, as far as their cost is known. */
export async function listLosses(db: Db, now: number): Promise<ChannelLoss[]> {
  const rows = await db
    .selectFrom('usage_sums')
    .select(({ fn }) => ['name', fn.sum<number | string>('cost').as('cost'), fn.sum<number | string>('costed_quota').as('costed_quota')])
    .where('scope', '=', sql.lit('channel'))
    .where('hour', '>=', now - lossSpanSeconds)
    .groupBy('name')
    .having(({ eb, fn }) => eb(fn.sum('cost'), '>', fn.sum('costed_quota')))
    .execute()
  return rows.map(({ name, cost, costed_quota }) => ({ channel: Number(name), cost: Number(cost), costed_quota: Number(costed_quota) }))
}
