// What each session of PostgreSQL is set to after it was opened. Settings of the start are refused or ignored by poolers.

/** Names of PostgreSQL's settings with their values. */
export type SessionSettings = Readonly<Record<string, string>>

/** A setting of ours: the schemas of a session's search path before it was narrowed to the one of the installation, as a JSON array. */
export const pathSetting = 'sluice.search_path'

interface Limits {
  /** Longest time of one statement in milliseconds; 0 = no limit. */
  readonly statementMs: number
  readonly isReadOnly?: boolean
}

/** Settings of every session, so that neither side waits forever for the other, and an acknowledged commit is on disk. */
export function settingsOf({ statementMs, isReadOnly = false }: Limits, special: SessionSettings = {}): SessionSettings {
  return {
    client_encoding: 'UTF8',
    TimeZone: 'UTC',
    synchronous_commit: 'on',
    default_transaction_isolation: 'read committed',
    lock_timeout: '5s',
    idle_in_transaction_session_timeout: '30s',
    tcp_keepalives_idle: '10',
    tcp_keepalives_interval: '5',
    tcp_keepalives_count: '3',
    statement_timeout: String(statementMs),
    default_transaction_read_only: isReadOnly ? 'on' : 'off',
    ...special,
  }
}

/** The ledger's: one generic plan a statement, which finds rows by their keys whatever the size of the batch, and no JIT compilation. */
export const ledgerSettings = settingsOf(
  { statementMs: 8_000 },
  { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' },
)

/** Of queries of the management API. */
export const querySettings = settingsOf({ statementMs: 15_000 })

/**
 * Of slow reads: memory of one sort or table of groups, the cost of a page that does not follow the last one, no helpers, and a plan for each call.
 * PostgreSQL's own values are for disks with heads: the ranking of 100,000 accounts reads whole tables and sorts on the disk. Where a page costs
 * almost nothing, rows of a month are looked up one by one, in an index and then in the table, which takes twice as long as reading each page of
 * the table once (600 instead of 290 ms of CPU). Helpers, each of which finds almost every account, take longer to put their groups together than
 * one process takes for all of it (550 instead of 390 ms). A plan that is kept for all values does not know how long a time is meant, and takes it
 * for a short one.
 */
export const readSettings = settingsOf(
  { statementMs: 8_000, isReadOnly: true },
  { work_mem: '32MB', random_page_cost: '1.5', max_parallel_workers_per_gather: '0', plan_cache_mode: 'force_custom_plan' },
)
