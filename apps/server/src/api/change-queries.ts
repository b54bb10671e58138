import { type ChangeRow, changeRow, changesKept } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { tryParseJson } from '../lib/parse-json.ts'
import { readableOutput } from '../lib/readable-output.ts'

/** What a history is of. */
export interface Changed {
  readonly noun: 'option' | 'channel'
  /** The key of the option, or the id of the channel. */
  readonly target: string
}

/** A change of settings. Secrets are never in it, only their names. */
export interface Change extends Changed {
  readonly before: Values
  readonly after: Values
  readonly hidden: readonly string[]
}

type Values = Readonly<Record<string, string | number | boolean>>

interface Authorship {
  readonly actor: { readonly id: number; readonly username: string }
  /** Seconds since the epoch. */
  readonly at: number
}

/** Writes a change in the transaction of `db`, and forgets the oldest ones of the same target. */
export async function insertChange(db: Db, { noun, target, before, after, hidden }: Change, { actor, at }: Authorship): Promise<void> {
  await db
    .insertInto('changes')
    .values({
      ...{ noun, target, actor_id: actor.id, changed_by: actor.username, created_at: at },
      ...{ before: JSON.stringify(before), after: JSON.stringify(after), hidden: JSON.stringify(hidden) },
    })
    .execute()
  const kept = db
    .selectFrom('changes')
    .select('id')
    .where('noun', '=', noun)
    .where('target', '=', target)
    .orderBy('id', 'desc')
    .limit(changesKept)
  await db.deleteFrom('changes').where('noun', '=', noun).where('target', '=', target).where('id', 'not in', kept).execute()
}

/** All changes that are kept, newest first. What is damaged of one is empty. */
export async function listChanges(db: Db, { noun, target }: Changed): Promise<ChangeRow[]> {
  const rows = await db
    .selectFrom('changes')
    .select(['id', 'created_at', 'changed_by', 'before', 'after', 'hidden'])
    .where('noun', '=', noun)
    .where('target', '=', target)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ before, after, hidden, ...row }) => {
    const [was, is, names] = [before, after, hidden].map((text) => tryParseJson(text) ?? null)
    return readableOutput(changeRow, { ...row, before: was, after: is, hidden: names }, () => {})
  })
}
