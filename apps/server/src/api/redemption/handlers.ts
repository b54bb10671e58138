import {
  contract,
  exportedRedemption,
  type RedemptionRow,
  redemptionState,
  redemptionStateAt,
  redemptionStatus,
  showsKeys,
} from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { lockRow } from '../../db/lock-row.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import { clientKey } from '../../lib/cidr.ts'
import { type Clock, nowSeconds, utcTime } from '../../lib/clock.ts'
import { checkExpiry } from '../../lib/expiry.ts'
import { randomHex128 } from '../../lib/id.ts'
import type { Limiters } from '../../lib/limiters.ts'
import type { Seal } from '../../lib/seal.ts'
import { assertUnchanged } from '../assert-unchanged.ts'
import type { Audit } from '../audit.ts'
import { exportFile, plainRowOf, stepAfter } from '../export-file.ts'
import { type Caller, implement } from '../implement.ts'
import { credit } from './credit.ts'
import { redemptionFileColumns } from './export.ts'
import {
  changeUnused,
  claimRedemption,
  deleteRedemption,
  findRedemption,
  findRedemptionByKey,
  insertRedemptions,
  listRedemptions,
  type RedemptionEdit,
  type StoredRedemption,
  searchRedemptions,
} from './queries.ts'

interface RedemptionDeps {
  readonly db: Db
  /** For lists and searches of all codes. */
  readonly reads: Db
  readonly ledger: Ledger
  readonly seal: Seal
  readonly clock: Clock
  readonly audit: Audit
  readonly limiters: Limiters
}

/** The code, and its fields as the form showed them. */
interface FormBaseline {
  readonly id: number
  readonly baseline?: Readonly<Record<string, unknown>> | null | undefined
}

const windowMs = 10 * 60_000

