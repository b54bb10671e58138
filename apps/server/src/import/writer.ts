import { role } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { LogEntry } from '../ledger/log-entry.ts'
import { type Seal, sealUnlessEmpty } from '../lib/seal.ts'
import type { PlannedChannel } from './plan-channel.ts'
import type { PlannedRedemption } from './plan-redemption.ts'
import type { PlannedToken } from './plan-token.ts'
import type { PlannedUser } from './plan-user.ts'
import {
  addToCounters,
  insertChannel,
  insertImported,
  insertRedemption,
  insertToken,
  insertUser,
  listLoggedRequests,
  saveLogMark,
} from './queries.ts'

/** Writes imported rows. Rows and the records of their import are one transaction, so an interrupted run can be repeated. */
export interface Writer {
  /** @returns their ids here in the same order; 0 in a dry run */
  users(planned: readonly PlannedUser[], idOf: (sourceId: number) => number | undefined): Promise<readonly number[]>
  /** Posts each balance once: earlier postings stay. */
  balances(balances: ReadonlyArray<{ readonly userId: number; readonly sourceId: number; readonly amount: number }>): Promise<void>
  tokens(planned: readonly PlannedToken[]): Promise<void>
  channels(planned: readonly PlannedChannel[]): Promise<readonly number[]>
  redemptions(planned: readonly PlannedRedemption[]): Promise<void>
  logs(entries: readonly LogEntry[], lastId: number): Promise<void>
}

/** The writer of a dry run: writes nothing. */
export const dryWriter: Writer = {
  users: async (planned) => planned.map(() => 0),
  balances: async () => {},
  tokens: async () => {},
  channels: async (planned) => planned.map(() => 0),
  redemptions: async () => {},
  logs: async () => {},
}

interface WriterDeps {
  readonly db: Db
  readonly ledger: Ledger
  readonly seal: Seal
  readonly source: string
  /** Seconds since the epoch. */
  readonly now: number
  /** Whether a hash is that of a well-known first password. */
  readonly isDefaultPassword: (hash: string) => Promise<boolean>
}

/** The ledger's ref of an imported balance. */
export const balanceRef = (source: string, sourceId: number): string => `${source}:${sourceId}`

export function createWriter(deps: WriterDeps): Writer {
  const { db, ledger, seal, source, now, isDefaultPassword } = deps
  let isFirstPage = true

  async function saveUser(tx: Db, planned: PlannedUser, inviterId: number): Promise<number> {
    const { row, joins, accessToken, sourceId } = planned
    if (joins !== null) await addToCounters(tx, joins, row)
    const id =
      joins ??
      (await insertUser(tx, {
        ...row,
        inviter_id: inviterId,
        access_token_lookup: accessToken === '' ? null : seal.lookup(accessToken, 'access-token'),
        default_password: row.role === role.root && (await isDefaultPassword(row.password_hash)) ? 1 : 0,
        created_time: now,
      }))
    await insertImported(tx, { source, kind: 'user', source_id: sourceId, target_id: id, used_quota: row.used_quota })
    return id
  }

  async function saveToken(tx: Db, { sourceId, key, row }: PlannedToken): Promise<void> {
    const lookup = seal.lookup(key, 'token')
    const id = await insertToken(tx, { ...row, key_lookup: lookup, key_sealed: seal.seal(key, `token:${lookup}`) })
    await insertImported(tx, { source, kind: 'token', source_id: sourceId, target_id: id, used_quota: row.used_quota ?? 0 })
  }

  async function saveRedemption(tx: Db, { sourceId, key, row }: PlannedRedemption): Promise<void> {
    const lookup = seal.lookup(key, 'redemption')
    const id = await insertRedemption(tx, { ...row, key_lookup: lookup, key_sealed: seal.seal(key, `redemption:${lookup}`) })
    await insertImported(tx, { source, kind: 'redemption', source_id: sourceId, target_id: id, used_quota: 0 })
  }

  async function saveChannel(tx: Db, { sourceId, keys, config, settings, usedQuota, row }: PlannedChannel): Promise<number> {
    const ids: number[] = []
    for (const [index, { key, status }] of keys.entries()) {
      const isFirst = index === 0
      const own = isFirst ? { ...row, status } : { ...row, status, name: `${row.name} (${index + 1})`, balance: 0 }
      const sealed = {
        config_sealed: sealUnlessEmpty(seal, config, 'channel-config'),
        settings_sealed: sealUnlessEmpty(seal, settings, 'channel-settings'),
      }
      const sealKey = (id: number): string => seal.seal(key, seal.rowPurpose('channel-key', id))
      ids.push(await insertChannel(tx, { ...own, ...sealed }, { usedQuota: isFirst ? usedQuota : 0, sealKey }))
    }
    const [id = 0] = ids
    await insertImported(tx, { source, kind: 'channel', source_id: sourceId, target_id: id, used_quota: usedQuota })
    return id
  }

  return {
    users: (planned, idOf) =>
      db.transaction().execute(async (tx) => {
        const ids = new Map<number, number>()
        for (const user of planned) {
          const inviterId = ids.get(user.inviterSourceId) ?? idOf(user.inviterSourceId) ?? 0
          ids.set(user.sourceId, await saveUser(tx, user, inviterId))
        }
        return [...ids.values()]
      }),
    async balances(balances) {
      await Promise.all(
        balances.map(({ userId, sourceId, amount }) => ledger.post({ userId, kind: 'import', ref: balanceRef(source, sourceId), amount })),
      )
    },
    tokens: (planned) =>
      db.transaction().execute(async (tx) => {
        for (const token of planned) await saveToken(tx, token)
      }),
    channels: (planned) =>
      db.transaction().execute(async (tx) => {
        const ids: number[] = []
        for (const channel of planned) ids.push(await saveChannel(tx, channel))
        return ids
      }),
    redemptions: (planned) =>
      db.transaction().execute(async (tx) => {
        for (const code of planned) await saveRedemption(tx, code)
      }),
    async logs(entries, lastId) {
      // An interrupted run may have written the first of these rows without storing how far it got.
      const requestIds = isFirstPage ? entries.map(({ requestId }) => requestId) : []
      const written = new Set(requestIds.length === 0 ? [] : await listLoggedRequests(db, requestIds))
      isFirstPage = false
      await Promise.all(entries.filter(({ requestId }) => !written.has(requestId)).map((entry) => ledger.writeLog(entry)))
      await saveLogMark(db, source, lastId)
    },
  }
}
