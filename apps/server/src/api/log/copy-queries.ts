import type { Db } from '../../db/connect.ts'

/** How far the log has been copied, as ids of its rows. */
export interface CopyMarks {
  /** The last row that the sink has. */
  readonly copied: number
  /** The last row of the batch that is being sent, or was when its sender ended; the same as `copied` if there is none. */
  readonly sending: number
}

export async function readCopyMarks(db: Db): Promise<CopyMarks> {
  const rows = await db.selectFrom('log_marks').select(['name', 'value']).where('name', 'in', ['copied', 'copying']).execute()
  const markOf = (markName: string): number => rows.find(({ name }) => name === markName)?.value ?? 0
  const copied = markOf('copied')
  return { copied, sending: Math.max(copied, markOf('copying')) }
}

/**
 * Notes the end of the next batch before it is sent, so that whoever sends it again sends the same rows.
 * @returns `false`: another process has begun one meanwhile
 */
export async function markSending(db: Db, { copied, sending }: CopyMarks): Promise<boolean> {
  const noted = await db
    .insertInto('log_marks')
    .values([
      { name: 'copied', value: copied },
      { name: 'copying', value: sending },
    ])
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: sending })
        .where('log_marks.name', '=', 'copying')
        .where('log_marks.value', '<=', copied),
    )
    .returning('name')
    .execute()
  return noted.length > 0
}

/** Notes that the sink has a batch. */
export async function markCopied(db: Db, { copied, sending }: CopyMarks): Promise<void> {
  await db.updateTable('log_marks').set({ value: sending }).where('name', '=', 'copied').where('value', '=', copied).execute()
}

interface Batch {
  readonly after: number
  readonly upTo: number
  readonly rows: number
}

/** Rows in the order of their ids. */
export async function listForCopy(db: Db, { after, upTo, rows }: Batch) {
  return await db.selectFrom('logs').selectAll().where('id', '>', after).where('id', '<=', upTo).orderBy('id').limit(rows).execute()
}
