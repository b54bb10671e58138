import { messageText } from '@sluice/contract'
import { byOperator, openSettings } from '../api/option/settings.ts'
import { explainStore } from '../db/explain-store.ts'
import { openForChanges } from '../db/open-beside.ts'
import { storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import { explainRefusal } from '../lib/data-folder.ts'
import { clearFactors, listUsers, resetPassword } from './account-commands.ts'
import { backUp, restore } from './backups.ts'
import { recompute } from './balance-commands.ts'
import { compact } from './compact-command.ts'
import { openSeal } from './open-seal.ts'
import { reset } from './reset-command.ts'
import { rotate } from './rotate-command.ts'
import { setAside } from './set-aside-commands.ts'
import { setupLink } from './setup-link-command.ts'
import { UsageError } from './usage-error.ts'

/** One way to write a command. */
interface Form {
  /** What follows the name; empty = nothing. */
  readonly parameters: string
  readonly summary: string
  /** No server may run on the database. */
  readonly needsStop?: true
}

interface Command {
  readonly forms: readonly [Form, ...Form[]]
  /** @returns what was done, in sentences. @throws UsageError, and what says why it could not be done */
  readonly run: (env: Env, words: readonly string[]) => Promise<readonly string[]>
}

const commands: Readonly<Record<string, Command>> = {
  'list-users': { forms: [{ parameters: '', summary: 'every account: role, status, email address, login methods' }], run: listUsers },
  'reset-password': {
    forms: [
      {
        parameters: 'USERNAME [--keep-access-tokens]',
        summary: 'sets a new random password, prints it, ends the sessions of the account and revokes its access tokens',
      },
    ],
    run: resetPassword,
  },
  'setup-link': {
    forms: [{ parameters: '', summary: 'prints a new link by which root logs in until it has a password, and ends the earlier link' }],
    run: setupLink,
  },
  'clear-second-factor': {
    forms: [
      {
        parameters: 'USERNAME [--keep-access-tokens]',
        summary: 'removes every second factor and passkey of an account, ends its sessions and revokes its access tokens',
      },
    ],
    run: clearFactors,
  },
  'set-option': {
    forms: [
      { parameters: 'NAME VALUE', summary: 'sets an option; VALUE is read from standard input where it is -' },
      { parameters: 'NAME --clear', summary: 'removes a secret' },
    ],
    run: setOption,
  },
  'set-aside': {
    forms: [
      { parameters: '', summary: 'lists charges that the database rejected and that need a decision' },
      { parameters: 'retry ID', summary: 'retries one unchanged' },
      { parameters: 'resolve ID QUOTA [REMARK...]', summary: 'settles it with another charge; 0 = none' },
    ],
    run: setAside,
  },
  'recompute-balances': {
    forms: [
      {
        parameters: '',
        summary: "sets the balances of the system's accounts to the sums of their entries, and lists users whose differ",
      },
      { parameters: '--users', summary: 'sets the balances of users to the sums of their entries', needsStop: true },
    ],
    run: recompute,
  },
  backup: {
    forms: [
      {
        parameters: 'FOLDER [--with-key]',
        summary: 'copies a SQLite database as it is at this moment; the master key only with --with-key',
      },
    ],
    run: async (env, words) => backUp(env, ...folderOf(words)),
  },
  restore: {
    forms: [
      {
        parameters: 'FOLDER [--with-key]',
        summary: '(or the FILE of a scheduled backup) puts the copy in the place of the SQLite database, which is kept beside it',
        needsStop: true,
      },
    ],
    run: async (env, words) => await restore(env, ...folderOf(words)),
  },
  compact: {
    forms: [{ parameters: '', summary: 'frees the disk space of deleted rows of a SQLite database', needsStop: true }],
    run: compact,
  },
  'reset-secret': {
    forms: [
      {
        parameters: '',
        summary:
          'where the master key is lost: continues with the key that is here, or a new one; stored keys and secrets must be entered again',
        needsStop: true,
      },
    ],
    run: reset,
  },
  'rotate-secret': {
    forms: [
      {
        parameters: '[--yes]',
        summary:
          'lists what ends with the master key and asks, then makes a new one and seals everything with it; may be repeated wherever it was cut off',
        needsStop: true,
      },
    ],
    run: rotate,
  },
}

/** Every way to write a command of `admin`, in the order of the list. */
export const adminForms: ReadonlyArray<Form & { readonly name: string }> = Object.entries(commands).flatMap(([name, { forms }]) =>
  forms.map((form) => ({ name, ...form })),
)

/** Columns of the list before the summaries. */
const summaryColumn = 36

/** Every command of `admin` with what it does. */
export function adminUsage(): string {
  const linesOf = (forms: typeof adminForms): string =>
    forms
      .map(({ name, parameters, summary }) => {
        const start = `    ${name} ${parameters}`.trimEnd()
        return start.length < summaryColumn ? `${start.padEnd(summaryColumn)}${summary}` : `${start}\n${''.padEnd(summaryColumn)}${summary}`
      })
      .join('\n')
  const isOffline = ({ needsStop }: Form): boolean => needsStop === true
  return `Usage: admin COMMAND

  These work while the server runs, and while it does not:
${linesOf(adminForms.filter((form) => !isOffline(form)))}

  For these the server must be stopped:
${linesOf(adminForms.filter(isOffline))}`
}

/** Runs a command of the operator on the machine itself, without a login. @returns the exit code */
export async function runAdmin([name = '', ...words]: readonly string[], env: Env): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) return refuse(adminUsage())
  try {
    for (const line of await command.run(env, words)) console.log(line)
    return 0
  } catch (error) {
    if (error instanceof UsageError) return refuse(adminUsage())
    return refuse(`${name} failed: ${reasonOf(await explainStore(storePlace(env), error))}`)
  }
}

async function setOption(env: Env, [key, value, ...more]: readonly string[]): Promise<readonly string[]> {
  if (key === undefined || value === undefined || more.length > 0) throw new UsageError()
  const text = value === '-' ? (await Bun.stdin.text()).replace(/\r?\n$/, '') : value
  const { db, close } = await openForChanges(storePlace(env))
  try {
    const settings = await openSettings({ db, seal: await openSeal(db, env), clock: systemClock })
    const change = value === '--clear' ? { key, value: '', clear: true } : { key, value: text }
    const { keptBack } = await settings.save({ ...change, by: byOperator })
    const also =
      keptBack.length === 0 ? [] : [`${keptBack.join(', ')} was entered for another server and is not sent to this one: set it again.`]
    return [`${key} is ${value === '--clear' ? 'removed' : 'set'}. A running server applies it within seconds.`, ...also]
  } finally {
    await close()
  }
}

function folderOf(words: readonly string[]): [folder: string, withKey: boolean] {
  const [folder, ...more] = words.filter((word) => word !== '--with-key')
  if (folder === undefined || folder.startsWith('-') || more.length > 0) throw new UsageError()
  return [folder, words.includes('--with-key')]
}

function refuse(text: string): number {
  console.error(text)
  return 1
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return messageText(error.code, error.options.params)
  const refusal = explainRefusal(error)
  if (refusal !== null) return refusal
  return error instanceof Error ? error.message : String(error)
}
