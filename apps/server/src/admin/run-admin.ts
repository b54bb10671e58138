import { messageText } from '@sluice/contract'
import { removeSetupFile } from '../api/account/setup-link.ts'
import { findSetup } from '../api/account/setup-queries.ts'
import { byOperator, openSettings } from '../api/option/settings.ts'
import { connectStore } from '../db/connect-store.ts'
import { openForChanges } from '../db/open-beside.ts'
import { isThere, placeLabel, storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import { failByOrder } from '../lib/failpoints.ts'
import { createPasswords } from '../lib/passwords.ts'
import { accountLines, setNewPassword } from './accounts.ts'
import { backUp, restore } from './backups.ts'
import { recompute } from './balance-commands.ts'
import { compact } from './compact-command.ts'
import { openSeal } from './open-seal.ts'
import { type AccessChoice, clearSecondFactor, findAccount } from './queries.ts'
import { rotateSecret } from './rotate-secret.ts'
import { setAside } from './set-aside-commands.ts'
import { setupLink } from './setup-link-command.ts'
import { UsageError } from './usage-error.ts'

const usage = `Usage: admin COMMAND

  These work while the server runs, and while it does not:
    list-users                        every account: role, state, address, ways to log in
    reset-password USERNAME [--keep-access-tokens]
                                      sets a new random password, prints it, ends the sessions of the account and revokes its access tokens
    setup-link                        prints a new link by which root logs in until it has a password, and ends the earlier link
    clear-second-factor USERNAME [--keep-access-tokens]
                                      removes every second factor and passkey of an account, ends its sessions and revokes its access tokens
    set-option NAME VALUE             sets an option; VALUE is read from standard input where it is -
    set-option NAME --clear           removes a secret
    set-aside                         lists charges that the database refused, and that wait for a decision
    set-aside retry ID                does one again as it was
    set-aside resolve ID QUOTA [REMARK...]   ends its reservation with another charge; 0 = nothing
    recompute-balances                sets the balances of the system's accounts to the sums of their entries, and lists users whose differ
    backup FOLDER [--with-key]        copies a SQLite database as it is at this moment; the master key only with --with-key

  For these the server must be stopped:
    restore FOLDER [--with-key]       (or the FILE of a scheduled backup) puts the copy in the place of the SQLite database, which is kept beside it
    compact                           frees the disk space of deleted rows of a SQLite database
    recompute-balances --users        sets the balances of users to the sums of their entries
    rotate-secret                     makes a new master key and seals everything with it; may be repeated wherever it was cut off`

type Command = (env: Env, given: readonly string[]) => Promise<readonly string[]>

const commands: Readonly<Record<string, Command>> = {
  'list-users': listUsers,
  'reset-password': resetPassword,
  'setup-link': setupLink,
  'clear-second-factor': clearFactors,
  'set-option': setOption,
  'set-aside': setAside,
  'recompute-balances': recompute,
  backup: async (env, given) => backUp(env, ...folderOf(given)),
  restore: async (env, given) => await restore(env, ...folderOf(given)),
  compact,
  'rotate-secret': rotate,
}

/** Runs a command of the operator on the machine itself, without a login. @returns the exit code */
export async function runAdmin([name = '', ...given]: readonly string[], env: Env): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) return refuse(usage)
  try {
    for (const line of await command(env, given)) console.log(line)
    return 0
  } catch (error) {
    if (error instanceof UsageError) return refuse(usage)
    return refuse(`${name} could not be done: ${reasonOf(error)}`)
  }
}

async function listUsers(env: Env, given: readonly string[]): Promise<readonly string[]> {
  if (given.length > 0) throw new UsageError()
  const { db, close } = await openForChanges(storePlace(env))
  try {
    for await (const line of accountLines(db)) console.log(line)
    return []
  } finally {
    await close()
  }
}

async function resetPassword(env: Env, given: readonly string[]): Promise<readonly string[]> {
  const { username, keepsTokens } = accountOf(given)
  const { db, close } = await openForChanges(storePlace(env))
  try {
    const done = await setNewPassword(db, createPasswords(), { username, keepsTokens })
    if (done === null) throw new Error(`there is no account ${JSON.stringify(username)}; list-users shows them`)
    if ((await findSetup(db)) === undefined) removeSetupFile(env.dataDir)
    const seal = await openSeal(db, env, warn)
    const { PasswordLoginEnabled } = (await openSettings({ db, seal, clock: systemClock })).current()
    return [
      `The password of ${username} is now: ${done.password}`,
      endedText({ keepsTokens }),
      ...(done.isBanned ? ['The account is banned; an administrator can enable it.'] : []),
      ...(PasswordLoginEnabled ? [] : ['Login by password is switched off. Switch it on: set-option PasswordLoginEnabled true']),
    ]
  } finally {
    await close()
  }
}

