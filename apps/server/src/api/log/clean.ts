import { setImmediate } from 'node:timers/promises'
import { logType } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { dropLogPartitions } from '../../db/log-partitions.ts'
import { cleanStep, markCleaned, readCleanable } from './usage-queries.ts'

interface Cleaning extends Pick<Parameters<typeof cleanStep>[1], 'withAudit' | 'copiedUpTo'> {
  readonly until: number
  /** Further writes before the first row is deleted. */
  readonly alsoWrite?: (tx: Db) => Promise<void>
}

/**
 * Deletes the rows before a time: whole partitions at once, and what is left in small steps, so that other writes do not wait for long.
 * @returns number of deleted rows
 */
export async function cleanLog(db: Db, { until, alsoWrite, ...which }: Cleaning): Promise<number> {
  await db.transaction().execute(async (tx) => {
    await markCleaned(tx, until)
    await alsoWrite?.(tx)
  })
  const { withAudit, copiedUpTo } = which
  const keptType = withAudit ? null : logType.admin
  let count = await dropLogPartitions(db, { until, keptType, upTo: (change) => readCleanable(change, copiedUpTo) })
  let from: number | null = 0
  while (from !== null) {
    const step: Awaited<ReturnType<typeof cleanStep>> = await cleanStep(db, { from, until, ...which })
    count += step.count
    from = step.next
    await setImmediate()
  }
  return count
}
