import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Env } from '../env.ts'
import { failByCommand } from '../lib/failpoints.ts'
import { openAlone } from './open-alone.ts'
import { type EndingCredentials, rotateSecret } from './rotate-secret.ts'
import { UsageError } from './usage-error.ts'

const setSecret = 'Now set SLUICE_SECRET to the value of SLUICE_SECRET_NEXT, and remove SLUICE_SECRET_NEXT.'

/** Lists what rotating the master key ends, prompts for confirmation, and rotates it. Without a terminal, `--yes` confirms, so no script waits. */
export async function rotate(env: Env, words: readonly string[]): Promise<readonly string[]> {
  const isConfirmed = words.length === 1 && words[0] === '--yes'
  if (words.length > 0 && !isConfirmed) throw new UsageError()
  const reached = failByCommand(env.failAt)
  const store = await openAlone(env, reached)
  try {
    const confirm = async (ending: EndingCredentials): Promise<boolean> => {
      for (const line of endingLines(ending)) console.log(line)
      return isConfirmed || (await askForConsent())
    }
    const outcome = await rotateSecret({ db: store.db, place: env, initialAccessToken: env.initialRootAccessToken, reached, confirm })
    if (outcome.is === 'refused') throw new Error(outcome.reason)
    if (outcome.is === 'declined') return ['Nothing was changed.']
    await store.durable()
    const change = env.nextSecret === '' || env.secret === '' ? [] : [setSecret]
    if (outcome.is === 'already') return ['Everything is encrypted with the new master key.', ...change]
    return [
      'Everything is encrypted with a new master key. Earlier copies of the database need the old one.',
      ...(outcome.unreadable === 0 ? [] : [`${outcome.unreadable} values could not be decrypted before and still cannot.`]),
      ...change,
    ]
  } finally {
    await store.close()
  }
}

/** The lines printed before anything is changed. */
function endingLines({ systemTokensOf, keepsInitialToken, personalTokens, recoveryCodesOf }: EndingCredentials): readonly string[] {
  return [
    'A new master key permanently invalidates:',
    ...(systemTokensOf.length === 0 ? [] : [`  - system access tokens, which must be made anew: ${namesText(systemTokensOf)}`]),
    ...(personalTokens === 0 ? [] : [`  - personal access tokens, which must be made anew: ${personalTokens}`]),
    ...(recoveryCodesOf.length === 0
      ? []
      : [`  - recovery codes, without which an account that loses its phone cannot log in: ${namesText(recoveryCodesOf)}`]),
    '  - codes and links that were mailed in the last ten minutes, and logins that have begun',
    '  - links to results of tasks that are older than the rotation, and callbacks of running tasks, which are polled instead',
    '  - webhook addresses of channels: where one is entered at a vendor, enter the new one, which the details of the channel show',
    ...(keepsInitialToken
      ? ['The access token of INITIAL_ROOT_ACCESS_TOKEN stays valid, because the variable is set for this command.']
      : []),
    'Passwords, sessions, passkeys, tokens (sk-), channels and settings stay as they are.',
  ]
}

/** Usernames that are shown. */
const namesMax = 50

function namesText(names: readonly string[]): string {
  const more = names.length - namesMax
  return `${names.slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** @throws if there is no terminal to prompt on */
async function askForConsent(): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error('nothing was changed: there is no terminal to confirm it; add --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    // The end of the input is a no.
    const typed = await Promise.race([terminal.question('Type yes to continue: '), once(terminal, 'close')])
    return String(typed).trim() === 'yes'
  } finally {
    terminal.close()
  }
}
