import type { Db } from '../../db/connect.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Passwords } from '../../lib/passwords.ts'
import type { Seal } from '../../lib/seal.ts'
import { hasUsers, insertRoot } from './login-queries.ts'

/** The built-in first password; compatible consoles know it and warn about it. */
const defaultPassword = '123456'

/** Quota of the first account: a thousand million dollars, so that the operator never runs out. */
const rootQuota = 500_000_000_000_000

interface BootstrapDeps {
  readonly db: Db
  readonly ledger: Ledger
  readonly seal: Seal
  readonly clock: Clock
  readonly passwords: Passwords
  readonly initialPassword: string
  readonly initialAccessToken: string
}

/** Creates the root account of an empty database. */
export async function bootstrapRoot({
  db,
  ledger,
  seal,
  clock,
  passwords,
  initialPassword,
  initialAccessToken,
}: BootstrapDeps): Promise<void> {
  if (await hasUsers(db)) return
  const passwordHash = await passwords.hash(initialPassword || defaultPassword)
  const id = await firstOf(() =>
    insertRoot(db, {
      passwordHash,
      isDefault: initialPassword === '',
      accessTokenLookup: initialAccessToken === '' ? null : seal.lookup(initialAccessToken, 'access-token'),
      now: nowSeconds(clock),
    }),
  )
  if (id === null) return
  await ledger.post({ userId: id, kind: 'grant', ref: `initial:${id}`, amount: rootQuota })
}

/** `null`: another node that started at the same time has made the account. */
async function firstOf(insert: () => Promise<number>): Promise<number | null> {
  try {
    return await insert()
  } catch (error) {
    if (isUniqueViolation(error)) return null
    throw error
  }
}
