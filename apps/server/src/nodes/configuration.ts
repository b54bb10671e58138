import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import { atMost } from '../lib/at-most.ts'
import type { Clock } from '../lib/clock.ts'
import { type Changed, createChangeFeed } from './change-feed.ts'
import type { DatabaseClock } from './database-clock.ts'

/** What this process knows of changes that other nodes, commands and people make. */
export interface Configuration {
  /** Whether it has not looked for so long that it must look before it admits a request. */
  isBehind(): boolean
  /** Looks, and takes over what is new. Does not throw. */
  catchUp(): Promise<void>
  /** Whether it has been without a look for so long that a balancer should send nobody here. */
  isStale(): boolean
  /** Reports every change from now on, and looks also at hints of the database. */
  begin(changed: OnChange): void
  /** To be called every `lookEveryMs`. Does not throw. */
  look(): Promise<void>
  clean(): Promise<void>
  /** The clock that all nodes share; on SQLite this process's own. */
  readonly databaseClock: DatabaseClock
}

/** Guarantees that a change counts everywhere within two seconds: the interval and the time of a look are less. */
export const lookEveryMs = 1_000

/** A process that was stopped for a while, or could not run, looks first. */
const behindMs = 2_000
/** Longest wait of a request for a look; while the database hangs, the ledger refuses what it must. */
const catchUpMs = 2_000
const staleMs = 30_000

const hints = 'config_changes'

interface ConfigurationDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
}

type OnChange = (change: Changed) => Promise<void> | void

/** On SQLite there is one process, and nothing to follow. */
const alone: Omit<Configuration, 'databaseClock'> = {
  isBehind: () => false,
  catchUp: async () => {},
  isStale: () => false,
  begin: () => {},
  look: async () => {},
  clean: async () => {},
}

/** Called before anything is read that is kept in memory. */
export async function followConfiguration({ store, clock, log }: ConfigurationDeps): Promise<Configuration> {
  if (store.engine === 'sqlite') return { ...alone, databaseClock: clock }
  let changed: OnChange = () => {}
  const feed = await createChangeFeed({ db: store.db, clock, changed: (change) => changed(change) })

  async function look(): Promise<void> {
    await feed.look().catch((err: unknown) => log.warn({ err }, 'configuration changes not readable, will retry'))
  }

  return {
    // While the database cannot be reached, the ledger decides for how long requests are served.
    isBehind: () => feed.ageMs() > behindMs && !feed.isCutOff(),
    catchUp: () => atMost(catchUpMs, look()),
    isStale: () => feed.ageMs() > staleMs,
    begin(onChange) {
      changed = onChange
      const failed = (err: unknown): void => log.warn({ err }, 'LISTEN/NOTIFY unavailable, polling instead')
      store.listen(hints, () => void look()).catch(failed)
    },
    look,
    clean: feed.clean,
    databaseClock: feed.databaseClock,
  }
}
