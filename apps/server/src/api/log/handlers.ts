import { type AdminLogRow, adminLogRow, codedMessageText, contract, type ExportFormat, logRow, plainParams } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { createHorizon } from '../../db/horizon.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds, utcTime } from '../../lib/clock.ts'
import type { Audit } from '../audit.ts'
import { mayDeleteAudit, mayReadRouting } from '../authorize.ts'
import { exportFile, stepBehind } from '../export-file.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import type { BucketQuery } from './buckets.ts'
import { cleanLog } from './clean.ts'
import { detailOf } from './detail.ts'
import { logFileColumns } from './export.ts'
import { byAccount } from './filter-queries.ts'
import type { LogCopies } from './log-copies.ts'
import { listLosses } from './loss-queries.ts'
import { findLog, type LogFilters, listLogs, listNewLogs, searchLogs } from './queries.ts'
import { listSeries, type SeriesQuery } from './series-queries.ts'
import { type Bucket, seriesSpan } from './series-span.ts'
import { listTimes, type TimesQuery } from './times-queries.ts'
import { totalsOf } from './totals.ts'
import type { Usage } from './usage.ts'
import { fixedDays, zoneDays } from './zone-days.ts'

interface LogDeps {
  readonly db: Db
  readonly reads: Db
  readonly clock: Clock
  readonly usage: Usage
  readonly logCopies: Pick<LogCopies, 'copiedUpTo'>
  readonly audit: Audit
}

type Stored = Awaited<ReturnType<typeof listLogs>>[number]

type ToRow = (stored: Stored) => AdminLogRow

const toRow =
  ({ language }: Visit): ToRow =>
  ({ channel_id, elapsed_ms, first_byte_ms, is_stream, estimated, usage_suspect, detail, content, ...row }) => {
    const { charges, failedAttempts, message, actorId, taskId, event, protocol, kind, rewrites } = detailOf(detail)
    return {
      ...row,
      content: message === null ? content : codedMessageText(message, language),
      code: message?.code ?? '',
      params: message === null ? {} : plainParams(message.params, language),
      actor_id: actorId,
      task_id: taskId,
      event,
      channel: channel_id,
      elapsed_time: elapsed_ms,
      first_byte_time: first_byte_ms,
      is_stream: is_stream === 1,
      estimated: estimated === 1,
      usage_suspect: usage_suspect === 1,
      protocol,
      kind,
      charges,
      rewrites,
      failed_attempts: failedAttempts,
    }
  }

/** Hidden from ordinary users: the channel that responded, its name for the model, and the number of attempts. */
const servedBy = { channel: 0, upstream_model: '', attempts: 0 }

/** A row of the caller's own log. */
const toOwnRow =
  (caller: Caller, visit: Visit): ToRow =>
  (stored) => {
    const row = toRow(visit)(stored)
    return mayReadRouting(caller) ? row : { ...row, ...servedBy }
  }

/** Filters that callers cannot set in their own log. */
const everybody = { userId: null }
const own = (userId: number) => ({ userId, username: '', channel: 0 })

interface FileParams {
  readonly columns: string
  readonly zone: string
  readonly format: ExportFormat
}

interface SpanParams {
  readonly start_timestamp: number
  readonly end_timestamp: number
  readonly bucket: Bucket
  readonly zone: string
  readonly utc_offset: number
}

interface SeriesParams extends SpanParams {
  readonly group: SeriesQuery['group']
  readonly lines: SeriesQuery['lines']
}

