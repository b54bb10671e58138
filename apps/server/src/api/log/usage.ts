import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../db/connect.ts'
import { type DayOfUsage, listDays } from './queries.ts'
import { rollUpStep } from './usage-queries.ts'

/** The log added up by the hour, so that charts and totals never read the log itself. */
export interface Usage {
  /** Resolves when the hours hold every row that stood in the log at the time of the call. */
  catchUp(): Promise<void>
  /** Of one user by day and model, from midnight in UTC. */
  byDay(userId: number, since: number): Promise<readonly DayOfUsage[]>
  /** Takes no further step. */
  stop(): void
}

/**
 * Each step is a short transaction and lets go of the event loop after it, so that requests go on beside a long catching up: after an
 * import, or at the first start of a version that has this.
 */
export function createUsage(db: Db): Usage {
  let isStopped = false
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    while (!isStopped && (await rollUpStep(db))) await setImmediate()
  }

  async function catchUp(): Promise<void> {
    // A run that began before the call may have looked at the end of the log already, so it is waited for and followed by another.
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
