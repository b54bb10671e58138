import { removeSetupFile } from '../api/account/setup-link.ts'
import { findSetup } from '../api/account/setup-queries.ts'
import { openSettings } from '../api/option/settings.ts'
import { openForChanges } from '../db/open-beside.ts'
import { storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { systemClock } from '../lib/clock.ts'
import { createPasswords } from '../lib/passwords.ts'
import { accountLines, setNewPassword } from './accounts.ts'
import { sealForReading } from './open-seal.ts'
import { type AccessChoice, clearSecondFactor, findAccount } from './queries.ts'
import { UsageError } from './usage-error.ts'

export async function listUsers(env: Env, words: readonly string[]): Promise<readonly string[]> {
  if (words.length > 0) throw new UsageError()
  const { db, close } = await openForChanges(storePlace(env))
  try {
    for await (const line of accountLines(db)) console.log(line)
    return []
  } finally {
    await close()
  }
}

export async function resetPassword(env: Env, words: readonly string[]): Promise<readonly string[]> {
  const { username, keepsTokens } = accountOf(words)
  const { db, close } = await openForChanges(storePlace(env))
  try {
    const done = await setNewPassword(db, createPasswords(), { username, keepsTokens })
    if (done === null) throw new Error(`account ${JSON.stringify(username)} not found; list-users shows all accounts`)
    if ((await findSetup(db)) === undefined) removeSetupFile(env.dataDir)
    const seal = await sealForReading(db, env)
    const { PasswordLoginEnabled } = (await openSettings({ db, seal, clock: systemClock })).current()
    return [
      `The password of ${username} is now: ${done.password}`,
      endedText({ keepsTokens }),
      ...(done.isBanned ? ['The account is banned; an administrator can enable it.'] : []),
      ...(PasswordLoginEnabled ? [] : ['Password login is disabled. Enable it: set-option PasswordLoginEnabled true']),
    ]
  } finally {
    await close()
  }
}

export async function clearFactors(env: Env, words: readonly string[]): Promise<readonly string[]> {
  const { username, keepsTokens } = accountOf(words)
  const { db, close } = await openForChanges(storePlace(env))
  try {
    const account = await findAccount(db, username)
    if (account === undefined) throw new Error(`account ${JSON.stringify(username)} not found; list-users shows all accounts`)
    await clearSecondFactor(db, account.id, { keepsTokens })
    return [`${username} now has no second factor and no passkey.`, endedText({ keepsTokens })]
  } finally {
    await close()
  }
}

const keepTokens = '--keep-access-tokens'

function accountOf(words: readonly string[]): AccessChoice & { readonly username: string } {
  const [username, ...more] = words.filter((word) => word !== keepTokens)
  if (username === undefined || more.length > 0) throw new UsageError()
  return { username, keepsTokens: words.includes(keepTokens) }
}

function endedText({ keepsTokens }: AccessChoice): string {
  return keepsTokens
    ? 'Its sessions have ended. Its access tokens stay valid.'
    : 'Its sessions have ended, and its access tokens are revoked.'
}
