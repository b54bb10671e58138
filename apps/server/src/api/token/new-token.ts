import { type contract, type ParsedInputOf, type TokenLimitName, tokenStatus } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { TokenTable } from '../../db/schema.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { randomBase62 } from '../../lib/id.ts'
import type { Seal } from '../../lib/seal.ts'

/** Characters of a key after `sk-`: 285 bits. */
const keyLength = 48

/** The columns of a new key. */
export function newKey(seal: Seal): Pick<Insertable<TokenTable>, 'key_lookup' | 'key_sealed'> {
  const key = randomBase62(keyLength)
  const keyLookup = seal.lookup(key, 'token')
  return { key_lookup: keyLookup, key_sealed: seal.seal(key, keyPurpose(keyLookup)) }
}

/** The row of a new token, with a key of its own. */
export function newToken(
  { seal, clock }: { readonly seal: Seal; readonly clock: Clock },
  userId: number,
  {
    name,
    expired_time,
    remain_quota,
    unlimited_quota,
    models,
    subnet,
    own_work_only,
    ...limits
  }: ParsedInputOf<typeof contract.token.create>,
): Insertable<TokenTable> {
  const now = nowSeconds(clock)
  return {
    ...{ name, expired_time, remain_quota, models, subnet, ...definedLimits(limits) },
    user_id: userId,
    ...newKey(seal),
    status: tokenStatus.enabled,
    created_time: now,
    accessed_time: now,
    unlimited_quota: unlimited_quota ? 1 : 0,
    own_work_only: own_work_only ? 1 : 0,
  }
}

type Limits = Readonly<Partial<Record<TokenLimitName, number | undefined>>>

/** Limits that are not given get the column's default. */
function definedLimits(limits: Limits): Partial<Record<TokenLimitName, number>> {
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined))
}

/** The first token of every new account. */
export const firstToken = {
  name: 'default',
  expired_time: -1,
  remain_quota: 0,
  unlimited_quota: true,
  models: '',
  subnet: '',
  own_work_only: false,
} as const

/** Binds a sealed key to its own row. */
export function keyPurpose(keyLookup: string): string {
  return `token:${keyLookup}`
}
