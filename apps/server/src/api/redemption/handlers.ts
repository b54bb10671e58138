import { contract, exportedRedemption, type RedemptionRow, redemptionStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import { clientKey } from '../../lib/cidr.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { randomHex128 } from '../../lib/id.ts'
import type { Seal } from '../../lib/seal.ts'
import { createThrottle } from '../../lib/throttle.ts'
import type { Audit } from '../audit.ts'
import { exportFile, stepAfter } from '../export-file.ts'
import { type Caller, implement } from '../implement.ts'
import { credit } from './credit.ts'
import { redemptionFileColumns } from './export.ts'
import {
  claimRedemption,
  deleteRedemption,
  editRedemption,
  findRedemption,
  findRedemptionStatus,
  insertRedemptions,
  listRedemptions,
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
}

const windowMs = 10 * 60_000

export const redemptionApi = ({ db, reads, ledger, seal, clock, audit }: RedemptionDeps) => {
  const byUser = createThrottle(clock, { free: 10, windowMs, waitMaxMs: windowMs })
  const byAddress = createThrottle(clock, { free: 30, windowMs, waitMaxMs: windowMs })

  const toRow = ({ key_lookup, key_sealed, ...row }: StoredRedemption): RedemptionRow => ({
    ...row,
    key: seal.open(key_sealed, keyPurpose(key_lookup)),
    count: 0,
  })

  async function existing(id: number): Promise<RedemptionRow> {
    const found = await findRedemption(db, id)
    if (found === undefined) throw notFound()
    return toRow(found)
  }

  async function edit(actor: Caller, id: number, change: Parameters<typeof editRedemption>[2]): Promise<RedemptionRow> {
    if (Object.values(change).every((value) => value === undefined)) return await existing(id)
    const edited = await db.transaction().execute(async (tx) => {
      const row = await editRedemption(tx, id, change)
      if (row === undefined) return undefined
      const { name, quota, status } = row
      await audit({ actor, messageKey: 'log_redemption_edited', params: { id, name, quota, status } }, tx)
      return row
    })
    if (edited === undefined) throw (await findRedemption(db, id)) === undefined ? notFound() : new AppError('redemption_used_edit')
    return toRow(edited)
  }

  return implement(contract.redemption, {
    list: async (wanted) => (await listRedemptions(reads, wanted)).map(toRow),
    search: async (wanted) => (await searchRedemptions(reads, wanted)).map(toRow),

    export: ({ keyword, columns, zone, format }, _caller, { language }) =>
      exportFile({
        ...{ name: 'redemption', format, wanted: columns, columns: redemptionFileColumns({ zone, language }) },
        plain: (row) => exportedRedemption.parse(row),
        next: async (last) => {
          const step = stepAfter(last)
          return (await (keyword === '' ? listRedemptions(reads, step) : searchRedemptions(reads, { keyword, ...step }))).map(toRow)
        },
      }),
    get: ({ id }) => existing(id),

    async create({ name, quota, count }, caller) {
      const keys = Array.from({ length: count }, randomHex128)
      const made = { user_id: caller.id, status: redemptionStatus.unused, name, quota, created_time: nowSeconds(clock) }
      const rows = keys.map((key) => {
        const keyLookup = seal.lookup(key, 'redemption')
        return { ...made, key_lookup: keyLookup, key_sealed: seal.seal(key, keyPurpose(keyLookup)) }
      })
      await db.transaction().execute(async (tx) => {
        await insertRedemptions(tx, rows)
        await audit({ actor: caller, messageKey: 'log_redemptions_made', params: { count, name, quota } }, tx)
      })
      return keys
    },

    setStatus: ({ id, status }, caller) => edit(caller, id, { status }),
    update: ({ id, name, quota }, caller) => edit(caller, id, { name: name ?? undefined, quota: quota ?? undefined }),

    async remove({ id }, caller) {
      await db.transaction().execute(async (tx) => {
        if (!(await deleteRedemption(tx, id))) throw notFound()
        await audit({ actor: caller, messageKey: 'log_redemption_deleted', params: { id } }, tx)
      })
      return null
    },

    async redeem({ key }, caller, visit) {
      const user = String(caller.id)
      const from = clientKey(visit.address)
      const wait = byAddress.take(from) || byUser.take(user)
      if (wait > 0) throw new AppError('redeem_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
      const keyLookup = seal.lookup(key, 'redemption')
      const now = nowSeconds(clock)
      const claimed = await claimRedemption(db, keyLookup, { userId: caller.id, now })
      if (claimed === undefined) throw new AppError(await reasonOf(keyLookup))
      // The limits are against guessing, so a valid code does not count.
      byUser.giveBack(user)
      byAddress.giveBack(from)
      await credit(ledger, { ...claimed, userId: caller.id, username: caller.username, redeemedTime: now })
      return claimed.quota
    },
  })

  /** Reveals that a code was used, but not whether any other code exists. */
  async function reasonOf(keyLookup: string): Promise<'redemption_used' | 'redemption_invalid'> {
    return (await findRedemptionStatus(db, keyLookup)) === redemptionStatus.used ? 'redemption_used' : 'redemption_invalid'
  }
}

/** Binds a sealed code to its own row. */
function keyPurpose(keyLookup: string): string {
  return `redemption:${keyLookup}`
}

function notFound(): AppError {
  return new AppError('not_found', { messageKey: 'no_such_redemption' })
}
