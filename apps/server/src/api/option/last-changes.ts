import { readCodedMessage } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { tryParseJson } from '../../lib/parse-json.ts'
import { listOptionChanges } from './queries.ts'

interface Change {
  /** The user name at that time. */
  readonly by: string
  /** Seconds since the epoch. */
  readonly at: number
}

/** The last change of each option that the log still has. */
export async function lastChanges(db: Db): Promise<ReadonlyMap<string, Change>> {
  const changes = new Map<string, Change>()
  for (const { detail, created_at } of await listOptionChanges(db)) {
    const message = readCodedMessage(tryParseJson(detail))
    // A proposed value changes nothing yet.
    if (message === null || message.code === 'log_option_proposed') continue
    const key = message.code === 'log_model_price' ? 'PriceRules' : String(message.params['key'])
    // Newest first.
    if (!changes.has(key)) changes.set(key, { by: String(message.params['actor']), at: created_at })
  }
  return changes
}
