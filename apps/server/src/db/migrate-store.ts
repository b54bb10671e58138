import type { Db, Store } from './connect.ts'
import { connectStore } from './connect-store.ts'
import { reserveTasks } from './reserve-tasks.ts'
import { readRowNumber, writeRowNumber } from './row-numbers.ts'
import { isThere, placeLabel } from './store-place.ts'
import { asAny, copyTable, isCounted, tableNames, totalsOf } from './table-copy.ts'

interface Copied {
  readonly table: string
  readonly rows: number
}

/**
 * Copies a whole store into an empty one. This process locks both, so that no server writes to either, and migrates both first. The
 * target is written in one transaction.
 * @throws when one of them is in use, the target is not empty, or what was written differs from what was read
 */
export async function migrateStore(from: string, to: string): Promise<readonly Copied[]> {
  if (!isThere(from)) throw new Error(`no database found at ${placeLabel(from)}`)
  const source = await open(from)
  try {
    const target = await open(to)
    try {
      return await copyStore(source.db, target.db, placeLabel(to))
    } finally {
      await target.durable()
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function open(place: string): Promise<Store> {
  return connectStore(place, { report: (what, error) => console.error(what, error instanceof Error ? error.message : '') })
}

/** One snapshot of the source, one transaction in the target. */
function copyStore(source: Db, target: Db, label: string): Promise<readonly Copied[]> {
  return source
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute((reading) =>
      target.transaction().execute(async (writing) => {
        const copied: Copied[] = []
        for (const table of tableNames) copied.push({ table, rows: await copyOne({ reading, writing, label }, table) })
        // Holds: the statements do not depend on the row types.
        await reserveTasks(writing as never)
        return copied
      }),
    )
}

interface Copying {
  readonly reading: Db
  readonly writing: Db
  readonly label: string
}

async function copyOne({ reading, writing, label }: Copying, table: string): Promise<number> {
  const [from, to] = [asAny(reading), asAny(writing)]
  const there = await to.selectFrom(table).selectAll().limit(1).execute()
  if (there.length > 0) throw new Error(`${label} is not empty: its table ${table} has rows`)
  const rows = await copyTable(from, to, table)
  const [before, after] = [await totalsOf(from, table), await totalsOf(to, table)]
  if (!Bun.deepEquals(before, after)) throw new Error(`the table ${table} did not arrive as it was: ${JSON.stringify({ before, after })}`)
  if (isCounted(table)) await writeRowNumber(writing, table, await readRowNumber(reading, table))
  return rows
}
