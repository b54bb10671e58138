import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../db/connect.ts'
import { createHorizon } from '../../db/horizon.ts'
import type { Clock } from '../../lib/clock.ts'
import { type CopyMarks, listForCopy, markCopied, markSending, readCopyMarks } from './copy-queries.ts'

/** A second place for the rows of the log. */
export interface LogSink {
  /**
   * Stores rows, one JSON object a line with the columns of the log. The same lines that are sent again are stored once.
   * @throws if it is not certain that it has stored them
   */
  store(lines: string): Promise<void>
}

/** Copies the log to a sink, row by row in the order of the ids, in the background. What is missing there is in the log. */
export interface LogCopies {
  /** Copies what is new; to be called at intervals on one node. Does not throw: what could not be stored is sent again later. */
  copy(): Promise<void>
  /** The last row that the sink has, by id; later ones must not be deleted. */
  copiedUpTo(db: Db): Promise<number>
  readonly figures: CopyFigures
  /** Begins no further batch, and resolves when the running one has ended. */
  stop(): Promise<void>
}

/** Counts of this process. */
export interface CopyFigures {
  /** Rows that the sink took. */
  rows: number
  /** Tries that failed. */
  failures: number
}

interface LogCopiesDeps {
  readonly db: Db
  readonly reads: Db
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Notifies the operator; `err` is `null` if nothing is wrong. */
  readonly report: (what: string, err: unknown) => void
  /** `null`: there is none. */
  readonly sink: LogSink | null
  /** Rows of a batch; fewer in tests. */
  readonly rowsMax?: number
}

/** Rows that are sent together: a sink that stores columns wants few large parts. About 3 MB. */
const batchRowsMax = 5_000
/** Rows that are encoded without giving way to requests: less than a millisecond. */
const encodedAtOnce = 200

/** Pause after a failure; it doubles with each further one, up to the longest. */
const pauseMs = 1_000
const longestPauseMs = 60_000

export function createLogCopies({ db, reads, clock, report, sink, rowsMax = batchRowsMax }: LogCopiesDeps): LogCopies {
  const horizon = createHorizon(reads, 'logs')
  const figures: CopyFigures = { rows: 0, failures: 0 }
  let failures = 0
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let isStopped = false
  let running = Promise.resolve()

  async function copyAll(to: LogSink): Promise<void> {
    const upTo = await horizon.settled()
    while (!isStopped && (await copyBatch(to, upTo)));
  }

  /** @returns whether there may be more */
  async function copyBatch(to: LogSink, upTo: number): Promise<boolean> {
    const marks = await readCopyMarks(db)
    const isRepeated = marks.sending > marks.copied
    const rows = await listForCopy(reads, { after: marks.copied, upTo: isRepeated ? marks.sending : upTo, rows: rowsMax })
    const isFull = rows.length === rowsMax
    // One that a version with larger batches has left is sent in parts.
    const sending = isRepeated && !isFull ? marks.sending : (rows.at(-1)?.id ?? marks.copied)
    const batch: CopyMarks = { copied: marks.copied, sending }
    if (sending === marks.copied) return false
    if (!isRepeated && !(await markSending(db, batch))) return false
    if (rows.length > 0) await to.store(await linesOf(rows))
    await markCopied(db, batch)
    figures.rows += rows.length
    return isRepeated || isFull
  }

  function failed(err: unknown): void {
    figures.failures += 1
    // Reported once per outage.
    if (failures === 0) report('log copy failed, missing rows are sent later', err)
    notBeforeMs = clock.monotonicMs() + Math.min(pauseMs * 2 ** failures, longestPauseMs)
    failures += 1
  }

  async function run(to: LogSink): Promise<void> {
    try {
      await copyAll(to)
      if (failures > 0) report('log copy resumed', null)
      failures = 0
    } catch (err) {
      failed(err)
    }
  }

  return {
    async copy() {
      if (sink === null || clock.monotonicMs() < notBeforeMs) return
      running = run(sink)
      await running
    },
    copiedUpTo: async (step) => (sink === null ? Number.MAX_SAFE_INTEGER : (await readCopyMarks(step)).copied),
    figures,
    async stop() {
      isStopped = true
      await running
    },
  }
}

type Rows = Awaited<ReturnType<typeof listForCopy>>

async function linesOf(rows: Rows): Promise<string> {
  const lines: string[] = []
  for (const [index, row] of rows.entries()) {
    if (index % encodedAtOnce === encodedAtOnce - 1) await setImmediate()
    lines.push(JSON.stringify(row))
  }
  return lines.join('\n')
}
