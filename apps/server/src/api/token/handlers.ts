import { contract, type TokenRow, tokenStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { AppError } from '../../lib/app-error.ts'
import { parseSubnet } from '../../lib/cidr.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { randomBase62 } from '../../lib/id.ts'
import type { Seal } from '../../lib/seal.ts'
import { implement } from '../implement.ts'
import { deleteToken, editToken, findOwnToken, insertToken, listTokens, type StoredToken, searchTokens, setTokenStatus } from './queries.ts'

interface TokenDeps {
  readonly db: Db
  readonly ledger: Ledger
  readonly seal: Seal
  readonly clock: Clock
  /** Tells the relay that a token is not what it was. */
  readonly changed: (tokenId: number) => void
}

/** Characters of a key after `sk-`: 285 bits. */
const keyLength = 48

export const tokenApi = ({ db, ledger, seal, clock, changed }: TokenDeps) => {
  const toRow = ({ key_lookup, key_sealed, unlimited_quota, ...row }: StoredToken): TokenRow => ({
    ...row,
    unlimited_quota: unlimited_quota === 1,
    quota_was: row.remain_quota,
    key: seal.open(key_sealed, keyPurpose(key_lookup)),
  })

  async function own(userId: number, id: number): Promise<StoredToken> {
    const token = await findOwnToken(db, userId, id)
    if (token === undefined) throw new AppError('not_found', { params: { what: 'token' } })
    return token
  }

  return implement(contract.token, {
    list: async (input, caller) => (await listTokens(db, caller.id, input)).map(toRow),
    search: async ({ keyword }, caller) => (await searchTokens(db, caller.id, keyword)).map(toRow),
    get: async ({ id }, caller) => toRow(await own(caller.id, id)),

    async create({ name, expired_time, remain_quota, unlimited_quota, models, subnet }, caller) {
      checkSubnets(subnet)
      const key = randomBase62(keyLength)
      const keyLookup = seal.lookup(key, 'token')
      const now = nowSeconds(clock)
      const token = await insertToken(db, {
        user_id: caller.id,
        key_lookup: keyLookup,
        key_sealed: seal.seal(key, keyPurpose(keyLookup)),
        name,
        status: tokenStatus.enabled,
        created_time: now,
        accessed_time: now,
        expired_time,
        remain_quota,
        unlimited_quota: unlimited_quota ? 1 : 0,
        models,
        subnet,
      })
      return toRow(token)
    },

    async setStatus({ id, status }, caller) {
      const token = await own(caller.id, id)
      if (status === tokenStatus.enabled) checkEnabling(token, nowSeconds(clock))
      await setTokenStatus(db, caller.id, { id, status })
      changed(id)
      return toRow({ ...token, status })
    },

    async update({ id, name, expired_time, remain_quota, quota_was, unlimited_quota, models, subnet }, caller) {
      checkSubnets(subnet)
      const token = await own(caller.id, id)
      const isSame = (quota_was ?? token.remain_quota) === remain_quota && token.unlimited_quota === (unlimited_quota ? 1 : 0)
      if (!(await editToken(db, caller.id, { id, name, expired_time, models, subnet })))
        throw new AppError('not_found', { params: { what: 'token' } })
      // A form that was opened before a charge must not undo it, so an untouched quota is not written back.
      if (!isSame) await ledger.setTokenQuota(id, { remain: remain_quota, remainWas: quota_was ?? null, isUnlimited: unlimited_quota })
      changed(id)
      return toRow(await own(caller.id, id))
    },

    async remove({ id }, caller) {
      if (!(await deleteToken(db, caller.id, id))) throw new AppError('not_found', { params: { what: 'token' } })
      changed(id)
      return null
    },
  })
}

/** Binds a sealed key to its own row. */
function keyPurpose(keyLookup: string): string {
  return `token:${keyLookup}`
}

function checkSubnets(list: string): void {
  for (const subnet of list.split(',')) {
    if (subnet !== '' && parseSubnet(subnet) === null) throw new AppError('subnet_invalid', { params: { subnet: subnet.slice(0, 64) } })
  }
}

/** A token that has run out, of time or of quota, is not enabled by a switch: its limit must be raised first. */
function checkEnabling({ status, expired_time, remain_quota, unlimited_quota }: StoredToken, now: number): void {
  if (status === tokenStatus.expired && expired_time !== -1 && expired_time <= now) throw new AppError('token_expired_edit')
  if (status === tokenStatus.exhausted && remain_quota <= 0 && unlimited_quota !== 1) throw new AppError('token_exhausted_edit')
}
