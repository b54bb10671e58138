import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import type { Clock } from '../lib/clock.ts'
import { claimOwnership, endOwnership } from './job-queries.ts'

/** Which of the nodes does the scheduled work. */
export interface Ownership {
  /** Whether this node does it; asks the database where it is not certain. Does not throw. */
  isOwner(): Promise<boolean>
  /** Takes or keeps the ownership; to be called every `claimEveryMs`. Does not throw. */
  claim(): Promise<void>
  /** Lets another node take over at once. */
  end(): Promise<void>
}

export const claimEveryMs = 3_000

/** How long a claim lasts for this node. Others take over when this node is declared dead, which is later. */
const leaseMs = 11_000
/** This node ends its ownership earlier than the database does, by its own clock. */
const marginMs = 1_000

const name = 'scheduled work'

interface OwnershipDeps {
  readonly store: Store
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Logger
  /** Differs for each start of each process. */
  readonly node: string
}

/** A file of SQLite has one process, which does everything. */
const alone: Ownership = { isOwner: async () => true, claim: async () => {}, end: async () => {} }

export function openOwnership({ store, clock, log, node }: OwnershipDeps): Ownership {
  if (store.engine === 'sqlite') return alone
  const { db } = store
  let untilMs = Number.NEGATIVE_INFINITY

  async function claim(): Promise<void> {
    // From before the question: the database's lease began later.
    const requestedAtMs = clock.monotonicMs()
    try {
      const isOurs = await claimOwnership(db, { name, node, seconds: leaseMs / 1000 })
      untilMs = isOurs ? requestedAtMs + leaseMs - marginMs : Number.NEGATIVE_INFINITY
    } catch (err) {
      log.warn({ err }, 'job ownership not readable, will retry')
    }
  }

  return {
    async isOwner() {
      if (clock.monotonicMs() >= untilMs) await claim()
      return clock.monotonicMs() < untilMs
    },
    claim,
    async end() {
      untilMs = Number.NEGATIVE_INFINITY
      await endOwnership(db, { name, node }).catch((err: unknown) => log.debug({ err }, 'job ownership not released, it expires by itself'))
    },
  }
}
