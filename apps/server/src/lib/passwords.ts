import { AppError } from './app-error.ts'

/** Hashes and checks passwords, a few at a time: each takes 19 MiB and a core for tens of milliseconds. */
export interface Passwords {
  /** Argon2id. @throws AppError login_busy */
  hash(password: string): Promise<string>
  /** Also accepts the bcrypt hashes of imported accounts. With the empty hash of an account without password, it pretends. @throws AppError login_busy */
  verify(password: string, hash: string): Promise<boolean>
  /** Takes as long as `verify`, so that the response time does not reveal whether a name exists. */
  pretend(password: string): Promise<false>
  /** Whether the hash has an older form than those that `hash` makes. */
  isOld(hash: string): boolean
}

/** OWASP's minimum for Argon2id (Password Storage Cheat Sheet, read 2026-11-21): 19 MiB, two passes, one lane. */
export const argonCost = { memoryCost: 19_456, timeCost: 2 }

const atOnceMax = 2
const waitingMax = 50

export function createPasswords(cost: { readonly memoryCost: number; readonly timeCost: number } = argonCost): Passwords {
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
  const compare = (password: string, stored: string): Promise<boolean> =>
    inTurn(() => Bun.password.verify(password, stored).catch(() => false))
  /** Tried again after it was refused, when too much waited. */
  const standIn = (): Promise<string> => {
    unknown ??= hash('nobody has this password').catch((error: unknown) => {
      unknown = null
      throw error
    })
    return unknown
  }
  const pretend = async (password: string): Promise<false> => {
    await compare(password, await standIn())
    return false
  }

  return {
    hash,
    verify: (password, stored) => (stored === '' ? pretend(password) : compare(password, stored)),
    pretend,
    isOld: (stored) => !stored.startsWith('$argon2id$'),
  }
}
