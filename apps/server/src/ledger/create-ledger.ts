import type { Logger } from 'pino'
import type { Store } from '../db/connect.ts'
import { AppError } from '../lib/app-error.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { createDeadlines, type Deadlines } from '../lib/deadlines.ts'
import { noFailpoints, type Reached } from '../lib/failpoints.ts'
import { createAccounts } from './accounts.ts'
import { createBatches } from './batches.ts'
import type { Operation } from './commit.ts'
import { endInTime, inTime } from './in-time.ts'
import { createLeases } from './leases.ts'
import type { Hold, HoldRequest, Ledger, QuotaRequest } from './ledger.ts'
import type { LedgerStore } from './ledger-store.ts'
import type { OpenHold } from './open-hold.ts'
import { postgresLedgerStore } from './postgres-ledger-store.ts'
import { createProgressMarks } from './progress-marks.ts'
import { readOpenHolds } from './queries.ts'
import { type Freed, leasedQuota, nothingFreed, wholeQuota } from './quota-rules.ts'
import { amountOf } from './set-aside.ts'
import { adjustShared, setSharedToken } from './shared-changes.ts'
import { sqliteLedgerStore } from './sqlite-ledger-store.ts'
import { sweepHolds } from './sweep.ts'
import type { NewTask, TaskEnd } from './task-rows.ts'
import { watchNodes } from './watch-nodes.ts'

interface CommonDeps {
  readonly clock: Clock
  readonly log: Logger
  /** A hook at which tests inject failures. */
  readonly reached?: Reached
  /** Called after each committed batch with the number of operations and the milliseconds it took. */
  readonly committed?: (operations: number, elapsedMs: number) => void
  /** Users and tokens in memory; smaller in tests. */
  readonly loadedMax?: number
}

interface LedgerDeps extends CommonDeps {
  readonly store: Store
}

/** Dependencies of the ledger for any kind of store. */
interface CoreDeps extends CommonDeps {
  readonly ledgerStore: LedgerStore
  /** Reservations of a process that crashed. */
  readonly left: readonly OpenHold[]
  readonly durable: () => Promise<void>
  readonly deadlines: Deadlines
}

/** No row has this id: for loading a user or a token alone. */
const noUser = 0
const noToken = 0

/** The end of a task whose request was refused because its reservation took too long. */
function timedOutTask({ public_id: publicId }: NewTask): TaskEnd {
  return { publicId, state: 'failed', progress: 0, resultSealed: '', errorCode: 'database_unavailable', errorMessage: '', expiresAt: 0 }
}
const nothing = (): void => {}

/** The ledger on a store of either engine. */
export async function createLedger({ store, ...common }: LedgerDeps): Promise<Ledger> {
  const { reached = noFailpoints, clock } = common
  const ledgerStore = store.engine === 'sqlite' ? sqliteLedgerStore(store, reached) : postgresLedgerStore(store, reached)
  const left = ledgerStore.shared === null ? await readOpenHolds(store.db) : []
  return await openLedger({ ...common, ledgerStore, left, durable: store.durable, deadlines: createDeadlines(clock) })
}

/**
 * The ledger of one process. Whether quota suffices is decided synchronously in memory, so no other request can use the same quota; the
 * decisions are committed in batches. On a shared store memory has leases, which nobody else can spend: then a request waits for the
 * store only if its leases do not suffice.
 */
