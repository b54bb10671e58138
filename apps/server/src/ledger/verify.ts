import type { Db } from '../db/connect.ts'
import {
  countNegativeBalances,
  countOpenHolds,
  listAccountGaps,
  listAsideGaps,
  listBalanceGaps,
  listCounterGaps,
  listHourGaps,
  listImbalance,
  listLeaseGaps,
  listResolvedHolds,
  listTaskGaps,
  listUnloggedEntries,
  listUsageSumGaps,
  sumLedger,
} from './verify-queries.ts'

/** One invariant of the ledger and its violations; no lines: it holds. */
export interface Check {
  readonly rule: string
  readonly broken: readonly string[]
}

export interface VerifyReport {
  readonly checks: readonly Check[]
  readonly isConsistent: boolean
  /** Figures for the reader of the report; they are not checks. */
  readonly facts: { readonly openHolds: number; readonly negativeBalances: number; readonly entries: number; readonly balance: bigint }
}

interface VerifyOptions {
  /** Whether every charge must have a usage log row. `false` if usage logging was ever off or cleaned up. */
  readonly withLogs: boolean
}

/** Checks on an open store whether the entries explain every balance. Read-only. */
export async function verify(db: Db, { withLogs }: VerifyOptions): Promise<VerifyReport> {
  const checks: Check[] = [
    { rule: 'every balance is the sum of its ledger entries', broken: await listBalanceGaps(db) },
    { rule: 'every account of the system is the other side of its ledger entries', broken: await listAccountGaps(db) },
    { rule: 'the balances of users and of the system sum to zero', broken: await listImbalance(db) },
    { rule: 'used quota of users, tokens and channels is the sum of what was charged', broken: await listCounterGaps(db) },
    { rule: 'every hour of usage is the sum of its log rows', broken: await listHourGaps(db) },
    { rule: 'every other sum of usage is the sum of its hours', broken: await listUsageSumGaps(db) },
    { rule: 'what is leased of an account or a token is what nodes and tasks have of it', broken: await listLeaseGaps(db) },
    { rule: 'no request is both charged and still reserved', broken: await listResolvedHolds(db) },
  ]
  checks.push({ rule: 'every running task has its reservation, and the reverse', broken: await listTaskGaps(db) })
  checks.push({ rule: 'every reservation of what was set aside is found by it', broken: await listAsideGaps(db) })
  if (withLogs)
    checks.push({ rule: 'every charge has its log row of the same amount, and the reverse', broken: await listUnloggedEntries(db) })
  const { entries, balance } = await sumLedger(db)
  const facts = { openHolds: await countOpenHolds(db), negativeBalances: await countNegativeBalances(db), entries, balance }
  return { checks, isConsistent: checks.every(({ broken }) => broken.length === 0), facts }
}
