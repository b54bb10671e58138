/** Products of the family. */
export const dialects = ['one-api-0.6.8', 'one-api', 'new-api', 'ezlinkai'] as const
export type Dialect = (typeof dialects)[number]

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
