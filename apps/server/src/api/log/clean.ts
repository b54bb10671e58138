import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../db/connect.ts'
import { cleanStep, markCleaned } from './usage-queries.ts'

interface Cleaning {
  readonly until: number
  readonly withAudit: boolean
  /** What is written before the first row goes. */
  readonly alsoWrite?: (tx: Db) => Promise<void>
}

/**
 * Deletes the rows before a time, some at once, so that nothing else waits for long.
 * @returns how many there were
 */
export async function cleanLog(db: Db, { until, withAudit, alsoWrite }: Cleaning): Promise<number> {
  await db.transaction().execute(async (tx) => {
    await markCleaned(tx, until)
    await alsoWrite?.(tx)
  })
  let count = 0
  let from: number | null = 0
  while (from !== null) {
    const step: Awaited<ReturnType<typeof cleanStep>> = await cleanStep(db, { from, until, withAudit })
    count += step.count
    from = step.next
    await setImmediate()
  }
  return count
}
