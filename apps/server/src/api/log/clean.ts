import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../db/connect.ts'
import { cleanStep, markCleaned } from './usage-queries.ts'

/**
 * Deletes the rows before a time, some at once, so that nothing else waits for long.
 * @returns how many there were
 */
export async function cleanLog(db: Db, { until, withAudit }: { readonly until: number; readonly withAudit: boolean }): Promise<number> {
  await markCleaned(db, until)
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
