import { tokenStatus, userStatus } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import { isInSubnets, parseSubnet, type Subnet } from '../lib/cidr.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { createLru } from '../lib/lru.ts'
import type { Seal } from '../lib/seal.ts'
import { findToken, findUser, markToken } from './queries.ts'

/** Who sends a request: a token and the account it belongs to. */
export interface Caller {
  readonly tokenId: number
  readonly tokenName: string
  readonly userId: number
  readonly username: string
  /** In the order in which they set the price. */
  readonly groups: readonly string[]
  /** `null` = every model. */
  readonly models: ReadonlySet<string> | null
}

export interface Callers {
  /**
   * Checks the token of a request: known, enabled, not expired, from an allowed address, of an account that may.
   * A token that was seen before is answered at once.
   * @throws AppError token_missing, token_invalid, token_disabled, token_expired, token_exhausted, subnet_forbidden, user_banned
   */
  admit(headers: Headers, address: () => string): Caller | Promise<Caller>
  forgetToken(tokenId: number): void
  forgetUser(userId: number): void
}

interface TokenRecord {
  readonly id: number
  readonly userId: number
  readonly name: string
  readonly status: number
  readonly expiredTime: number
  readonly models: ReadonlySet<string> | null
  readonly subnets: readonly Subnet[]
  /** Set together with the token's first use after a change of its owner. */
  readonly caller: Caller
  readonly userIsEnabled: boolean
}

/** Tokens kept ready; the next look-up of one beyond costs a query. */
const tokensMax = 100_000

export function createCallers(deps: { readonly db: Db; readonly seal: Seal; readonly clock: Clock }): Callers {
  const { db, seal, clock } = deps
  const byKey = createLru<string, TokenRecord>(tokensMax)
  const keysOfToken = new Map<number, string>()
  const tokensOfUser = new Map<number, Set<number>>()

  /** Counts what was forgotten. What was read before the last of it may be older than it, and is not kept. */
  let forgotten = 0

  async function read(key: string): Promise<TokenRecord> {
    const before = forgotten
    const row = await findToken(db, seal.lookup(key, 'token'))
    if (row === undefined) throw new AppError('token_invalid')
    const user = await findUser(db, row.user_id)
    if (user === undefined) throw new AppError('token_invalid')
    const models = row.models === '' ? null : new Set(row.models.split(','))
    const record: TokenRecord = {
      id: row.id,
      userId: row.user_id,
      name: row.name,
      status: row.status,
      expiredTime: row.expired_time,
      models,
      subnets:
        row.subnet === ''
          ? []
          : row.subnet
              .split(',')
              .map(parseSubnet)
              .filter((subnet) => subnet !== null),
      userIsEnabled: user.status === userStatus.enabled,
      caller: { tokenId: row.id, tokenName: row.name, userId: user.id, username: user.username, groups: groupsOf(user.groups), models },
    }
    if (forgotten === before) keep(key, record)
    return record
  }

  function keep(key: string, record: TokenRecord): void {
    byKey.set(key, record)
    keysOfToken.set(record.id, key)
    tokensOfUser.set(record.userId, (tokensOfUser.get(record.userId) ?? new Set()).add(record.id))
  }

  function forgetToken(tokenId: number): void {
    forgotten += 1
    const key = keysOfToken.get(tokenId)
    if (key === undefined) return
    byKey.delete(key)
    keysOfToken.delete(tokenId)
  }

  async function refuse(record: TokenRecord): Promise<never> {
    if (record.status === tokenStatus.expired) throw new AppError('token_expired')
    if (record.status === tokenStatus.exhausted) throw new AppError('token_exhausted')
    if (record.status !== tokenStatus.enabled) throw new AppError('token_disabled')
    forgetToken(record.id)
    await markToken(db, record.id, { from: tokenStatus.enabled, to: tokenStatus.expired })
    throw new AppError('token_expired')
  }

  function check(record: TokenRecord, address: () => string): Caller | Promise<Caller> {
    const isExpired = record.expiredTime !== -1 && record.expiredTime <= nowSeconds(clock)
    if (record.status !== tokenStatus.enabled || isExpired) return refuse(record)
    if (!record.userIsEnabled) throw new AppError('user_banned')
    if (record.subnets.length > 0 && !isInSubnets(address(), record.subnets)) throw new AppError('subnet_forbidden')
    return record.caller
  }

  return {
    admit(headers, address) {
      const key = keyOf(headers)
      const record = byKey.get(key)
      return record === undefined ? read(key).then((found) => check(found, address)) : check(record, address)
    },
    forgetToken,
    forgetUser(userId) {
      forgotten += 1
      for (const tokenId of tokensOfUser.get(userId) ?? []) forgetToken(tokenId)
      tokensOfUser.delete(userId)
    },
  }
}

export function groupsOf(list: string): readonly string[] {
  const groups = list.split(',').filter((group) => group !== '')
  return groups.length === 0 ? ['default'] : groups
}

/** `Authorization: Bearer sk-KEY`; both prefixes may be missing, as official clients and scripts send them. */
function keyOf(headers: Headers): string {
  const header = headers.get('authorization')
  if (header === null || header === '') throw new AppError('token_missing')
  const given = header.startsWith('Bearer ') ? header.slice(7).trim() : header.trim()
  const key = given.startsWith('sk-') ? given.slice(3) : given
  if (key === '') throw new AppError('token_missing')
  if (!/^[A-Za-z0-9]{1,128}$/.test(key)) throw new AppError('token_invalid')
  return key
}
