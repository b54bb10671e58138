import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { createDeadlines, type Deadlines } from '../lib/deadlines.ts'
import { goOn, type Reached } from '../lib/failpoints.ts'
import { createAccounts } from './accounts.ts'
import { createBatches } from './batches.ts'
import type { Operation } from './commit.ts'
import { inTime } from './in-time.ts'
import type { Hold, Ledger } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import { postgresLedgerStore } from './postgres-ledger-store.ts'
import { createProgressMarks } from './progress-marks.ts'
import { readOpenHolds } from './queries.ts'
import { sqliteLedgerStore } from './sqlite-ledger-store.ts'
import { type OpenHold, sweepHolds } from './sweep.ts'

interface CommonDeps {
  readonly clock: Clock
  readonly log: Logger
  /** Where a test may let it fail. */
  readonly reached?: Reached
  /** Hears of every batch that was committed: how many operations, in how many milliseconds. */
  readonly committed?: (operations: number, elapsedMs: number) => void
  /** Users and tokens kept in memory at the same time; fewer in tests. */
  readonly loadedMax?: number
}

interface LedgerDeps extends CommonDeps {
  readonly store: Store
}

/** What the ledger is made of, whatever stands behind it. */
interface CoreDeps extends CommonDeps {
  readonly ledgerStore: LedgerStore
  /** Reservations that a dead process left. */
  readonly left: readonly OpenHold[]
  readonly durable: () => Promise<void>
  readonly deadlines: Deadlines
}

/** Ids that no row has: for loading one side only. */
const noUser = 0
const noToken = 0

const done = Promise.resolve()
const nothing = (): void => {}

/** The ledger of a store that nobody else writes to. */
export async function createLedger({ store, ...common }: LedgerDeps): Promise<Ledger> {
  const { reached = goOn, clock } = common
  const ledgerStore = store.engine === 'sqlite' ? sqliteLedgerStore(store, reached) : postgresLedgerStore(store.line, reached)
  const left = await readOpenHolds(store.db)
  return await openLedger({ ...common, ledgerStore, left, durable: store.durable, deadlines: createDeadlines(clock) })
}

/**
 * The ledger of one process. Whether quota suffices is decided in memory, at once and without a gap in which another
 * request could decide on the same quota; what was decided is committed in batches.
 */
export async function openLedger(deps: CoreDeps): Promise<Ledger> {
  const { ledgerStore, left, durable, clock, deadlines, log, reached = goOn, committed = nothing } = deps
  const accounts = createAccounts(ledgerStore, deps.loadedMax)
  const batches = createBatches({
    store: ledgerStore,
    clock,
    deadlines,
    log,
    committed,
    applied(operations, results) {
      operations.forEach((operation, index) => {
        if (operation.do === 'post' && !operation.isCounted && results[index])
          accounts.add(operation.posting.userId, operation.posting.amount)
      })
    },
    heldInVain(operation) {
      if (operation.do === 'hold') void ledger.release(operation.request, null).catch(() => {})
    },
  })
  const { commit } = batches
  const marks = createProgressMarks({ clock, deadlines, commit, isUp: () => ledgerStore.trouble() === null })

  /** Commits a change that memory has made: until the store has it too, an account that is read anew would be without it. */
  async function commitKept(ids: { readonly userId: number; readonly tokenId: number }, operation: Operation): Promise<boolean> {
    const letGo = accounts.keep(ids.userId, ids.tokenId)
    const didSomething = await commit(operation)
    letGo()
    return didSomething
  }

  /** What is promised while the store cannot be written would have to be kept on trust. */
  function needStore(): void {
    const trouble = ledgerStore.trouble() ?? (batches.isStalled() ? 'database_unavailable' : null)
    if (trouble !== null) throw new AppError(trouble, { retryAfterSeconds: 5 })
  }

  /** What is read waits its turn behind what is written, but not for ever. @throws AppError database_unavailable */
  function load(userId: number, tokenId: number): Promise<() => void> {
    return inTime(deadlines, accounts.load(userId, tokenId), (letGo) => letGo())
  }

  /** @throws AppError database_unavailable: what was committed may still reach the disk, or not. */
  const onDisk = (): Promise<void> => inTime(deadlines, durable(), nothing)

  const ledger: Ledger = {
    isReady: () => !batches.isBroken() && !batches.isStalled() && ledgerStore.trouble() === null,
    async hold(request) {
      reached('hold-asked')
      needStore()
      const { userId, tokenId } = request
      if (!accounts.isLoaded(userId, tokenId)) {
        ;(await load(userId, tokenId))()
        // Others may have come to wait meanwhile.
        needStore()
      }
      const amount = accounts.take(request)
      reached('hold-taken')
      const taken = { ...request, amount }
      await commit({ do: 'hold', request: taken })
      reached('hold-committed')
      return taken
    },
    extend: (hold, amount) => accounts.takeMore(hold.requestId, amount),
    payable: (hold, cost) => accounts.payable(hold.requestId, cost),
    heldFor: (hold) => accounts.heldFor(hold.requestId),
    follow: marks.follow,
    settle(hold: Hold, settlement) {
      reached('settle-asked')
      marks.forget(hold.requestId)
      if (!accounts.resolve(hold.requestId, settlement.amount)) return done
      return commitKept(hold, { do: 'settle', hold, settlement }).then(() => reached('settle-committed'))
    },
    release(hold, entry) {
      marks.forget(hold.requestId)
      return accounts.resolve(hold.requestId, 0) ? commitKept(hold, { do: 'release', hold, log: entry }).then(nothing) : done
    },
    async post(posting) {
      reached('post-asked')
      needStore()
      const letGo = await load(posting.userId, noToken)
      const isNew = await commit({ do: 'post', posting, isCounted: false }).finally(letGo)
      await onDisk()
      return isNew
    },
    async adjust({ userId, kind, ref, amountAt, log: logOf }) {
      needStore()
      const letGo = await load(userId, noToken)
      // From here to the commit's place in the queue nothing waits, so no other change decides on the same balance.
      letGo()
      const from = accounts.balanceOf(userId)
      if (from === null) throw new AppError('not_found', { messageKey: 'no_such_user' })
      const amount = amountAt(from)
      const moved = { from, to: from + amount }
      if (amount === 0) return moved
      if (!Number.isSafeInteger(moved.to)) throw new AppError('quota_too_large')
      accounts.add(userId, amount)
      const posting = { userId, kind, ref, amount, log: logOf(moved) }
      await commitKept({ userId, tokenId: noToken }, { do: 'post', posting, isCounted: true })
      await onDisk()
      return moved
    },
    async setTokenQuota(tokenId, change) {
      needStore()
      const letGo = await load(noUser, tokenId)
      // As in `adjust`: from here to the commit's place in the queue nothing waits.
      letGo()
      const now = accounts.limitOf(tokenId)
      if (now === null) throw new AppError('not_found', { messageKey: 'no_such_token' })
      const { remain, isUnlimited, forms } = change(now)
      if (!Number.isSafeInteger(remain)) throw new AppError('quota_too_large')
      accounts.setToken(tokenId, { remain, isUnlimited, forms })
      await commitKept({ userId: noUser, tokenId }, { do: 'set-token', limit: { tokenId, remain, isUnlimited, forms } })
    },
    balanceOf: accounts.balanceOf,
    openHolds: accounts.openHolds,
    async writeLog(entry) {
      await commit({ do: 'log', log: entry })
    },
    drain: batches.drain,
  }

  await sweepHolds({ holds: left, log, commit })
  return ledger
}