export async function openLedger(deps: CoreDeps): Promise<Ledger> {
  const { ledgerStore, left, durable, clock, deadlines, log, reached = noFailpoints, committed = nothing } = deps
  const { shared } = ledgerStore
  const brokenListeners: (() => void)[] = []
  /** Reservations that a crash has left, and whose end was set aside. */
  const keptOfSweep = new Set<string>()
  const accounts = createAccounts({
    store: ledgerStore,
    rules: shared === null ? wholeQuota : leasedQuota,
    ...(deps.loadedMax === undefined ? {} : { max: deps.loadedMax }),
    dropped: (payer, free) => leases?.dropped(payer, free),
  })
  const batches = createBatches({
    store: ledgerStore,
    clock,
    deadlines,
    log,
    reached,
    committed,
    applied(operations, results, responses) {
      operations.forEach((operation, index) => {
        if (operation.do === 'post' && !operation.isCounted && results[index])
          accounts.add(operation.posting.userId, operation.posting.amount)
        // From now on the reservation of a task belongs to no node.
        if (shared !== null && operation.do === 'hold' && operation.request.task !== undefined)
          accounts.handOver(operation.request.requestId)
        if (operation.do !== 'settle' && operation.do !== 'release') return
        accounts.written(operation)
        if (results[index] === false) accounts.takeBack(operation)
      })
      leases?.responded(responses)
    },
    keepHold(ending) {
      const { requestId } = ending.hold
      const { freed = nothingFreed } = ending
      const isOwned = freed.held !== undefined
      // A start or another node ends what a crash has left. It is in no lease of this node, and in memory only after the start.
      const isSwept = ending.freed === undefined
      if (isSwept) keptOfSweep.add(requestId)
      const held = freed.held ?? ending.hold.amount ?? 0
      const kept = isSwept ? { user: held, token: 0 } : accounts.keepHold(ending, amountOf(ending))
      return { isOwned, held, kept, freed: isSwept ? nothingFreed : kept }
    },
    refused(operation) {
      if (operation.do === 'hold') accounts.resolve(operation.request.requestId, 0)
    },
    broke() {
      for (const react of brokenListeners) react()
    },
    onHoldTimeout(operation) {
      if (operation.do !== 'hold') return
      const { request } = operation
      void ledger.release(request, null, request.task && timedOutTask(request.task)).catch(() => {})
    },
  })
  const { commit } = batches
  const leases = shared === null ? null : createLeases({ accounts, shared, clock, commit })
  const marks = createProgressMarks({ clock, deadlines, commit, isUp: () => ledgerStore.trouble() === null })

  /** Commits a change made in memory. Its account stays in memory until then, because a new read of the store would miss the change. */
  async function commitKept(
    { userId, tokenId }: { readonly userId: number; readonly tokenId: number },
    operation: Operation,
  ): Promise<boolean> {
    const unpin = accounts.keep(userId, tokenId)
    const didSomething = await commit(operation).finally(unpin)
    if (operation.do === 'settle') reached('settle-committed')
    return didSomething
  }

  /** Refuses new operations while the store cannot be written: they could not be recorded. */
  function needStore(): void {
    const trouble = ledgerStore.trouble() ?? (batches.isStalled() || batches.isBroken() ? 'database_unavailable' : null)
    if (trouble !== null) throw new AppError(trouble, { retryAfterSeconds: 5 })
  }

  /** Reads are queued behind writes, but with a timeout. @throws AppError database_unavailable */
  function load(userId: number, tokenId: number): Promise<() => void> {
    return inTime(deadlines, accounts.load(userId, tokenId), (unpin) => unpin())
  }

  /** For changes that somebody waits for. @throws AppError database_unavailable on a timeout: the change is still committed later */
  const committedInTime = <Result>(change: Promise<Result>): Promise<Result> => inTime(deadlines, change, nothing)

  /** @throws AppError database_unavailable on a timeout: the commit may or may not reach the disk */
  const onDisk = (): Promise<void> => inTime(deadlines, durable(), nothing)

  /** The reservations of tasks go on, because their vendors are still at work, and so do those of what was set aside. */
  async function restoreHolds(holds: readonly OpenHold[]): Promise<void> {
    for (const { request_id: requestId, user_id: userId, token_id: tokenId, amount } of holds) {
      const unpin = accounts.isLoaded(userId, tokenId) ? nothing : await accounts.load(userId, tokenId)
      accounts.restore({ requestId, userId, tokenId, amount })
      unpin()
    }
  }

  /** What the end of a task takes from leases, whose reservation no process has in memory; `null`: it is no such end. */
  function orphanExcess(task: TaskEnd | undefined, { userId }: Pick<Hold, 'userId'>, excess: number): Freed | null {
    return shared === null || task === undefined ? null : accounts.spendBeyond(userId, excess)
  }

  /** Whether something of the store is needed before the request can reserve: the account and the token, or more of a lease. */
  function mustWait(request: QuotaRequest): boolean {
    return leases === null ? !accounts.isLoaded(request.userId, request.tokenId) : accounts.isLacking(request)
  }

  /**
   * Decides on a request as soon as this process has what it needs for that. Nothing may come between the two: other requests would take what
   * this one was given, or the account would be dropped from memory.
   * @throws AppError
   */
  async function whenFunded<Result>(request: QuotaRequest, decide: () => Result): Promise<Result> {
    needStore()
    const { userId, tokenId } = request
    if (leases !== null) {
      // Checked again each time: another request may have taken what was requested for this one.
      while (accounts.isLacking(request)) await inTime(deadlines, leases.fund(request), nothing)
    } else if (!accounts.isLoaded(userId, tokenId)) {
      ;(await load(userId, tokenId))()
      // Checked again: other operations may have been queued during the load.
      needStore()
    }
    return decide()
  }

  /**
   * What the end of a response waits for. A database that servers share must have its charge first: a standby that takes over may lack what
   * was not committed. With one of its own, a process that lives writes the charge in any case.
   */
  const waitForCharge = (work: Promise<unknown>): Promise<unknown> => (shared === null ? endInTime(deadlines, work) : work)

  /** Reserves in memory; nothing of it is committed yet. @throws AppError */
  function take(request: HoldRequest) {
    const { requestId, userId, tokenId, modelName } = request
    const amount = accounts.take(request)
    reached('hold-taken')
    leases?.keepUp(request)
    return { requestId, userId, tokenId, modelName, amount }
  }

  const ledger: Ledger = {
    isReady: () => !batches.isBroken() && !batches.isStalled() && ledgerStore.trouble() === null,
    holdNow(request) {
      if (mustWait(request)) return null
      reached('hold-asked')
      needStore()
      const taken = take(request)
      batches.commitLater({ do: 'hold', request: taken })
      reached('hold-made')
      return taken
    },
    async hold(request) {
      reached('hold-asked')
      const { requestId, task } = request
      const { taken, stored } = await whenFunded(request, () => {
        const taken = take(request)
        if (task !== undefined)
          return { taken, stored: commit({ do: 'hold', request: { ...taken, task, ofToken: accounts.ofToken(requestId) } }) }
        batches.commitLater({ do: 'hold', request: taken })
        return { taken, stored: null }
      })
      await stored
      reached('hold-made')
      return taken
    },
    async assertPayable(request) {
      await whenFunded(request, () => accounts.assertPayable(request))
    },
    extend: (hold, amount) => accounts.takeMore(hold.requestId, amount),
    async fund(hold, amount) {
      if (leases !== null) await inTime(deadlines, leases.fundMore(hold, amount), nothing)
    },
    payable: (hold, cost) => accounts.payable(hold, cost),
    heldFor: (hold) => accounts.heldFor(hold.requestId),
    affordable: (hold) => accounts.affordable(hold),
    follow: marks.follow,
    async settle(hold: Hold, settlement) {
      reached('settle-asked')
      marks.forget(hold.requestId)
      const freed =
        accounts.resolve(hold.requestId, settlement.amount) ?? orphanExcess(settlement.task, hold, settlement.amount - hold.amount)
      if (freed !== null) await waitForCharge(commitKept(hold, { do: 'settle', hold, settlement, freed }))
    },
    async release(hold, entry, task) {
      marks.forget(hold.requestId)
      const freed = accounts.resolve(hold.requestId, 0) ?? orphanExcess(task, hold, 0)
      if (freed !== null) await waitForCharge(commitKept(hold, { do: 'release', hold, log: entry, task, freed }))
    },
    async endSetAside({ kind, hold, settlement }, resolves) {
      needStore()
      const { amount, log: entry, task } = settlement
      const beyond = (): Freed | null => (shared === null ? null : accounts.spendBeyond(hold.userId, amount - hold.amount))
      const freed = accounts.resolve(hold.requestId, amount) ?? beyond()
      if (freed === null) return false
      if (kind === 'settle') return await committedInTime(commitKept(hold, { do: 'settle', hold, settlement, freed, resolves }))
      return await committedInTime(commitKept(hold, { do: 'release', hold, log: entry, task, freed, resolves }))
    },
    isBroken: batches.isBroken,
    onBroken(react) {
      if (batches.isBroken()) react()
      else brokenListeners.push(react)
    },
    async post(posting) {
      reached('post-asked')
      needStore()
      const unpin = shared === null ? await load(posting.userId, noToken) : nothing
      const isNew = await committedInTime(commit({ do: 'post', posting, isCounted: false }).finally(unpin))
      await onDisk()
      return isNew
    },
    async adjust({ userId, kind, ref, amountAt, log: logOf }) {
      needStore()
      if (shared !== null)
        return await inTime(deadlines, adjustShared(shared, { userId, kind, ref, amountAt, log: logOf }, nowSeconds(clock)), nothing)
      const unpin = await load(userId, noToken)
      // From here until the commit is queued the code is synchronous, so no other change uses the same balance.
      unpin()
      const from = accounts.balanceOf(userId)
      if (from === null) throw new AppError('not_found', { messageKey: 'no_such_user' })
      const amount = amountAt(from)
      const moved = { from, to: from + amount }
      if (amount === 0) return moved
      if (!Number.isSafeInteger(moved.to)) throw new AppError('quota_too_large')
      accounts.add(userId, amount)
      const posting = { userId, kind, ref, amount, log: logOf(moved) }
      const undo = (error: unknown): never => {
        accounts.add(userId, -amount)
        throw error
      }
      await committedInTime(commitKept({ userId, tokenId: noToken }, { do: 'post', posting, isCounted: true }).catch(undo))
      await onDisk()
      return moved
    },
    async setTokenQuota(tokenId, change) {
      needStore()
      if (shared !== null) return await inTime(deadlines, setSharedToken(shared, { tokenId, change }, nowSeconds(clock)), nothing)
      const unpin = await load(noUser, tokenId)
      // As in `adjust`: from here until the commit is queued the code is synchronous.
      unpin()
      const now = accounts.limitOf(tokenId)
      if (now === null) throw new AppError('not_found', { messageKey: 'no_such_token' })
      const { remain, isUnlimited, forms } = change(now)
      if (!Number.isSafeInteger(remain)) throw new AppError('quota_too_large')
      const before = { ...now }
      accounts.setToken(tokenId, { remain, isUnlimited, forms })
      const limit = { tokenId, remain, isUnlimited, forms }
      const undo = (error: unknown): never => {
        const spentSince = remain - (accounts.limitOf(tokenId)?.remain ?? remain)
        accounts.setToken(tokenId, { remain: before.remain - spentSince, isUnlimited: before.isUnlimited, forms: before.forms })
        throw error
      }
      await committedInTime(commitKept({ userId: noUser, tokenId }, { do: 'set-token', limit }).catch(undo))
    },
    balanceOf: accounts.balanceOf,
    openHolds: accounts.openHolds,
    async writeLog(entry) {
      await committedInTime(commit({ do: 'log', log: entry }))
    },
    drain: batches.drain,
    async close() {
      stopWatching()
      await batches.drain()
    },
  }

  await sweepHolds({ holds: left.filter(({ task_id }) => task_id === ''), log, commit })
  await restoreHolds(left.filter(({ task_id, request_id }) => task_id !== '' || keptOfSweep.has(request_id)))
  const stopWatching = shared === null || leases === null ? nothing : await watchNodes({ shared, leases, log, commit })
  return ledger
}
