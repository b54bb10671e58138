import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Db, Store } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { type Limiters, ownLimiters } from '../lib/limiters.ts'
import type { DatabaseClock } from './database-clock.ts'
import { deleteOldLimits, forgetTries, giveBackTry, isRemembered, remember, takeRate, takeTry } from './limit-queries.ts'

interface SharedLimiters extends Limiters {
  /** Deletes counts that are over. */
  clean(): Promise<void>
}

interface LimiterDeps {
  readonly store: Store
  readonly clock: Clock
  readonly databaseClock: DatabaseClock
  readonly log: Logger
}

/** How long a client is known that has logged in. */
const rememberedMs = 90 * 86_400_000

const seconds = (ms: number): number => Math.ceil(ms / 1000)

/** Limits over all nodes. While the database cannot be reached each node counts by itself, because a limit must not close the door. */
export function openLimiters({ store, clock, databaseClock, log }: LimiterDeps): SharedLimiters {
  const own = ownLimiters(clock)
  return store.engine === 'sqlite' ? { ...own, clean: async () => {} } : sharedLimiters(store.db, { own, databaseClock, log })
}

interface SharedDeps extends Pick<LimiterDeps, 'databaseClock' | 'log'> {
  readonly own: Limiters
}

function sharedLimiters(db: Db, { own, databaseClock, log }: SharedDeps): SharedLimiters {
  const at = (name: string, key: string) => ({ key: keyOf(name, key), nowMs: databaseClock.nowMs() })

  /** @throws errors that are no break of the connection */
  async function orElse<Value>(shared: Promise<Value>, otherwise: () => Value | Promise<Value>): Promise<Value> {
    try {
      return await shared
    } catch (err) {
      if (!(err instanceof AppError)) throw err
      log.debug({ err }, 'shared rate limit unavailable, counting on this node only')
      return await otherwise()
    }
  }

  return {
    rate(name, rule) {
      const spare = own.rate(name, rule)
      return { take: (key) => orElse(takeRate(db, at(name, key), rule).then(seconds), () => spare.take(key)) }
    },
    throttle(name, rule) {
      const spare = own.throttle(name, rule)
      return {
        take: (key) => orElse(takeTry(db, at(name, key), rule).then(seconds), () => spare.take(key)),
        giveBack: (key) => orElse(giveBackTry(db, keyOf(name, key)), () => spare.giveBack(key)),
        forget: (key) => orElse(forgetTries(db, keyOf(name, key)), () => spare.forget(key)),
      }
    },
    remember(name) {
      const spare = own.remember(name)
      return {
        has: (key) => orElse(isRemembered(db, keyOf(name, key)), () => spare.has(key)),
        add: (key) => orElse(remember(db, keyOf(name, key), databaseClock.nowMs() + rememberedMs), () => spare.add(key)),
      }
    },
    clean: () => deleteOldLimits(db, databaseClock.nowMs()),
  }
}

/** Of one length, whatever a client sends as its name. */
function keyOf(name: string, key: string): string {
  return createHash('sha256').update(`${name} ${key}`).digest('base64url')
}
