import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../db/connect.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import { countOne, deleteStaleCodes, saveCode, spendCode, takeTry } from './queries.ts'

/** What a code proves. One for a binding is worth nothing to another account. */
export type Purpose = 'register' | 'reset' | 'oauth' | `bind:${number}`

/** Codes, links and states that go out and come back once. Only hashes are stored, so a copy of the database proves nothing. */
export interface Codes {
  /** @returns the secret to send out */
  issue(code: NewCode): Promise<string>
  /** `null`: wrong, too old, used up or tried too often. A right one is used up by this. */
  check(purpose: Purpose, address: string, secret: string): Promise<IssuedTo | null>
  /** Counts a use of the key. @returns seconds to wait; 0 = go on */
  count(key: string, limit: { readonly max: number; readonly seconds: number }): Promise<number>
  /** Drops what has run out. */
  clean(): Promise<void>
}

interface NewCode {
  readonly purpose: Purpose
  /** Where it is sent, or what names it. */
  readonly address: string
  /** Digits to type, unless another is given. */
  readonly secret?: string
  readonly userId?: number
  readonly detail?: string
}

interface IssuedTo {
  /** 0 = nobody. */
  readonly userId: number
  readonly detail: string
}

/** How long any of them is good. */
export const codeSeconds = 600

/** Five tries at six digits find one code in 200,000. Nobody guesses a long secret, and few tries would let a stranger use them up. */
const triesMax = { digits: 5, long: 1_000 }

/** 128 bits: for links, which nobody types. */
export const longSecret = (): string => randomBytes(16).toString('hex')

const digits = (): string => String(randomInt(1_000_000)).padStart(6, '0')

export function createCodes({ db, seal, clock }: { readonly db: Db; readonly seal: Seal; readonly clock: Clock }): Codes {
  const keyOf = (purpose: Purpose, address: string): string => seal.lookup(address, `code:${purpose}`)
  /** The key is part of it: a secret fits only where it was issued. */
  const hashOf = (secret: string, key: string): string => seal.lookup(secret.trim(), `code-secret:${key}`)

  return {
    async issue({ purpose, address, secret: given, userId = 0, detail = '' }) {
      const secret = given ?? digits()
      const key_hash = keyOf(purpose, address)
      await saveCode(db, {
        key_hash,
        secret_hash: hashOf(secret, key_hash),
        user_id: userId,
        detail,
        tries_left: given === undefined ? triesMax.digits : triesMax.long,
        expires_at: nowSeconds(clock) + codeSeconds,
      })
      return secret
    },
    async check(purpose, address, secret) {
      const key = keyOf(purpose, address)
      const row = await takeTry(db, key, nowSeconds(clock))
      if (row === undefined || !timingSafeEqual(Buffer.from(row.secret_hash), Buffer.from(hashOf(secret, key)))) return null
      return (await spendCode(db, key, row.secret_hash)) ? { userId: row.user_id, detail: row.detail } : null
    },
    async count(key, { max, seconds }) {
      const now = nowSeconds(clock)
      const { count, ends_at } = await countOne(db, { keyHash: seal.lookup(key, 'counter'), now, endsAt: now + seconds })
      return count <= max ? 0 : Math.max(1, ends_at - now)
    },
    clean: () => deleteStaleCodes(db, nowSeconds(clock)),
  }
}