export const redemptionApi = ({ db, reads, ledger, seal, clock, audit, limiters }: RedemptionDeps) => {
  const byUser = limiters.throttle('redeem-user', { free: 10, windowMs, waitMaxMs: windowMs })
  const byAddress = limiters.throttle('redeem-address', { free: 30, windowMs, waitMaxMs: windowMs })
  /** Accounts that have entered a wrong code. */
  const guessers = limiters.remember('redeem-wrong')

  const withoutKey = ({ key_lookup: _, key_sealed: __, ...row }: StoredRedemption): RedemptionRow => ({
    ...row,
    ...{ key: '', count: 0, unreadable: [] },
  })

  function toRow(code: StoredRedemption): RedemptionRow {
    const key = seal.tryOpen(code.key_sealed, keyPurpose(code.key_lookup))
    return { ...withoutKey(code), key: key ?? '', unreadable: key === null ? ['key'] : [] }
  }

  function sealedCode(key: string): Pick<StoredRedemption, 'key_lookup' | 'key_sealed'> {
    const keyLookup = seal.lookup(key, 'redemption')
    return { key_lookup: keyLookup, key_sealed: seal.seal(key, keyPurpose(keyLookup)) }
  }

  async function existing(id: number, from: Db = db): Promise<RedemptionRow> {
    const row = await findRedemption(from, id)
    if (row === undefined) throw noSuchRedemption()
    return toRow(row)
  }

  async function edit(actor: Caller, { id, baseline, ...fields }: RedemptionEdit & FormBaseline): Promise<RedemptionRow> {
    const change = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
    if (Object.keys(change).length === 0) return await existing(id)
    const edited = await db.transaction().execute(async (tx) => {
      await lockRow(tx, 'redemptions', id)
      const stored = await existing(id, tx)
      assertUnchanged(baseline, { stored, edited: { ...stored, ...change } })
      const row = await changeUnused(tx, id, change)
      if (row === undefined) return undefined
      const { name, quota, status } = row
      const messageKey = row.expired_time === -1 ? 'log_redemption_edited' : 'log_redemption_edited_until'
      await audit({ actor, messageKey, params: { id, name, quota, status, ...until(row) } }, tx)
      return row
    })
    if (edited === undefined) throw new AppError('redemption_used_edit')
    return toRow(edited)
  }

  return implement(contract.redemption, {
    list: async (query) => (await listRedemptions(reads, { ...query, now: nowSeconds(clock) })).map(toRow),
    search: async (query) => (await searchRedemptions(reads, { ...query, now: nowSeconds(clock) })).map(toRow),

    export: ({ keyword, status, columns, zone, format }, { scopes }, { language }) =>
      exportFile({
        ...{ name: 'redemption', format, columnIds: columns, columns: redemptionFileColumns({ zone, language, now: nowSeconds(clock) }) },
        plain: plainRowOf(exportedRedemption),
        next: async (last) => {
          const step = { ...stepAfter(last), status, now: nowSeconds(clock) }
          const rows = await (keyword === '' ? listRedemptions(reads, step) : searchRedemptions(reads, { keyword, ...step }))
          return rows.map(showsKeys(contract.redemption.export, scopes) ? toRow : withoutKey)
        },
      }),
    get: ({ id }) => existing(id),

    async create({ name, quota, count, expired_time }, caller) {
      checkExpiry(expired_time, nowSeconds(clock))
      const keys = Array.from({ length: count }, randomHex128)
      const fields = { user_id: caller.id, status: redemptionStatus.unused, name, quota, expired_time, created_time: nowSeconds(clock) }
      const rows = keys.map((key) => ({ ...fields, ...sealedCode(key) }))
      await db.transaction().execute(async (tx) => {
        await insertRedemptions(tx, rows)
        const messageKey = expired_time === -1 ? 'log_redemptions_made' : 'log_redemptions_made_until'
        await audit({ actor: caller, messageKey, params: { count, name, quota, ...until(fields) } }, tx)
      })
      return keys
    },

    setStatus: ({ id, status }, caller) => edit(caller, { id, status }),

    async update({ id, name, quota, expired_time, shown: baseline }, caller) {
      // A form sends back the expiry that it showed, which may be over by now.
      const isNew = expired_time != null && expired_time !== (await existing(id)).expired_time
      if (isNew) checkExpiry(expired_time, nowSeconds(clock))
      const change = { name: name ?? undefined, quota: quota ?? undefined, expired_time: expired_time ?? undefined }
      return await edit(caller, { id, baseline, ...change })
    },

    async replaceKey({ id }, caller) {
      const replaced = await db.transaction().execute(async (tx) => {
        const { name } = await existing(id, tx)
        const code = await changeUnused(tx, id, sealedCode(randomHex128()))
        if (code === undefined) throw new AppError('redemption_used_edit')
        await audit({ actor: caller, messageKey: 'log_redemption_key', params: { id, name } }, tx)
        return code
      })
      return toRow(replaced)
    },

    async remove({ id }, caller) {
      await db.transaction().execute(async (tx) => {
        if (!(await deleteRedemption(tx, id))) throw noSuchRedemption()
        await audit({ actor: caller, messageKey: 'log_redemption_deleted', params: { id } }, tx)
      })
      return null
    },

    async redeem({ key }, caller, visit) {
      const user = String(caller.id)
      const from = clientKey(visit.address)
      // Others at the address, such as a proxy's, do not wait for one who guesses: only those who guess themselves do.
      const isGuesser = await guessers.has(user)
      const wait = (await byUser.take(user)) || (isGuesser ? await byAddress.take(from) : 0)
      if (wait > 0) throw new AppError('redeem_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
      const keyLookup = seal.lookup(key, 'redemption')
      const now = nowSeconds(clock)
      const claimed = await claimRedemption(db, keyLookup, { userId: caller.id, now })
      if (claimed === undefined) {
        await guessers.add(user)
        if (!isGuesser) await byAddress.take(from)
        throw new AppError(await reasonOf(keyLookup))
      }
      // The limits are against guessing, so a valid code does not count.
      await byUser.giveBack(user)
      if (isGuesser) await byAddress.giveBack(from)
      await credit(ledger, { ...claimed, userId: caller.id, username: caller.username, redeemedTime: now })
      return claimed.quota
    },
  })

  /** Reveals that a code was used or has expired, but not whether a disabled one exists. */
  async function reasonOf(keyLookup: string): Promise<'redemption_used' | 'redemption_expired' | 'redemption_invalid'> {
    const redemption = await findRedemptionByKey(db, keyLookup)
    const state = redemption === undefined ? null : redemptionStateAt(redemption, nowSeconds(clock))
    if (state === redemptionState.expired) return 'redemption_expired'
    return state === redemptionState.used ? 'redemption_used' : 'redemption_invalid'
  }
}

const until = ({ expired_time }: Pick<RedemptionRow, 'expired_time'>) => (expired_time === -1 ? {} : { time: utcTime(expired_time) })

/** Binds a sealed code to its own row. */
function keyPurpose(keyLookup: string): string {
  return `redemption:${keyLookup}`
}

function noSuchRedemption(): AppError {
  return new AppError('not_found', { messageKey: 'no_such_redemption' })
}
