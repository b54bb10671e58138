import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { createHorizon } from '../db/horizon.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { daySeconds } from '../lib/day.ts'
import { addExact, distance, type ExactSum, negate } from './exact-sum.ts'
import { countHolds, listAccounts, listRows, type Payer, type PayerRow, sumEntries, sumEstimated } from './reconcile-queries.ts'

/** A balance or counter that differs from the sum of its entries. */
export interface Finding {
  readonly what: 'balance' | `used by ${Payer}` | `account ${string}`
  /** 0: the account is identified by `name`. */
  readonly id: number
  readonly stored: ExactSum
  readonly summed: ExactSum
}

/** The last reconciliation. Differences are only reported, never corrected: an administrator must find the cause. */
export interface Reconciliation {
  /** Seconds since the epoch; 0: the first run has not finished. */
  readonly checkedAt: number
  readonly elapsedMs: number
  readonly entries: number
  /** The sum of all differences in quota; 0 if everything is correct. */
  readonly unexplained: number
  /** The first differences. */
  readonly findings: readonly Finding[]
  readonly openHolds: number
  /** Open reservations that are older than any response can run. */
  readonly staleHolds: number
  readonly negativeBalances: number
  /** Requests of the last day, and those that were charged by our own count. */
  readonly requests: number
  readonly estimated: number
}

export interface Reconciler {
  current(): Reconciliation
  /** Runs now, in short steps with pauses. */
  run(): Promise<void>
  /** Resolves when no run is active. */
  stop(): Promise<void>
}

interface ReconcilerDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
}

/** Entries and rows per step: about a millisecond on SQLite. */
const stepRows = 1_000
/** Pause between two steps, so that at most a tenth of the time is used. */
const pauseMs = 10
const findingsMax = 100
/** Longer than any response can run. */
const staleSeconds = 7_200

const nothingYet: Reconciliation = {
  checkedAt: 0,
  elapsedMs: 0,
  entries: 0,
  unexplained: 0,
  findings: [],
  openHolds: 0,
  staleHolds: 0,
  negativeBalances: 0,
  requests: 0,
  estimated: 0,
}

const payers = ['user', 'token', 'channel'] as const satisfies readonly Payer[]

/**
 * Compares every balance with the sum of its entries. Entries are immutable, so a run keeps its sums and the next one does not read them
 * again; newer entries are added by the same statement that reads the balances.
 */
export function createReconciler({ db, clock, log }: ReconcilerDeps): Reconciler {
  const horizon = createHorizon(db, 'ledger')
  let latest = nothingYet
  let running: Promise<void> | null = null
  let isStopped = false
  /** The last entry included in the sums, and the number of entries. */
  let mark = 0
  let entries = 0
  const balances = new Map<number, ExactSum>()
  /** Sums of the other side, by system account. */
  const accounts = new Map<string, ExactSum>()
  const used: Readonly<Record<Payer, Map<number, ExactSum>>> = { user: new Map(), token: new Map(), channel: new Map() }

  async function catchUp(): Promise<void> {
    const last = await horizon.settled()
    while (mark < last && !isStopped) {
      const upTo = Math.min(mark + stepRows, last)
      for (const sum of await sumEntries(db, { after: mark, upTo })) {
        entries += sum.entries
        add(balances, sum.user_id, sum.amount)
        add(accounts, sum.account, negate(sum.amount))
        if (sum.kind === 'consume') for (const payer of payers) add(used[payer], sum[`${payer}_id`], negate(sum.amount))
      }
      mark = upTo
      await pause()
    }
  }

  function gapsOf(payer: Payer, row: PayerRow): readonly Finding[] {
    const spent = addExact(addExact(used[payer].get(row.id) ?? 0, row.used_since), row.imported)
    const balance = payer === 'user' ? addExact(balances.get(row.id) ?? 0, row.since) : row.quota
    const sides: readonly Finding[] = [
      { what: 'balance', id: row.id, stored: row.quota, summed: balance },
      { what: `used by ${payer}`, id: row.id, stored: row.used_quota, summed: spent },
    ]
    return sides.filter(({ stored, summed }) => stored !== summed)
  }

  async function compare(payer: Payer): Promise<{ readonly findings: readonly Finding[]; readonly negative: number }> {
    const findings: Finding[] = []
    let negative = 0
    let after = 0
    for (let isMore = true; isMore && !isStopped; ) {
      const rows = await listRows(db, payer, { after, mark, limit: stepRows })
      findings.push(...rows.flatMap((row) => gapsOf(payer, row)))
      negative += rows.filter(({ quota }) => quota < 0).length
      after = rows.at(-1)?.id ?? after
      isMore = rows.length === stepRows
      if (isMore) await pause()
    }
    return { findings, negative }
  }

  /** A system account without a row has the balance 0. */
  async function compareAccounts(): Promise<readonly Finding[]> {
    const rows = new Map((await listAccounts(db, mark)).map((row) => [row.name, row]))
    return [...new Set([...rows.keys(), ...accounts.keys()])].flatMap((name): readonly Finding[] => {
      const { balance: stored = 0, since = 0 } = rows.get(name) ?? {}
      const summed = addExact(accounts.get(name) ?? 0, since)
      return stored === summed ? [] : [{ what: `account ${name}`, id: 0, stored, summed }]
    })
  }

  async function look(): Promise<void> {
    const startedMs = clock.monotonicMs()
    await catchUp()
    const findings: Finding[] = []
    let negativeBalances = 0
    for (const payer of payers) {
      const comparison = await compare(payer)
      findings.push(...comparison.findings)
      negativeBalances += comparison.negative
    }
    findings.push(...(await compareAccounts()))
    const now = nowSeconds(clock)
    const holds = await countHolds(db, now - staleSeconds)
    const usage = await sumEstimated(db, now - daySeconds)
    if (isStopped) return
    latest = {
      checkedAt: now,
      elapsedMs: Math.round(clock.monotonicMs() - startedMs),
      entries,
      unexplained: findings.reduce((sum, { stored, summed }) => sum + distance(stored, summed), 0),
      findings: findings.slice(0, findingsMax),
      openHolds: holds.open,
      staleHolds: holds.stale,
      negativeBalances,
      ...usage,
    }
    if (findings.length > 0) log.error({ findings: latest.findings.map(withTexts) }, 'ledger reconciliation found differences')
  }

  return {
    current: () => latest,
    run() {
      running ??= look().finally(() => {
        running = null
      })
      return running
    },
    async stop() {
      isStopped = true
      await running?.catch(() => {})
    },
  }
}

/** Amounts that JSON can say exactly: texts beyond 2^53. */
export function withTexts({ stored, summed, ...finding }: Finding) {
  return { ...finding, stored: speakable(stored), summed: speakable(summed) }
}

const speakable = (sum: ExactSum): number | string => (typeof sum === 'number' ? sum : String(sum))

function add<Id>(sums: Map<Id, ExactSum>, id: Id, amount: ExactSum): void {
  sums.set(id, addExact(sums.get(id) ?? 0, amount))
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, pauseMs))
}
