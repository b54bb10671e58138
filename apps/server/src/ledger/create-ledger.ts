import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { createAccounts } from './accounts.ts'
import type { Operation } from './commit.ts'
import type { Hold, Ledger } from './ledger.ts'
import { sqliteLedgerStore } from './sqlite-ledger-store.ts'
import { sweepHolds } from './sweep.ts'

interface LedgerDeps {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
}

/** Most operations one transaction takes: about 5 ms of writing. */
const batchMax = 1024

/** Ids that no row has: for loading one side only. */
const noUser = 0
const noToken = 0

const done = Promise.resolve()
const nothing = (): void => {}

interface Waiting {
  readonly operation: Operation
  readonly resolve: (didSomething: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * The ledger of one process. Whether quota suffices is decided in memory, at once and without a gap in which another
 * request could decide on the same quota. What was decided is committed in batches that clock themselves: the next
 * starts when the last is done, so a lone request waits for nothing and a crowd shares one transaction.
 */
export async function createLedger({ store, clock, log }: LedgerDeps): Promise<Ledger> {
  const ledgerStore = sqliteLedgerStore(store)
  const accounts = createAccounts(ledgerStore, () => flushing === null)
  let queue: Waiting[] = []
  let flushing: Promise<void> | null = null
  let broken: unknown = null

  function commit(operation: Operation): Promise<boolean> {
    if (broken !== null) return Promise.reject(new AppError('internal_error', { cause: broken }))
    return new Promise((resolve, reject) => {
      queue.push({ operation, resolve, reject })
      flushing ??= flush()
    })
  }

  async function flush(): Promise<void> {
    // Everything that this turn of the event loop still brings joins the batch.
    await new Promise((resolve) => setImmediate(resolve))
    while (queue.length > 0) {
      const batch = queue.slice(0, batchMax)
      queue = queue.slice(batchMax)
      await commitWaiting(batch)
    }
    flushing = null
  }

  async function commitWaiting(batch: readonly Waiting[]): Promise<void> {
    const operations = batch.map(({ operation }) => operation)
    let results: readonly boolean[] = []
    const apply = (done: readonly boolean[]): void => {
      results = done
      operations.forEach((operation, index) => {
        if (operation.do === 'post' && !operation.isCounted && done[index]) accounts.add(operation.posting.userId, operation.posting.amount)
      })
    }
    try {
      await ledgerStore.commit({ operations, nowSeconds: nowSeconds(clock), apply })
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] === true)
    } catch (error) {
      // Memory has decided what the store did not take. Going on would let the two drift apart, so nothing more is promised.
      broken = error
      log.fatal({ err: error }, 'the ledger cannot write to its store and takes no more requests')
      for (const { reject } of batch) reject(new AppError('internal_error', { cause: error }))
    }
  }

  const ledger: Ledger = {
    async hold(request) {
      if (!accounts.isLoaded(request.userId, request.tokenId)) await accounts.load(request.userId, request.tokenId)
      accounts.take(request)
      await commit({ do: 'hold', request })
      return request
    },
    extend: (hold, amount) => accounts.takeMore(hold.requestId, amount),
    settle(hold: Hold, settlement) {
      return accounts.resolve(hold.requestId, settlement.amount) ? commit({ do: 'settle', hold, settlement }).then(nothing) : done
    },
    release(hold, entry) {
      return accounts.resolve(hold.requestId, 0) ? commit({ do: 'release', hold, log: entry }).then(nothing) : done
    },
    async post(posting) {
      await accounts.load(posting.userId, noToken)
      const isNew = await commit({ do: 'post', posting, isCounted: false })
      await store.durable()
      return isNew
    },
    async adjust({ userId, kind, ref, amountAt, log: logOf }) {
      await accounts.load(userId, noToken)
      // From here to the commit's place in the queue nothing waits, so no other change decides on the same balance.
      const from = accounts.balanceOf(userId)
      if (from === null) throw new AppError('not_found', { params: { what: 'user' } })
      const amount = amountAt(from)
      const moved = { from, to: from + amount }
      if (amount === 0) return moved
      if (!Number.isSafeInteger(moved.to)) throw new AppError('quota_too_large')
      accounts.add(userId, amount)
      await commit({ do: 'post', posting: { userId, kind, ref, amount, log: logOf(moved) }, isCounted: true })
      await store.durable()
      return moved
    },
    async setTokenQuota(tokenId, { remain, usedThen, isUnlimited }) {
      await accounts.load(noUser, tokenId)
      const usedNow = accounts.usedOf(tokenId)
      const spent = usedThen === null ? 0 : Math.max(0, usedNow - usedThen)
      const quota = { remain: Math.max(0, remain - spent), isUnlimited }
      accounts.setToken(tokenId, quota)
      await commit({ do: 'set-token', limit: { tokenId, ...quota } })
    },
    async writeLog(entry) {
      await commit({ do: 'log', log: entry })
    },
    async drain() {
      while (flushing !== null) await flushing
    },
  }

  await sweepHolds({ store, log, commit })
  return ledger
}
