import type { Db } from '../../db/connect.ts'
import { endOfWholePartitions } from '../../db/log-partitions.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { daySeconds } from '../../lib/day.ts'
import { cleanLog } from './clean.ts'
import type { LogCopies } from './log-copies.ts'
import type { Usage } from './usage.ts'

interface RetentionDeps {
  readonly db: Db
  readonly clock: Clock
  readonly usage: Pick<Usage, 'catchUp'>
  readonly logCopies: Pick<LogCopies, 'copiedUpTo'>
  /** Days that rows are kept; 0 = for ever. */
  readonly days: () => number
}

/** Deletes log rows that are older than the configured days. Audit rows stay; only root deletes those, manually. */
export function createLogRetention({ db, clock, usage, logCopies, days }: RetentionDeps): () => Promise<void> {
  return async () => {
    const kept = days()
    if (kept === 0) return
    await usage.catchUp()
    const until = await endOfWholePartitions(db, nowSeconds(clock) - kept * daySeconds, kept)
    await cleanLog(db, { until, withAudit: false, copiedUpTo: logCopies.copiedUpTo })
  }
}
