import { contract, exportedToken, type Settings, type TokenForm, type TokenRow, tokenStatus } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { Db } from '../../db/connect.ts'
import { lockAccount } from '../../db/lock-account.ts'
import { lockRow } from '../../db/lock-row.ts'
import type { TokenTable } from '../../db/schema.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import { parseSubnet } from '../../lib/cidr.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { checkExpiry, isPast } from '../../lib/expiry.ts'
import { newFormId } from '../../lib/id.ts'
import type { Seal } from '../../lib/seal.ts'
import { assertUnchanged } from '../assert-unchanged.ts'
import type { Audit } from '../audit.ts'
import { exportFile, plainRowOf, stepAfter } from '../export-file.ts'
import { implement } from '../implement.ts'
import { tokenFileColumns } from './export.ts'
import { keyPurpose, newKey, newToken } from './new-token.ts'
import {
  deleteToken,
  editToken,
  findOwnToken,
  hasTokens,
  insertToken,
  listTokens,
  replaceTokenKey,
  type StoredToken,
  searchTokens,
  setTokenStatus,
} from './queries.ts'
import { quotaAfter } from './quota-edit.ts'

interface TokenDeps {
  readonly db: Db
  readonly ledger: Ledger
  readonly seal: Seal
  readonly clock: Clock
  readonly settings: () => Settings
  readonly audit: Audit
  /** Notifies the relay that a token has changed. */
  readonly changed: (tokenId: number) => void
}

export const tokenApi = ({ db, ledger, seal, clock, settings, audit, changed }: TokenDeps) => {
  /** @throws AppError tokens_too_many */
  async function insertWithinLimit(token: Insertable<TokenTable>): Promise<StoredToken> {
    const { TokensPerAccount: max } = settings()
    if (max === 0) return await insertToken(db, token)
    return await db.transaction().execute(async (tx) => {
      await lockAccount(tx, token.user_id)
      if (await hasTokens(tx, token.user_id, max)) throw new AppError('tokens_too_many', { params: { max } })
      return await insertToken(tx, token)
    })
  }

  type Keyless = Omit<TokenRow, 'key' | 'unreadable'>

  const withoutKey = ({ key_lookup: _, key_sealed: __, unlimited_quota, own_work_only, ...row }: StoredToken): Keyless => ({
    ...row,
    status: statusNow(row, nowSeconds(clock)),
    unlimited_quota: unlimited_quota === 1,
    own_work_only: own_work_only === 1,
  })

  function toRow(token: StoredToken): TokenRow {
    const key = seal.tryOpen(token.key_sealed, keyPurpose(token.key_lookup))
    return { ...withoutKey(token), key: key ?? '', unreadable: key === null ? ['key'] : [] }
  }

  const toForm = (token: StoredToken): TokenForm => ({ ...toRow(token), remain_quota_was: token.remain_quota, form_id: newFormId() })

  async function own(userId: number, id: number, from: Db = db): Promise<StoredToken> {
    const token = await findOwnToken(from, userId, id)
    if (token === undefined) throw noSuchToken()
    return token
  }

  return implement(contract.token, {
    list: async (input, caller) => (await listTokens(db, caller.id, { ...input, now: nowSeconds(clock) })).map(toRow),
    search: async (query, caller) => (await searchTokens(db, caller.id, { ...query, now: nowSeconds(clock) })).map(toRow),
    export: ({ keyword, status, columns, zone, format }, caller, { language }) =>
      exportFile({
        ...{ name: 'token', format, columnIds: columns, columns: tokenFileColumns({ zone, language }) },
        plain: plainRowOf(exportedToken),
        next: async (last) =>
          (await searchTokens(db, caller.id, { keyword, status, now: nowSeconds(clock), ...stepAfter(last) })).map(withoutKey),
      }),
    get: async ({ id }, caller) => toForm(await own(caller.id, id)),

    async create(fields, caller) {
      checkSubnets(fields.subnet)
      checkExpiry(fields.expired_time, nowSeconds(clock))
      return toRow(await insertWithinLimit(newToken({ seal, clock }, caller.id, fields)))
    },

    async setStatus({ id, status }, caller) {
      const token = await own(caller.id, id)
      if (status === tokenStatus.enabled) checkEnabling(token, nowSeconds(clock))
      await setTokenStatus(db, caller.id, { id, status })
      changed(id)
      return toRow({ ...token, status })
    },

    async update(
      { id, status: _status, remain_quota, remain_quota_was, form_id, used_quota, unlimited_quota, shown: baseline, ...fields },
      caller,
    ) {
      checkSubnets(fields.subnet ?? '')
      await db.transaction().execute(async (tx) => {
        await lockRow(tx, 'tokens', id)
        const token = await own(caller.id, id, tx)
        const { expired_time = token.expired_time } = fields
        if (expired_time !== token.expired_time) checkExpiry(expired_time, nowSeconds(clock))
        const stored = withoutKey(token)
        assertUnchanged(baseline, { stored, edited: { ...stored, ...fields } })
        const { own_work_only: isOwnOnly, ...columns } = fields
        await editToken(tx, caller.id, { id, ...columns, own_work_only: isOwnOnly === undefined ? undefined : Number(isOwnOnly) })
      })
      if (remain_quota !== undefined || unlimited_quota !== undefined) {
        const edit = { remain_quota, remain_quota_was, form_id, used_quota, unlimited_quota }
        await ledger.setTokenQuota(id, (now) => quotaAfter(edit, now))
      }
      changed(id)
      return toForm(await own(caller.id, id))
    },

    async replaceKey({ id }, caller) {
      const replaced = await db.transaction().execute(async (tx) => {
        const token = await replaceTokenKey(tx, caller.id, { id, ...newKey(seal) })
        if (token === undefined) throw noSuchToken()
        await audit({ actor: caller, messageKey: 'log_token_key', params: { id, name: token.name } }, tx)
        return token
      })
      changed(id)
      return toRow(replaced)
    },

    async remove({ id }, caller) {
      if (!(await deleteToken(db, caller.id, id))) throw noSuchToken()
      changed(id)
      return null
    },
  })
}

function noSuchToken(): AppError {
  return new AppError('not_found', { messageKey: 'no_such_token' })
}

function checkSubnets(list: string): void {
  for (const subnet of list.split(',')) {
    if (subnet !== '' && parseSubnet(subnet) === null) throw new AppError('subnet_invalid', { params: { subnet: subnet.slice(0, 64) } })
  }
}

/** The present status: an expired token shows as expired even if its stored status was not updated yet. */
function statusNow({ status, expired_time }: Pick<StoredToken, 'status' | 'expired_time'>, now: number): number {
  return status === tokenStatus.enabled && isPast(expired_time, now) ? tokenStatus.expired : status
}

/** An expired or exhausted token cannot be enabled: its limit must be raised first. */
function checkEnabling({ status, expired_time, remain_quota, unlimited_quota }: StoredToken, now: number): void {
  if (isPast(expired_time, now)) throw new AppError('token_expired_edit')
  if (status === tokenStatus.exhausted && remain_quota <= 0 && unlimited_quota !== 1) throw new AppError('token_exhausted_edit')
}
