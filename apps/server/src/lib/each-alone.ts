import { AppError } from './app-error.ts'

/**
 * Work for one of many items, such as a row of a scheduled job, that stops none of the others: its failure is reported instead. Only
 * what every item would meet, such as a database that cannot be written, is thrown.
 */
export function eachAlone<Item>(
  work: (item: Item) => Promise<unknown>,
  failed: (error: unknown, item: Item) => void,
): (item: Item) => Promise<void> {
  return async (item) => {
    try {
      await work(item)
    } catch (error) {
      if (error instanceof AppError && everybodys.has(error.code)) throw error
      failed(error, item)
    }
  }
}

const everybodys: ReadonlySet<string> = new Set(['database_unavailable', 'storage_full', 'shutting_down'])
