import { type ActivityBoard, boardBytes, createActivityBoard, noBoard } from '../lib/activity-board.ts'
import type { Clock } from '../lib/clock.ts'
import { integersOf, pulseBytes, pulsePlace, turnedAtOf, type WatchCommand } from './pulse.ts'

/** Ends the process when its event loop has not turned for long. */
export interface Watchdog {
  /** What the report says was running. */
  readonly activities: ActivityBoard
  /** Called when the start is complete, because migrations may take minutes. Resolves when the thread watches. */
  start(): Promise<void>
  /** Called before a graceful shutdown, which is watched too, but whose steps may take longer. */
  allowShutdown(): void
}

/** Steps that the limit is divided into: in each, the event loop counts a turn and the thread looks whether it did. */
const stepsPerLimit = 20
const stepMsMax = 1_000

/** Longest time that a step of a shutdown may block: the last one copies up to 128 MB of SQLite's log back into the database. */
const shutdownStepMs = 60_000

/** @param limitMs longest time in which the event loop may not turn; 0: it is not watched */
export function createWatchdog(limitMs: number, clock: Clock): Watchdog {
  if (limitMs === 0) return { activities: noBoard, start: async () => {}, allowShutdown: () => {} }
  const stepMs = Math.min(limitMs / stepsPerLimit, stepMsMax)
  const command: WatchCommand = { pulse: new SharedArrayBuffer(pulseBytes), board: new SharedArrayBuffer(boardBytes), stepMs }
  const integers = integersOf(command.pulse)
  const turnedAt = turnedAtOf(command.pulse)

  // One step more, because the last turn may have been up to a step before the event loop was blocked.
  const allow = (ms: number): void => void Atomics.store(integers, pulsePlace.stepsMax, Math.ceil(ms / stepMs) + 1)

  allow(limitMs)

  function turn(): void {
    turnedAt[0] = clock.monotonicMs()
    Atomics.add(integers, pulsePlace.turns, 1)
  }

  return {
    activities: createActivityBoard(command.board),
    start() {
      turn()
      setInterval(turn, stepMs).unref()
      // Bun's own kind of worker: one of `node:worker_threads` takes 3 MB more.
      const thread = new Worker(new URL('./watchdog-worker.ts', import.meta.url))
      thread.unref()
      thread.postMessage(command)
      return new Promise((resolve, reject) => {
        thread.addEventListener('message', () => resolve(), { once: true })
        thread.addEventListener('error', ({ message }) => reject(new Error(`the watchdog cannot start: ${message}`)), { once: true })
      })
    },
    allowShutdown: () => allow(Math.max(limitMs, shutdownStepMs)),
  }
}
