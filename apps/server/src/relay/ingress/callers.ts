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
import type { KeyForm } from '../model/key-form.ts'
import { type KeyHolder, keyOf } from './token-key.ts'
import { limitsOf } from './token-limits.ts'
import { findCaller, markExhausted, markToken } from './token-queries.ts'

/** The parts of a request that identify its sender. */
interface Presented extends Pick<Incoming, 'address'> {
  readonly request: KeyHolder
  /** Set once the request is admitted. */
  caller?: Caller | null
}

export interface Callers {
  /**
   * Authenticates a request: its token must be known, enabled, not expired, allowed for the address, and of an enabled account. A cached
   * token is checked synchronously.
   * @throws AppError token_missing, token_invalid, token_disabled, token_expired, token_exhausted, subnet_forbidden, user_banned,
   * channel_pin_forbidden
   */
  admit(incoming: Presented, forms?: readonly KeyForm[]): Caller | Promise<Caller>
  /** Rethrows the reason why nothing was reserved. If the token's quota is used up, its row is marked as exhausted. */
  refused(tokenId: number, error: unknown): Promise<never>
  forgetToken(tokenId: number): void
  forgetUser(userId: number): void
  /** Forgets which keys are unknown: tokens were created. */
  forgetUnknown(): void
  forgetAll(): void
}

interface TokenRecord {
  readonly id: number
  readonly userId: number
  readonly name: string
  readonly status: number
  readonly expiredTime: number
  readonly models: ReadonlySet<string> | null
  readonly subnets: readonly Subnet[]
  /** Created with the token's first use after a change of its owner. */
  readonly caller: Caller
  readonly userIsEnabled: boolean
  /** Whether the account may name a channel in the key. */
  readonly mayPin: boolean
}

/** Tokens in the cache; one beyond it costs a query. */
const tokensMax = 100_000
/** Unknown keys in the cache. */
const unknownMax = 10_000
/** How long a key is cached as unknown, in milliseconds: short, because other processes may create tokens. */
const unknownMs = 10_000

interface CallersDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  /** Size of the cache of tokens; smaller in tests. */
  readonly max?: number
}

export function createCallers({ db, seal, clock, max = tokensMax }: CallersDeps): Callers {
  const byKey = createLru<string, TokenRecord>(max, leaveIndex)
  /** Secondary index of the cached tokens by id. */
  const keysOfToken = new Map<number, string>()
  const tokensOfUser = new Map<number, Set<number>>()
  /** Expiry of each unknown key, in monotonic milliseconds. */
  const unknown = createLru<string, number>(unknownMax)
  const reads = createSingleFlight<TokenRecord>()

  /** Number of invalidations. A row whose read began before the last one may be outdated and is not cached. */
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
        seesOwnOnly: row.own_work_only === 1,
        pin: null,
        limits: limitsOf(row),
      },
    }
    if (forgotten === before) keep(key, record)
    return record
  }

  /** Concurrent lookups of a key share one query; a key that was just found to be unknown needs none. */
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

  /** Invalidates the tokens, including reads in progress. */
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

  /** Enables a token marked as expired whose expiry lies ahead: the clock was wrong, or it was extended. @throws AppError for others */
  async function revived(record: TokenRecord): Promise<TokenRecord> {
    if (record.status !== tokenStatus.expired || isOver(record)) return await refuse(record)
    forgetToken(record.id)
    await markToken(db, record.id, { from: tokenStatus.expired, to: tokenStatus.enabled })
    return { ...record, status: tokenStatus.enabled }
  }

  function check(record: TokenRecord, pin: string | null, sender: Presented): Caller | Promise<Caller> {
    if (record.status !== tokenStatus.enabled || isOver(record)) return revived(record).then((alive) => check(alive, pin, sender))
    if (record.subnets.length > 0 && !isInSubnets(sender.address(), record.subnets)) throw new AppError('subnet_forbidden')
    if (!record.userIsEnabled) throw new AppError('user_banned')
    sender.caller = record.caller
    if (pin === null) return record.caller
    // Checked before the channel is looked up, so that the error does not reveal which channels exist.
    if (!record.mayPin) throw new AppError('channel_pin_forbidden')
    return { ...record.caller, pin }
  }

  return {
    admit(sender, forms) {
      const { key, pin } = keyOf(sender.request, forms)
      const record = byKey.get(key)
      return record === undefined ? lookUp(key).then((loaded) => check(loaded, pin, sender)) : check(record, pin, sender)
    },
    async refused(tokenId, error) {
      const isSpent = error instanceof AppError && error.code === 'insufficient_token_quota'
      if (isSpent && (await markExhausted(db, tokenId))) forgetToken(tokenId)
      throw error
    },
    forgetToken,
    forgetUser: (userId) => forget([...(tokensOfUser.get(userId) ?? [])]),
    forgetUnknown: () => forget([]),
    forgetAll: () => forget([...keysOfToken.keys()]),
  }
}

export function groupsOf(list: string): readonly string[] {
  const groups = list.split(',').filter((group) => group !== '')
  return groups.length === 0 ? ['default'] : groups
}