export const logApi = ({ db, reads, clock, usage, logCopies, audit }: LogDeps) => {
  const horizon = createHorizon(reads, 'logs')

  async function one(id: number, userId: number | null): Promise<Stored> {
    const row = await findLog(reads, id, userId)
    if (row === undefined) throw new AppError('not_found', { messageKey: 'no_such_log' })
    return row
  }

  async function totals(filters: Parameters<typeof totalsOf>[1]) {
    await usage.catchUp()
    return await totalsOf(reads, await byAccount(reads, filters), nowSeconds(clock))
  }

  function bucketsOf({ bucket, zone, utc_offset, ...params }: SpanParams): BucketQuery {
    const span = seriesSpan({ ...params, bucket }, nowSeconds(clock))
    const { start_timestamp, end_timestamp } = params
    const last = end_timestamp > 0 ? Math.min(end_timestamp, span.to - 1) : span.to - 1
    const range = { from: Math.max(start_timestamp, span.from), to: Math.max(last, span.from) }
    if (bucket === 'hour') return { span, range, days: null }
    return { span, range, days: zone === '' ? fixedDays(utc_offset * 60) : zoneDays(zone, span) }
  }

  async function series({ group, lines, ...params }: SeriesParams, filters: SeriesQuery['filters']) {
    await usage.catchUp()
    return [...(await listSeries(reads, { ...bucketsOf(params), filters: await byAccount(reads, filters), group, lines }))]
  }

  async function times(params: SpanParams, of: Pick<TimesQuery, 'scope' | 'name'>) {
    await usage.catchUp()
    return [...(await listTimes(reads, { ...bucketsOf(params), ...of }))]
  }

  /** The account that has or had a name; of several, none is meant. */
  async function timesOfUser(params: SpanParams, username: string) {
    const { userId } = await byAccount(reads, { userId: null, username, token_name: '', model_name: '', channel: 0 })
    return userId === null ? [] : await times(params, { scope: 'user', name: String(userId) })
  }

  async function file({ columns, zone, format, ...filters }: LogFilters & FileParams, { language }: Visit, render: ToRow) {
    const seesAll = filters.userId === null
    return await exportFile({
      ...{ name: 'log', format, columnIds: columns, columns: logFileColumns({ zone, language, seesAll }) },
      plain: (row) => (seesAll ? adminLogRow : logRow).parse(row),
      next: async (last) => {
        // No row behind one has a later time: said as a filter too, it is where the reading of the index begins.
        const further = last === null ? filters : { ...filters, end_timestamp: last.created_at }
        return (await listLogs(reads, further, stepBehind(last))).map(render)
      },
    })
  }

  async function tail({ since, ...filters }: LogFilters & { readonly since: number }, render: ToRow) {
    // The position is read first: a row that is written meanwhile is in the response to the next call.
    const last = await horizon.settled()
    return { rows: (await listNewLogs(reads, filters, { after: since, upTo: last })).map(render), last }
  }

  return implement(contract.log, {
    list: async ({ p, after, size, ...filters }, _caller, visit) =>
      (await listLogs(reads, { ...filters, ...everybody }, { p, after, size })).map(toRow(visit)),
    listSelf: async ({ p, after, size, ...filters }, caller, visit) =>
      (await listLogs(reads, { ...filters, ...own(caller.id) }, { p, after, size })).map(toOwnRow(caller, visit)),
    search: async (query, _caller, visit) => (await searchLogs(reads, null, query)).map(toRow(visit)),
    searchSelf: async (query, caller, visit) => (await searchLogs(reads, caller.id, query)).map(toOwnRow(caller, visit)),
    export: (params, _caller, visit) => file({ ...params, ...everybody }, visit, toRow(visit)),
    exportSelf: (params, caller, visit) => file({ ...params, ...own(caller.id) }, visit, toOwnRow(caller, visit)),
    tail: (params, _caller, visit) => tail({ ...params, ...everybody }, toRow(visit)),
    tailSelf: (params, caller, visit) => tail({ ...params, ...own(caller.id) }, toOwnRow(caller, visit)),
    read: async ({ id }, _caller, visit) => toRow(visit)(await one(id, null)),
    readSelf: async ({ id }, caller, visit) => toOwnRow(caller, visit)(await one(id, caller.id)),
    stat: (filters) => totals({ ...filters, ...everybody }),
    statSelf: (filters, caller) => totals({ ...filters, ...own(caller.id) }),
    series: (params) => series(params, { ...params, ...everybody }),
    seriesSelf: (params, caller) => series(params, { ...params, ...own(caller.id) }),
    async losses() {
      await usage.catchUp()
      return await listLosses(reads, nowSeconds(clock))
    },
    times: async ({ of, name, ...params }) =>
      of === 'user' ? await timesOfUser(params, name) : await times(params, of === '' ? { scope: 'all', name: '' } : { scope: of, name }),
    timesSelf: (params, caller) => times(params, { scope: 'user', name: String(caller.id) }),

    async remove({ target_timestamp }, caller) {
      await usage.catchUp()
      const until = Math.min(target_timestamp, nowSeconds(clock))
      const count = await cleanLog(db, {
        until,
        withAudit: mayDeleteAudit(caller),
        copiedUpTo: logCopies.copiedUpTo,
        // Rows are deleted in steps: the audit row is written first, because a later step may fail.
        alsoWrite: (tx) => audit({ actor: caller, messageKey: 'log_cleaning', params: { until: utcTime(until) } }, tx),
      })
      await audit({ actor: caller, messageKey: 'log_cleaned', params: { count, until: utcTime(until) } })
      return count
    },
  })
}
