import type { Logger } from 'pino'
import type { Operation } from './commit.ts'
import type { Leases } from './leases.ts'
import type { SharedStore } from './ledger-store.ts'
import { sweepHolds } from './sweep.ts'

/** How often it is looked whether another node lacks what this one does not use. A recall waits no longer than this. */
const recallsEveryMs = 250
/** How often what nodes left behind is looked for. */
const sweepEveryMs = 2_000

interface WatchDeps {
  readonly shared: SharedStore
  readonly leases: Leases
  readonly log: Logger
  readonly commit: (operation: Operation) => Promise<boolean>
}

/** Resolves what nodes left behind, now and from time to time, and gives back what other nodes lack. @returns stops it */
export async function watchNodes({ shared, leases, log, commit }: WatchDeps): Promise<() => void> {
  /** Every step can be done by several nodes at once, and again after a crash: the end of a reservation and of a lease counts once. */
  async function sweep(): Promise<void> {
    await sweepHolds({ holds: await shared.readLeft(), log, commit })
    await shared.closeLeases()
    leases.giveBackIdle()
  }

  await sweep()
  const timers = [every(recallsEveryMs, leases.giveBackRecalled), every(sweepEveryMs, sweep)]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

/** Runs work at an interval, never twice at a time. A store that does not respond is reported by its connection. */
function every(ms: number, work: () => Promise<void>): ReturnType<typeof setInterval> {
  let isRunning = false
  const timer = setInterval(() => {
    if (isRunning) return
    isRunning = true
    work()
      .catch(() => {})
      .finally(() => {
        isRunning = false
      })
  }, ms)
  timer.unref()
  return timer
}
