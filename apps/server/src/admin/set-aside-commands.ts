import { setTimeout } from 'node:timers/promises'
import { setAsideRemarkMax } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { openForChanges } from '../db/open-beside.ts'
import { storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { readOperation } from '../ledger/set-aside.ts'
import { type AsideRow, decide, findAside, listAsides } from '../ledger/set-aside-queries.ts'
import { utcTime } from '../lib/clock.ts'
import { UsageError } from './usage-error.ts'

/** Longest wait for a server that carries a decision out. They look every two seconds. */
const waitMs = 10_000
const lookEveryMs = 250
const listedMax = 1_000

/** Lists what the ledger has set aside, or leaves a decision on one of it to the servers: only they may end a reservation. */
export async function setAside(env: Env, [what, ...args]: readonly string[]): Promise<readonly string[]> {
  const work = what === undefined ? list : what === 'retry' ? retry : what === 'resolve' ? resolve : null
  if (work === null) throw new UsageError()
  const { db, close } = await openForChanges(storePlace(env))
  try {
    return await work(db, args)
  } finally {
    await close()
  }
}

async function list(db: Db): Promise<readonly string[]> {
  const rows = await listAsides(db, { state: 'open', p: 0, after: 0, size: listedMax })
  if (rows.length === 0) return ['Nothing is set aside.']
  return [
    ['id', 'time', 'request', 'user', 'kind', 'amount', 'held', 'attempts', 'error'].join('\t'),
    ...rows.map((row) =>
      [row.id, utcTime(row.created_at), row.request_id, row.user_id, row.kind, row.amount, row.held, row.tries]
        .concat(`${row.error_code} ${row.error_message}`)
        .join('\t'),
    ),
  ]
}

async function retry(db: Db, [id, ...more]: readonly string[]): Promise<readonly string[]> {
  if (more.length > 0) throw new UsageError()
  const row = await findOpen(db, id)
  if (readOperation(row.operation) === null) throw new Error('the operation was too large to be stored in full; resolve it with an amount')
  return await leave(db, row, { decision: 'retry', charge: row.amount, remark: '' })
}

async function resolve(db: Db, [id, amount, ...words]: readonly string[]): Promise<readonly string[]> {
  const charge = wholeOf(amount)
  const remark = words.join(' ')
  const row = await findOpen(db, id)
  const max = Math.max(row.amount, row.held)
  if (charge > max) throw new Error(`at most ${max} can be charged`)
  if (remark.length > setAsideRemarkMax) throw new Error(`a remark has at most ${setAsideRemarkMax} characters`)
  return await leave(db, row, { decision: 'resolve', charge, remark })
}

function wholeOf(word: string | undefined): number {
  if (word === undefined || !/^\d{1,16}$/.test(word)) throw new UsageError()
  return Number(word)
}

async function findOpen(db: Db, word: string | undefined): Promise<AsideRow> {
  const row = await findAside(db, wholeOf(word))
  if (row === undefined || row.state !== 'open') throw new Error(`no open entry has the ID ${word}; set-aside lists them`)
  return row
}

interface Decision {
  readonly decision: 'retry' | 'resolve'
  readonly charge: number
  readonly remark: string
}

async function leave(db: Db, { id, tries }: AsideRow, decision: Decision): Promise<readonly string[]> {
  if (!(await decide(db, { id, ...decision }))) throw new Error('another decision on it is in progress')
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += lookEveryMs) {
    const row = await findAside(db, id)
    if (row !== undefined && row.state !== 'open') return [`It is ${row.state}: ${row.charged} quota charged.`]
    if (row?.decision === '')
      throw new Error(row.tries > tries ? `the database rejected it again: ${row.error_message}` : 'a server rejected it; see its log')
    await setTimeout(lookEveryMs)
  }
  return ['The decision is stored. A server carries it out as soon as one runs.']
}
