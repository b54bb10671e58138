import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../db/connect.ts'
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

/**
 * Each step is a short transaction and yields to the event loop afterwards, so that requests continue during a long catch-up, such as
 * after an import.
 */
export function createUsage(db: Db): Usage {
  let isStopped = false
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (!isStopped && (await rollUpStep(db))) await setImmediate()
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
