import { contract, type LogRow } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { implement } from '../implement.ts'
import { listLogs, sumLogs } from './queries.ts'

type Stored = Awaited<ReturnType<typeof listLogs>>[number]

function toRow({ channel_id, elapsed_ms, first_byte_ms, is_stream, estimated, ...row }: Stored): LogRow {
  return {
    ...row,
    channel: channel_id,
    elapsed_time: elapsed_ms,
    first_byte_time: first_byte_ms,
    is_stream: is_stream === 1,
    estimated: estimated === 1,
  }
}

/** Filters that are not the caller's to choose in their own log. */
const everybody = { userId: null }
const own = (userId: number) => ({ userId, username: '', channel: 0 })

export const logApi = ({ db }: { readonly db: Db }) =>
  implement(contract.log, {
    list: async ({ p, ...filters }) => (await listLogs(db, { ...filters, ...everybody }, p)).map(toRow),
    listSelf: async ({ p, ...filters }, caller) => (await listLogs(db, { ...filters, ...own(caller.id) }, p)).map(toRow),
    stat: (filters) => sumLogs(db, { ...filters, ...everybody }),
    statSelf: (filters, caller) => sumLogs(db, { ...filters, ...own(caller.id) }),
  })
