import type { Store } from '../db/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { type BeginDue, createTimetable } from '../lib/timetable.ts'
import { createOwnBoard, type WorkBoard } from '../lib/work-board.ts'
import type { DatabaseClock } from './database-clock.ts'
import { beginDue, claimOwnership, endOwnership, findProgress, saveProgress } from './job-queries.ts'

/** A process that does not say for this long that it is still at the work has died. */
const leaseSeconds = 15

/** The board of one kind of work for all nodes. */
export function openWorkBoard(store: Store, { name, node }: { readonly name: string; readonly node: string }): WorkBoard {
  if (store.engine === 'sqlite') return createOwnBoard()
  const { db } = store
  return {
    claim: () => claimOwnership(db, { name, node, seconds: leaseSeconds }),
    save: (progress) => saveProgress(db, { name, node, progress }),
    end: () => endOwnership(db, { name, node }),
    read: () => findProgress(db, name),
  }
}

interface Timed {
  readonly name: string
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly databaseClock: DatabaseClock
}

/** The interval of one kind of work for all nodes: where one has begun it, it is due nowhere. It survives restarts. */
export function openTimetable(store: Store, { name, clock, databaseClock }: Timed): BeginDue {
  if (store.engine === 'sqlite') return createTimetable(clock)
  const firstMs = databaseClock.nowMs()
  return (everyMs) => beginDue(store.db, { name, firstMs, nowMs: databaseClock.nowMs(), everyMs })
}
