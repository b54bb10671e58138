import type { Db } from '../../db/connect.ts'
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
  const id = await insertRoot(db, {
    passwordHash: await passwords.hash(initialPassword || defaultPassword),
    isDefault: initialPassword === '',
    accessTokenLookup: initialAccessToken === '' ? null : seal.lookup(initialAccessToken, 'access-token'),
    now: nowSeconds(clock),
  })
  await ledger.post({ userId: id, kind: 'grant', ref: `initial:${id}`, amount: rootQuota })
}
