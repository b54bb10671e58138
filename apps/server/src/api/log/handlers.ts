import { contract, type LogRow } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { type Clock, nowSeconds, utcTime } from '../../lib/clock.ts'
import type { Audit } from '../audit.ts'
import { implement } from '../implement.ts'
import { mayDeleteAudit } from '../may.ts'
import { chargesOf } from './charges.ts'
import { cleanLog } from './clean.ts'
import { listLogs, searchLogs } from './queries.ts'
import { listSeries, type SeriesQuery } from './series-queries.ts'
import { bucketSeconds, seriesSpan } from './series-span.ts'
import { totalsOf } from './totals.ts'
import type { Usage } from './usage.ts'

interface LogDeps {
  readonly db: Db
  readonly clock: Clock
  readonly usage: Usage
  readonly audit: Audit
}

type Stored = Awaited<ReturnType<typeof listLogs>>[number]

function toRow({ channel_id, elapsed_ms, first_byte_ms, is_stream, estimated, usage_suspect, detail, ...row }: Stored): LogRow {
  return {
    ...row,
    channel: channel_id,
    elapsed_time: elapsed_ms,
    first_byte_time: first_byte_ms,
    is_stream: is_stream === 1,
    estimated: estimated === 1,
    usage_suspect: usage_suspect === 1,
    charges: chargesOf(detail),
  }
}

/** Filters that are not the caller's to choose in their own log. */
const everybody = { userId: null }
const own = (userId: number) => ({ userId, username: '', channel: 0 })

interface SeriesWish {
  readonly start_timestamp: number
  readonly end_timestamp: number
  readonly bucket: keyof typeof bucketSeconds
  readonly utc_offset: number
  readonly group: SeriesQuery['group']
}

export const logApi = ({ db, clock, usage, audit }: LogDeps) => {
  async function totals(filters: Parameters<typeof totalsOf>[1]) {
    await usage.catchUp()
    return await totalsOf(db, filters, nowSeconds(clock))
  }

  async function series({ bucket, utc_offset, group, ...span }: SeriesWish, filters: SeriesQuery['filters']) {
    await usage.catchUp()
    const utcOffset = bucket === 'day' ? utc_offset * 60 : 0
    const whole = seriesSpan({ ...span, bucket }, nowSeconds(clock))
    return [...(await listSeries(db, { filters, group, span: whole, bucket: bucketSeconds[bucket], utcOffset }))]
  }

  return implement(contract.log, {
    list: async ({ p, ...filters }) => (await listLogs(db, { ...filters, ...everybody }, p)).map(toRow),
    listSelf: async ({ p, ...filters }, caller) => (await listLogs(db, { ...filters, ...own(caller.id) }, p)).map(toRow),
    search: async ({ keyword }) => (await searchLogs(db, null, keyword)).map(toRow),
    searchSelf: async ({ keyword }, caller) => (await searchLogs(db, caller.id, keyword)).map(toRow),
    stat: (filters) => totals({ ...filters, ...everybody }),
    statSelf: (filters, caller) => totals({ ...filters, ...own(caller.id) }),
    series: (wish) => series(wish, { ...wish, ...everybody }),
    seriesSelf: (wish, caller) => series(wish, { ...wish, ...own(caller.id) }),

    async remove({ target_timestamp }, caller) {
      await usage.catchUp()
      const until = Math.min(target_timestamp, nowSeconds(clock))
      const count = await cleanLog(db, { until, withAudit: mayDeleteAudit(caller) })
      await audit({ actor: caller, says: 'log_cleaned', params: { count, until: utcTime(until) } })
      return count
    },
  })
}
