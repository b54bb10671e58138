/** Most concurrent calls of one bulk action. */
const parallelMax = 5

interface BulkRun<Row> {
  readonly rows: readonly Row[]
  readonly act: (row: Row) => Promise<unknown>
  readonly onProgress: (done: number) => void
  readonly signal: AbortSignal
  /** Number of concurrent calls, if fewer. */
  readonly parallel?: number
}

export interface BulkResult<Row> {
  readonly done: readonly Row[]
  readonly failed: readonly { readonly row: Row; readonly error: unknown }[]
}

/** Runs an action on many rows, a few at a time. A failed row does not stop the others; after an abort, running calls are completed. */
export async function runBulk<Row>({ rows, act, onProgress, signal, parallel = parallelMax }: BulkRun<Row>): Promise<BulkResult<Row>> {
  const done: Row[] = []
  const failed: { row: Row; error: unknown }[] = []
  const waiting = [...rows]
  const work = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined && !signal.aborted; row = waiting.shift()) {
      try {
        await act(row)
        done.push(row)
      } catch (error) {
        failed.push({ row, error })
      }
      onProgress(done.length + failed.length)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
  return { done, failed }
}
