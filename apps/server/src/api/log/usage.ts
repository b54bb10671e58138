import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../db/connect.ts'
import { createHorizon } from '../../db/horizon.ts'
import type { Clock } from '../../lib/clock.ts'
import { type DayOfUsage, listDays } from './queries.ts'
import { rollUpStep } from './usage-queries.ts'

/** Keeps hourly sums of the log, so that charts and totals never read the log itself. */
export interface Usage {
  /** Resolves when the hourly sums include every row that was in the log at the time of the call. */
  catchUp(): Promise<void>
  /** Usage of one user by day and model, from midnight in UTC. */
  byDay(userId: number, since: number): Promise<readonly DayOfUsage[]>
  /** Begins no further step. */
  stop(): void
}

/** Log rows of one step, which blocks writes and responses while it runs. */
const rowsMin = 200
const rowsMax = 2_000
/** Steps that take longer get fewer rows. */
const longMs = 4

/**
 * Each step is a short transaction and yields to the event loop afterwards, so that requests continue during a long catch-up, such as
 * after an import.
 */
export function createUsage(db: Db, clock: Clock): Usage {
  let isStopped = false
  let running: Promise<void> | null = null
  let rows = rowsMin
  const horizon = createHorizon(db, 'logs')

  async function run(): Promise<void> {
    const upTo = await horizon.settled()
    while (!isStopped && (await step(upTo))) await setImmediate()
  }

  /** Takes more rows next time while steps are short: most of a step's time does not depend on them. */
  async function step(upTo: number): Promise<boolean> {
    const startedMs = clock.monotonicMs()
    const hasMore = await rollUpStep(db, { rows, upTo })
    const tookMs = clock.monotonicMs() - startedMs
    if (tookMs > longMs) rows = Math.max(rowsMin, Math.floor(rows / 2))
    else if (hasMore && tookMs < longMs / 2) rows = Math.min(rowsMax, rows * 2)
    return hasMore
  }

  async function catchUp(): Promise<void> {
    // A run that began before the call may have read the end of the log already, so another run follows it.
    if (running !== null) await running
    running ??= run().finally(() => {
      running = null
    })
    await running
  }

  return {
    catchUp,
    async byDay(userId, since) {
      await catchUp()
      return await listDays(db, userId, since)
    },
    stop() {
      isStopped = true
    },
  }
}
