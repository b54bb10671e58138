import type { Db } from '../db/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { type ChangeRow, currentMoment, deleteChangesBefore, listChanges } from './change-queries.ts'
import { createDatabaseClock, type DatabaseClock, type Measurement } from './database-clock.ts'

/** What must be read from the database again. */
export type Changed =
  | { readonly what: 'token'; readonly id: number }
  | { readonly what: 'user'; readonly id: number }
  | { readonly what: 'new-tokens' }
  | { readonly what: 'channels'; readonly ids: readonly number[] | null }
  | { readonly what: 'options' }
  | { readonly what: 'everything' }

/** Follows what any node, command or person changes of the configuration in the database. */
export interface ChangeFeed {
  /** Reads the changes since the last call and reports them. Calls at the same time share one look. @throws if the database cannot be read */
  look(): Promise<void>
  /** Milliseconds since this process last knew that it had seen every change. */
  ageMs(): number
  /** Whether the last look failed. */
  isCutOff(): boolean
  /** Measured at each look. */
  readonly databaseClock: DatabaseClock
  /** Deletes rows that every node has seen or has given up on. */
  clean(): Promise<void>
}

interface FeedDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Called before the look ends, so that what follows it is decided with what is new. */
  readonly changed: (change: Changed) => Promise<void> | void
}

/** Rows of one look; where more have come, everything is read again, which is less work than each of them. */
const rowsMax = 2_000
/** A process that has not looked for this long reads everything again. */
const forgottenMs = 600_000
/** Rows are kept longer than that, so that a process that looked in time misses none. */
const keptSeconds = 3_600

const everything: readonly Changed[] = [{ what: 'everything' }]

export async function createChangeFeed({ db, clock, changed }: FeedDeps): Promise<ChangeFeed> {
  let freshAtMs = clock.monotonicMs()
  const first = await currentMoment(db)
  const databaseClock = createDatabaseClock(clock, measured(first.databaseMs, freshAtMs))
  let { horizon } = first
  let isCutOff = false
  let running: Promise<void> | null = null
  /** Rows from the horizon on that were reported: other transactions that began with them may still end. */
  let seen: ReadonlySet<number> = new Set()

  function measured(databaseMs: number, requestedAtMs: number): Measurement {
    return { databaseMs, requestedAtMs, respondedAtMs: clock.monotonicMs() }
  }

  async function begin(): Promise<void> {
    const requestedAtMs = clock.monotonicMs()
    const moment = await currentMoment(db)
    if (isCutOff) databaseClock.set(measured(moment.databaseMs, requestedAtMs))
    horizon = moment.horizon
    seen = new Set()
  }

  async function look(): Promise<void> {
    const requestedAtMs = clock.monotonicMs()
    // After a break the database may be another one, with numbers of its own: a standby, or a copy that was put in its place.
    const isBroken = isCutOff || requestedAtMs - freshAtMs > forgottenMs
    if (isBroken) await begin()
    const lookedAtMs = clock.monotonicMs()
    const changes = await listChanges(db, horizon, rowsMax)
    databaseClock.correct(measured(changes.databaseMs, lookedAtMs))
    const fresh = changes.rows.filter(({ id }) => !seen.has(id))
    const isMore = changes.rows.length === rowsMax
    for (const change of isBroken || isMore ? everything : distinct(fresh)) await changed(change)
    horizon = changes.horizon
    seen = new Set(changes.rows.map(({ id }) => id))
    freshAtMs = requestedAtMs
    isCutOff = false
  }

  return {
    look() {
      running ??= look()
        .catch((error: unknown) => {
          isCutOff = true
          throw error
        })
        .finally(() => {
          running = null
        })
      return running
    },
    ageMs: () => clock.monotonicMs() - freshAtMs,
    isCutOff: () => isCutOff,
    databaseClock,
    clean: () => deleteChangesBefore(db, keptSeconds),
  }
}

/** Each change once, in the order in which they came. */
function distinct(rows: readonly ChangeRow[]): readonly Changed[] {
  const byKey = new Map(rows.toReversed().map((row) => [`${row.what} ${row.rowId}`, toChanged(row)]))
  return [...byKey.values()]
}

function toChanged({ what, rowId: id }: ChangeRow): Changed {
  switch (what) {
    case 'token':
    case 'user':
      return { what, id }
    case 'channels':
      // Statements that add or delete channels do not name them.
      return { what, ids: id === 0 ? null : [id] }
    case 'new-tokens':
    case 'options':
      return { what }
    default:
      // Also a word of a later version that runs beside this one.
      return { what: 'everything' }
  }
}
