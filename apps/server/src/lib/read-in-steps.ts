/** Rows that are read at a time: each may have megabytes of data from outside. */
export const rowsAtOnce = 10

/**
 * Reads rows of a list, a few at a time.
 * @param limit most rows in all
 * @param read reads at most `size` rows behind the last one; `null` = from the beginning
 */
export async function* readInSteps<Row>(
  limit: number,
  read: (last: Row | null, size: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  let last: Row | null = null
  for (let left = limit; left > 0; left -= rowsAtOnce) {
    const size = Math.min(left, rowsAtOnce)
    const rows: readonly Row[] = await read(last, size)
    yield* rows
    last = rows.at(-1) ?? null
    if (rows.length < size) return
  }
}
