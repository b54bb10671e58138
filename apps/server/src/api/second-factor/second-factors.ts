import { randomInt } from 'node:crypto'
import type { SecondStep } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { clientKey, networkKey } from '../../lib/cidr.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Limiters } from '../../lib/limiters.ts'
import type { Seal } from '../../lib/seal.ts'
import { stepOfCode } from './app-codes.ts'
import { countCodes, deleteCodes, findFactors, hasPasskey, replaceCodes, setOn, spendCode, takeStep } from './queries.ts'

/** What the code of a second factor was. */
type CodeKind = 'app' | 'recovery'

/** The second factors of accounts, for logins and for the nouns that change them. Writes with `tx` are a part of that transaction. */
export interface SecondFactors {
  /** Second factors that a login can use at a host; empty = the account has none. */
  stepsOf(userId: number, host: string): Promise<readonly SecondStep[]>
  /** Whether the account has two-factor authentication. */
  isOn(userId: number): Promise<boolean>
  /** Uses up a code of the app or a recovery code. @throws AppError two_factor_code_invalid, second_factor_unreadable, login_throttled */
  spend(userId: number, code: string, address: string): Promise<CodeKind>
  /** New recovery codes in place of those before. */
  newCodes(userId: number, tx: Db): Promise<readonly string[]>
  /** Turns two-factor authentication off if neither app nor passkey is left. @returns whether it did */
  turnOffIfBare(userId: number, tx: Db): Promise<boolean>
}

interface FactorDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly limiters: Pick<Limiters, 'throttle' | 'remember'>
}

/** Tries at the codes of one account from one network, or from one client that completed a login of the account before. */
const triesOfNetwork = { free: 5, windowMs: 15 * 60_000, waitMaxMs: 300_000 } as const

/**
 * Tries from all networks together, without clients that completed a login before. Whoever tries knows the password already; three of a
 * million codes are valid at a time, so 20 tries in 15 minutes find one in half a year on average.
 */
const triesOfAccount = { free: 20, windowMs: 15 * 60_000, waitMaxMs: 300_000 } as const

const recoveryCodes = 10
/** Without letters and digits that look alike. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
/** 49 bits. */
const recoveryLength = 10

/** What the app's secret is sealed for. */
export const appPurpose = (userId: number): string => `authenticator-app:${userId}`

/** Whether the account has two-factor authentication. */
export async function hasSecondStep(db: Db, userId: number): Promise<boolean> {
  return (await findFactors(db, userId))?.is_on === 1
}

export function createSecondFactors({ db, seal, clock, limiters }: FactorDeps): SecondFactors {
  const byNetwork = limiters.throttle('second-factor-network', triesOfNetwork)
  const byAccount = limiters.throttle('second-factor', triesOfAccount)
  const known = limiters.remember('second-factor-known')
  const lookupOf = (userId: number, code: string): string => seal.lookup(code, `recovery-code:${userId}`)

  async function kindOf(userId: number, code: string): Promise<CodeKind | null> {
    if (!/^\d{6}$/.test(code)) return (await spendCode(db, userId, lookupOf(userId, code))) ? 'recovery' : null
    const factors = await findFactors(db, userId)
    if (factors?.app_confirmed !== 1) return null
    const secret = seal.tryOpen(factors.app_sealed, appPurpose(userId))
    if (secret === null) throw new AppError('second_factor_unreadable')
    const step = await stepOfCode(secret, code, clock.nowMs())
    return step !== null && (await takeStep(db, userId, step)) ? 'app' : null
  }

  /** Somebody else who knows the password can slow down neither the owner's network nor a client that the owner used before. */
  async function limitsOf(userId: number, address: string) {
    const client = `${userId} ${clientKey(address)}`
    if (await known.has(client)) return [{ throttle: byNetwork, key: client }]
    return [
      { throttle: byNetwork, key: `${userId} ${networkKey(address)}` },
      { throttle: byAccount, key: String(userId) },
    ]
  }

  return {
    async stepsOf(userId, host) {
      const factors = await findFactors(db, userId)
      if (factors?.is_on !== 1) return []
      return (await hasPasskey(db, userId, host)) ? ['code', 'passkey'] : ['code']
    },

    isOn: (userId) => hasSecondStep(db, userId),

    async spend(userId, code, address) {
      const limits = await limitsOf(userId, address)
      for (const { throttle, key } of limits) {
        const wait = await throttle.take(key)
        if (wait > 0) throw new AppError('login_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
      }
      const kind = await kindOf(userId, plainCode(code))
      if (kind === null) throw new AppError('two_factor_code_invalid')
      for (const { throttle, key } of limits) await throttle.forget(key)
      await known.add(`${userId} ${clientKey(address)}`)
      return kind
    },

    async newCodes(userId, tx) {
      const codes = Array.from({ length: recoveryCodes }, newRecoveryCode)
      await replaceCodes(
        tx,
        userId,
        codes.map((code) => lookupOf(userId, code)),
      )
      return codes.map((code) => `${code.slice(0, recoveryLength / 2)}-${code.slice(recoveryLength / 2)}`)
    },

    async turnOffIfBare(userId, tx) {
      const factors = await findFactors(tx, userId)
      if (factors?.app_confirmed === 1 || (await hasPasskey(tx, userId))) return false
      if ((await countCodes(tx, userId)) > 0) await deleteCodes(tx, userId)
      return await setOn(tx, userId, false)
    },
  }
}

/** Codes are typed with spaces, dashes and capital letters, and full-width digits by Chinese keyboards. */
function plainCode(code: string): string {
  return code
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
}

function newRecoveryCode(): string {
  return Array.from({ length: recoveryLength }, () => recoveryAlphabet[randomInt(recoveryAlphabet.length)]).join('')
}
