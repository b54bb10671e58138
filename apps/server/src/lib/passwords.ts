import { AppError } from './app-error.ts'
import { createCommonPasswords } from './common-passwords.ts'

/** Hashes and checks passwords, a few at a time: each takes 19 MiB and a core for tens of milliseconds. */
export interface Passwords {
  /** Argon2id. @throws AppError login_busy */
  hash(password: string): Promise<string>
  /** The hash of a password that a person chose. @throws AppError password_common, login_busy */
  hashChosen(password: string): Promise<string>
  /** Also accepts the bcrypt hashes of imported accounts, up to a cost. An account without a usable hash takes as long. @throws AppError login_busy */
  verify(password: string, hash: string): Promise<boolean>
  /** Takes as long as `verify`, so that the response time does not reveal whether a name exists. */
  pretend(password: string): Promise<false>
  /** Whether the hash has an older form than those that `hash` makes. */
  isOld(hash: string): boolean
}

/** OWASP's minimum for Argon2id (Password Storage Cheat Sheet, read 2026-11-21): 19 MiB, two passes, one lane. */
export const argonCost = { memoryCost: 19_456, timeCost: 2 }

/** Highest bcrypt cost that is checked: each step doubles the time, and 14 takes about a second. */
export const bcryptCostMax = 14

const bcrypt = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z\d]{53}$/

/** The cost of a bcrypt hash; `null` = it is none. */
export function bcryptCost(hash: string): number | null {
  const cost = bcrypt.exec(hash)?.[1]
  return cost === undefined ? null : Number(cost)
}

/** Whether checking a password takes a bounded time. */
function isCheckable(hash: string): boolean {
  return hash.startsWith(argonPrefix) || (bcryptCost(hash) ?? bcryptCostMax + 1) <= bcryptCostMax
}

const argonPrefix = '$argon2id$'

const atOnceMax = 2
const waitingMax = 50

export function createPasswords(cost: { readonly memoryCost: number; readonly timeCost: number } = argonCost): Passwords {
  const isCommon = createCommonPasswords()
  let running = 0
  const waiting: Array<() => void> = []
  let unknown: Promise<string> | null = null

  async function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    if (running >= atOnceMax) {
      if (waiting.length >= waitingMax) throw new AppError('login_busy', { retryAfterSeconds: 2 })
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }

  const hash = (password: string): Promise<string> => inTurn(() => Bun.password.hash(password, { algorithm: 'argon2id', ...cost }))
  const check = (password: string, stored: string): Promise<boolean> =>
    inTurn(() => Bun.password.verify(password, stored).catch(() => false))
  /** Tried again after it was refused, when too much waited. */
  const standIn = (): Promise<string> => {
    unknown ??= hash('nobody has this password').catch((error: unknown) => {
      unknown = null
      throw error
    })
    return unknown
  }

  async function pretend(password: string): Promise<false> {
    await check(password, await standIn())
    return false
  }

  return {
    hash,
    async hashChosen(password) {
      if (await isCommon(password)) throw new AppError('password_common')
      return await hash(password)
    },
    verify: (password, stored) => (isCheckable(stored) ? check(password, stored) : pretend(password)),
    pretend,
    isOld: (stored) => !stored.startsWith(argonPrefix),
  }
}
