import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../db/connect.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import { countOne, deleteStaleCodes, saveCode, spendCode, takeTry } from './queries.ts'

/** What a code is for. One for a binding is valid for one account only. */
export type Purpose = 'register' | 'reset' | 'oauth' | 'second-step' | 'passkey' | `bind:${number}`

/** Single-use codes, links and states. Only hashes are stored, so a copy of the database contains no valid code. */
export interface Codes {
  /** @returns the secret to send out */
  issue(code: NewCode): Promise<string>
  /** Uses up a valid code. `null` = wrong, expired, used up or tried too often. */
  check(purpose: Purpose, address: string, secret: string): Promise<IssuedTo | null>
  /** Uses up one try of a valid code, which stays valid. `null` as above. */
  peek(purpose: Purpose, address: string, secret: string): Promise<IssuedTo | null>
  /** Counts a use of the key. @returns seconds to wait; 0 = allowed */
  count(key: string, limit: { readonly max: number; readonly seconds: number }): Promise<number>
  /** Deletes expired codes and counters. */
  clean(): Promise<void>
}

interface NewCode {
  readonly purpose: Purpose
  /** The address that it is sent to, or another name of it. */
  readonly address: string
  /** Default: digits to type. */
  readonly secret?: string
  readonly userId?: number
  readonly detail?: string
  /** Default: few for digits, many for a long secret. */
  readonly tries?: number
}

interface IssuedTo {
  /** 0 = nobody. */
  readonly userId: number
  readonly detail: string
}

/** How long any of them is valid. */
export const codeSeconds = 600

/** Five tries at six digits find one code in 200,000. */
export const digitTriesMax = 5

/** Long secrets cannot be guessed; strangers must not be able to use up their tries. */
const longTriesMax = 1_000_000_000

/** 128 bits, for links, which are not typed. */
export const longSecret = (): string => randomBytes(16).toString('hex')

const digits = (): string => String(randomInt(1_000_000)).padStart(6, '0')

export function createCodes({ db, seal, clock }: { readonly db: Db; readonly seal: Seal; readonly clock: Clock }): Codes {
  const keyOf = (purpose: Purpose, address: string): string => seal.lookup(address, `code:${purpose}`)
  /** The key is a part of the hash, so that a secret is valid only for the key it was issued for. */
  const hashOf = (secret: string, key: string): string => seal.lookup(secret.trim(), `code-secret:${key}`)

  async function valid(key: string, secret: string) {
    const row = await takeTry(db, key, nowSeconds(clock))
    return row !== undefined && timingSafeEqual(Buffer.from(row.secret_hash), Buffer.from(hashOf(secret, key))) ? row : null
  }

  return {
    async issue({ purpose, address, secret: fixedSecret, userId = 0, detail = '', tries }) {
      const secret = fixedSecret ?? digits()
      const key_hash = keyOf(purpose, address)
      await saveCode(db, {
        key_hash,
        secret_hash: hashOf(secret, key_hash),
        user_id: userId,
        detail,
        tries_left: tries ?? (fixedSecret === undefined ? digitTriesMax : longTriesMax),
        expires_at: nowSeconds(clock) + codeSeconds,
      })
      return secret
    },
    async check(purpose, address, secret) {
      const key = keyOf(purpose, address)
      const row = await valid(key, secret)
      return row !== null && (await spendCode(db, key, row.secret_hash)) ? { userId: row.user_id, detail: row.detail } : null
    },
    async peek(purpose, address, secret) {
      const row = await valid(keyOf(purpose, address), secret)
      return row === null ? null : { userId: row.user_id, detail: row.detail }
    },
    async count(key, { max, seconds }) {
      const now = nowSeconds(clock)
      const { count, ends_at } = await countOne(db, { keyHash: seal.lookup(key, 'counter'), now, endsAt: now + seconds })
      return count <= max ? 0 : Math.max(1, ends_at - now)
    },
    clean: () => deleteStaleCodes(db, nowSeconds(clock)),
  }
}
