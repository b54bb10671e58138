import type { Tables } from './source.ts'

/** Products of the family, told apart by what their tables have. */
export const dialects = ['one-api-0.6.8', 'one-api', 'new-api', 'ezlinkai'] as const
export type Dialect = (typeof dialects)[number]

/** The first mark that is found decides. Tables without a mark are of the oldest product. */
const marks: ReadonlyArray<{ readonly dialect: Dialect; readonly table: string; readonly column: string }> = [
  { dialect: 'ezlinkai', table: 'group_configs', column: 'id' },
  { dialect: 'ezlinkai', table: 'model_metrics', column: 'id' },
  { dialect: 'ezlinkai', table: 'users', column: 'google_id' },
  { dialect: 'new-api', table: 'tokens', column: 'model_limits_enabled' },
  { dialect: 'new-api', table: 'tokens', column: 'deleted_at' },
  { dialect: 'new-api', table: 'channels', column: 'auto_ban' },
  { dialect: 'one-api', table: 'users', column: 'oidc_id' },
  { dialect: 'one-api', table: 'logs', column: 'elapsed_time' },
]

/** The product that made these tables; `null` = none of the family. */
export function detectDialect(tables: Tables): Dialect | null {
  const isFamily = ['users', 'tokens', 'channels'].every((table) => tables.has(table)) && tables.get('tokens')?.has('key') === true
  if (!isFamily) return null
  return marks.find(({ table, column }) => tables.get(table)?.has(column) === true)?.dialect ?? 'one-api-0.6.8'
}

export function isDialect(name: string): name is Dialect {
  return dialects.some((dialect) => dialect === name)
}

/** The meaning of each log type of a source. Other types are refused. */
export const logTypes: Readonly<Record<Dialect, Readonly<Record<number, LogMeaning>>>> = {
  'one-api-0.6.8': { 1: 'topUp', 2: 'consume', 3: 'admin', 4: 'system' },
  'one-api': { 1: 'topUp', 2: 'consume', 3: 'admin', 4: 'system', 5: 'test' },
  'new-api': { 1: 'topUp', 2: 'consume', 3: 'admin', 4: 'system', 5: 'failed', 6: 'refund' },
  ezlinkai: { 1: 'topUp', 2: 'consume', 3: 'admin', 4: 'system', 5: 'failed' },
}

/** Types of our log, and others that only other products have. */
export type LogMeaning = 'topUp' | 'consume' | 'admin' | 'system' | 'test' | 'failed' | 'refund'
