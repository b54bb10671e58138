import type { Env } from '../env.ts'
import { noFailpoints } from '../lib/failpoints.ts'
import { openAlone } from './open-alone.ts'
import { resetSecret } from './reset-secret.ts'
import { UsageError } from './usage-error.ts'

/** Gives up a lost master key, and lists what must be entered again. */
export async function reset(env: Env, words: readonly string[]): Promise<readonly string[]> {
  if (words.length > 0) throw new UsageError()
  const store = await openAlone(env, noFailpoints)
  try {
    const outcome = await resetSecret(store.db, env)
    if (outcome.is === 'refused') throw new Error(outcome.reason)
    await store.durable()
    return [
      'The database now has another master key. Keep a copy of it separate from the database.',
      'These values can no longer be read and must be entered again; the console shows where:',
      ...Object.entries(outcome.unreadable).map(([kind, count]) => `${String(count).padStart(8)}  ${kind.replaceAll('_', ' ')}`),
      'Existing API keys, access tokens, recovery codes and top-up codes are no longer valid: create new ones.',
    ]
  } finally {
    await store.close()
  }
}