async function clearFactors(env: Env, given: readonly string[]): Promise<readonly string[]> {
  const { username, keepsTokens } = accountOf(given)
  const { db, close } = await openForChanges(storePlace(env))
  try {
    const account = await findAccount(db, username)
    if (account === undefined) throw new Error(`there is no account ${JSON.stringify(username)}; list-users shows them`)
    await clearSecondFactor(db, account.id, { keepsTokens })
    return [`${username} has no second factor and no passkey any more.`, endedText({ keepsTokens })]
  } finally {
    await close()
  }
}

async function setOption(env: Env, [key, value, ...more]: readonly string[]): Promise<readonly string[]> {
  if (key === undefined || value === undefined || more.length > 0) throw new UsageError()
  const text = value === '-' ? (await Bun.stdin.text()).replace(/\r?\n$/, '') : value
  const { db, close } = await openForChanges(storePlace(env))
  try {
    const settings = await openSettings({ db, seal: await openSeal(db, env, warn), clock: systemClock })
    const change = value === '--clear' ? { key, value: '', clear: true } : { key, value: text }
    const { keptBack } = await settings.save({ ...change, by: byOperator })
    const also =
      keptBack.length === 0 ? [] : [`${keptBack.join(', ')} was entered for another server and is not sent to this one: set it again.`]
    return [`${key} is set. A server that runs takes it over within seconds.`, ...also]
  } finally {
    await close()
  }
}

const setSecret = 'Now set SLUICE_SECRET to the value of SLUICE_SECRET_NEXT, and remove SLUICE_SECRET_NEXT.'

async function rotate(env: Env, given: readonly string[]): Promise<readonly string[]> {
  if (given.length > 0) throw new UsageError()
  const place = storePlace(env)
  if (!isThere(place)) throw new Error(`there is no database at ${placeLabel(place)}`)
  const reached = failByOrder(env.failAt)
  // With the store's lock: a running server would continue to seal with the old key in its memory.
  const store = await connectStore(place, { reached, report: (what, error) => warn(`${what} ${error === null ? '' : reasonOf(error)}`) })
  try {
    const outcome = await rotateSecret({ db: store.db, place: env, initialAccessToken: env.initialRootAccessToken, reached })
    if (outcome.is === 'refused') throw new Error(outcome.reason)
    await store.durable()
    const change = env.nextSecret === '' || env.secret === '' ? [] : [setSecret]
    if (outcome.is === 'already') return ['Everything is sealed with the new master key.', ...change]
    const { revokedOf, unreadable } = outcome
    return [
      'Everything is sealed with a new master key. Copies of the database from before need the old one.',
      ...(revokedOf.length === 0
        ? []
        : [`System access tokens are kept as hashes only, so these must be made anew: ${revokedOf.join(', ')}`]),
      'Personal access tokens and recovery codes are kept as hashes only, so they must be made anew, too.',
      ...(unreadable === 0 ? [] : [`${unreadable} values could not be opened before and stay so.`]),
      ...change,
    ]
  } finally {
    await store.close()
  }
}

const keepTokens = '--keep-access-tokens'

function accountOf(given: readonly string[]): AccessChoice & { readonly username: string } {
  const [username, ...more] = given.filter((word) => word !== keepTokens)
  if (username === undefined || more.length > 0) throw new UsageError()
  return { username, keepsTokens: given.includes(keepTokens) }
}

function endedText({ keepsTokens }: AccessChoice): string {
  return keepsTokens
    ? 'Its sessions have ended. Its access tokens stay valid.'
    : 'Its sessions have ended, and its access tokens are revoked.'
}

function folderOf(given: readonly string[]): [folder: string, withKey: boolean] {
  const [folder, ...more] = given.filter((word) => word !== '--with-key')
  if (folder === undefined || folder.startsWith('-') || more.length > 0) throw new UsageError()
  return [folder, given.includes('--with-key')]
}

function warn(problem: string): void {
  console.error(problem)
}

function refuse(text: string): number {
  console.error(text)
  return 1
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return messageText(error.code, error.options.params)
  return error instanceof Error ? error.message : String(error)
}
