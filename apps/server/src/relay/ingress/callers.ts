import { role, tokenStatus, userStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { isInSubnets, parseSubnet, type Subnet } from '../../lib/cidr.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { createLru } from '../../lib/lru.ts'
import type { Seal } from '../../lib/seal.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { Caller } from '../model/caller.ts'
import type { Incoming } from '../model/incoming.ts'
import { type KeyForm, type KeyHolder, keyOf } from './token-key.ts'
import { limitsOf } from './token-limits.ts'
import { findCaller, markExhausted, markToken } from './token-queries.ts'

/** As much of a request as says who sends it. */
interface Presented extends Pick<Incoming, 'address'> {
  readonly request: KeyHolder
}

export interface Callers {
  /**
   * Checks the token of a request: known, enabled, not expired, from an allowed address, of an account that may.
   * A token that was seen before is answered at once.
   * @throws AppError token_missing, token_invalid, token_disabled, token_expired, token_exhausted, subnet_forbidden, user_banned,
   * channel_pin_forbidden
   */
  admit(incoming: Presented, forms?: readonly KeyForm[]): Caller | Promise<Caller>
  /** Passes on why nothing was reserved. A token that has nothing left says so in its row from then on. */
  refused(tokenId: number, error: unknown): Promise<never>
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
  /** Whether the account may name the channel that it wants. */
  readonly mayPin: boolean
}

/** Tokens kept ready; the next look-up of one beyond costs a query. */
const tokensMax = 100_000
/** Keys kept that no token has. */
const unknownMax = 10_000
/** How long a key is believed to be no token's, in milliseconds: other processes may write tokens, too. */
const unknownMs = 10_000

interface CallersDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  /** Tokens kept ready; fewer in tests. */
  readonly max?: number
}

export function createCallers({ db, seal, clock, max = tokensMax }: CallersDeps): Callers {
  const byKey = createLru<string, TokenRecord>(max, leaveIndex)
  /** Indexes of the tokens that are kept ready, and of no others. */
  const keysOfToken = new Map<number, string>()
  const tokensOfUser = new Map<number, Set<number>>()
  /** Until when, in monotonic milliseconds. */
  const unknown = createLru<string, number>(unknownMax)
  const reads = createSingleFlight<TokenRecord>()

  /** Counts what was forgotten. What was read before the last of it may be older than it, and is not kept. */
  let forgotten = 0

  async function read(key: string): Promise<TokenRecord> {
    const before = forgotten
    const row = await findCaller(db, seal.lookup(key, 'token'))
    if (row === undefined) {
      if (forgotten === before) unknown.set(key, clock.monotonicMs() + unknownMs)
      throw new AppError('token_invalid')
    }
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
      mayPin: row.role >= role.admin,
      userIsEnabled: row.user_status === userStatus.enabled,
      caller: {
        tokenId: row.id,
        tokenName: row.name,
        userId: row.user_id,
        username: row.username,
        groups: groupsOf(row.groups),
        models,
        pin: null,
        limits: limitsOf(row),
      },
    }
    if (forgotten === before) keep(key, record)
    return record
  }

  /** One query for all who ask at the same time, and none for a key that was just found to be no token's. */
  async function lookUp(key: string): Promise<TokenRecord> {
    if ((unknown.get(key) ?? 0) > clock.monotonicMs()) throw new AppError('token_invalid')
    return await reads.run(key, () => read(key))
  }

  function keep(key: string, record: TokenRecord): void {
    byKey.set(key, record)
    keysOfToken.set(record.id, key)
    tokensOfUser.set(record.userId, (tokensOfUser.get(record.userId) ?? new Set()).add(record.id))
  }

  function leaveIndex({ id, userId }: TokenRecord): void {
    keysOfToken.delete(id)
    const tokens = tokensOfUser.get(userId)
    tokens?.delete(id)
    if (tokens?.size === 0) tokensOfUser.delete(userId)
  }

  /** From now on nobody is answered by what was read before. */
  function forget(tokenIds: Iterable<number>): void {
    forgotten += 1
    reads.forget()
    unknown.clear()
    for (const tokenId of tokenIds) {
      const key = keysOfToken.get(tokenId)
      if (key !== undefined) byKey.delete(key)
    }
  }

  const forgetToken = (tokenId: number): void => forget([tokenId])

  async function refuse(record: TokenRecord): Promise<never> {
    if (record.status === tokenStatus.expired) throw new AppError('token_expired')
    if (record.status === tokenStatus.exhausted) throw new AppError('token_exhausted')
    if (record.status !== tokenStatus.enabled) throw new AppError('token_disabled')
    forgetToken(record.id)
    await markToken(db, record.id, { from: tokenStatus.enabled, to: tokenStatus.expired })
    throw new AppError('token_expired')
  }

  function isOver({ expiredTime }: TokenRecord): boolean {
    return expiredTime !== -1 && expiredTime <= nowSeconds(clock)
  }

  /** A token that was taken for expired by a clock that was wrong, or has been given more time since. @throws AppError for every other */
  async function revived(record: TokenRecord): Promise<TokenRecord> {
    if (record.status !== tokenStatus.expired || isOver(record)) return await refuse(record)
    forgetToken(record.id)
    await markToken(db, record.id, { from: tokenStatus.expired, to: tokenStatus.enabled })
    return { ...record, status: tokenStatus.enabled }
  }

  function check(record: TokenRecord, pin: string | null, address: () => string): Caller | Promise<Caller> {
    if (record.status !== tokenStatus.enabled || isOver(record)) return revived(record).then((alive) => check(alive, pin, address))
    if (record.subnets.length > 0 && !isInSubnets(address(), record.subnets)) throw new AppError('subnet_forbidden')
    if (!record.userIsEnabled) throw new AppError('user_banned')
    if (pin === null) return record.caller
    // Said before the channel is looked up, so that nobody else learns which channels there are.
    if (!record.mayPin) throw new AppError('channel_pin_forbidden')
    return { ...record.caller, pin }
  }

  return {
    admit({ request, address }, forms) {
      const { key, pin } = keyOf(request, forms)
      const record = byKey.get(key)
      return record === undefined ? lookUp(key).then((found) => check(found, pin, address)) : check(record, pin, address)
    },
    async refused(tokenId, error) {
      const isSpent = error instanceof AppError && error.code === 'insufficient_token_quota'
      if (isSpent && (await markExhausted(db, tokenId))) forgetToken(tokenId)
      throw error
    },
    forgetToken,
    forgetUser: (userId) => forget([...(tokensOfUser.get(userId) ?? [])]),
  }
}

export function groupsOf(list: string): readonly string[] {
  const groups = list.split(',').filter((group) => group !== '')
  return groups.length === 0 ? ['default'] : groups
}
