import type { Db } from '../../db/connect.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { adminCommand } from '../../lib/inside-executable.ts'
import type { Passwords } from '../../lib/passwords.ts'
import type { Seal } from '../../lib/seal.ts'
import { findByAccessToken, findPasswordHash, hasUsers, insertRoot } from './login-queries.ts'
import { makeSetupLink } from './setup-link.ts'
import { findRoot } from './setup-queries.ts'

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
  /** Empty = a setup link, or the built-in password if it is allowed. */
  readonly initialPassword: string
  /** Empty = none. */
  readonly initialAccessToken: string
  readonly allowsDefaultPassword: boolean
  readonly warn: (problem: string) => void
}

/** Creates the root account of an empty database. @returns the secret of its setup link; `null` = this process has made none */
export async function bootstrapRoot(deps: BootstrapDeps): Promise<string | null> {
  const { db, ledger } = deps
  if (await hasUsers(db)) {
    await warnOfUnused(deps)
    return null
  }
  const root = await firstOf(() => createRoot(deps))
  if (root === null) return null
  await ledger.post({ userId: root.id, kind: 'grant', ref: `initial:${root.id}`, amount: rootQuota })
  return root.secret
}

async function createRoot(deps: BootstrapDeps): Promise<{ readonly id: number; readonly secret: string | null }> {
  const { db, seal, clock, passwords, initialPassword, initialAccessToken, allowsDefaultPassword } = deps
  const isDefault = initialPassword === '' && allowsDefaultPassword
  const password = isDefault ? defaultPassword : initialPassword
  const passwordHash = password === '' ? '' : await passwords.hash(password)
  return await db.transaction().execute(async (tx) => {
    const id = await insertRoot(tx, {
      passwordHash,
      isDefault,
      accessTokenLookup: initialAccessToken === '' ? null : seal.lookup(initialAccessToken, 'access-token'),
      now: nowSeconds(clock),
    })
    return { id, secret: password === '' ? await makeSetupLink(tx, id, clock) : null }
  })
}

/** `null`: another node that started at the same time has made the account. */
async function firstOf<Root>(insert: () => Promise<Root>): Promise<Root | null> {
  try {
    return await insert()
  } catch (error) {
    if (isUniqueViolation(error)) return null
    throw error
  }
}

/** Reports bootstrap variables that are set on a later start, where they have no effect. */
async function warnOfUnused(deps: BootstrapDeps): Promise<void> {
  const { db, seal, passwords, initialPassword, initialAccessToken, warn } = deps
  if (initialAccessToken !== '' && (await findByAccessToken(db, seal.lookup(initialAccessToken, 'access-token'))) === undefined)
    warn(
      'INITIAL_ROOT_ACCESS_TOKEN has no effect: it is used only when the database is empty. Create a token in the console (Settings > Personal) or with GET /api/user/token',
    )
  const root = initialPassword === '' ? undefined : await findRoot(db)
  if (root !== undefined && !(await passwords.verify(initialPassword, await findPasswordHash(db, root.id))))
    warn(
      `INITIAL_ROOT_PASSWORD has no effect: it is used only when the database is empty. Set a new password with: ${adminCommand} reset-password ${root.username}`,
    )
}
