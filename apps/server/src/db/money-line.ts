import type { ReservedSQL } from 'bun'
import { createMutex } from '../lib/mutex.ts'
import { isFenced, openOwnedConnection, pause, type StoreEvents, TakenOverError } from './owned-connection.ts'
import { isConnectionLost, isPassing, unavailable } from './postgres-errors.ts'
import { type Rows, toParameters, toRows } from './postgres-values.ts'

/** Sends a statement at once; its answer need not be waited for before the next is sent. */
export type Run = (text: string, parameters?: readonly unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>

/** The ledger's own connection: transactions one after another, each exactly once, however often the connection breaks. */
export interface MoneyLine {
  /** Whether what is asked for now will be written soon. */
  isUp(): boolean
  /** Called whenever the connection is lost. */
  onLost(react: () => void): void
  /** `write` may be called several times, `committed` once: with what the last one gave, before anything else happens on the line. */
  transact<Result>(write: (run: Run) => Promise<Result>, committed: (result: Result) => void): Promise<void>
  /** Reads; `keep` is called before anything else happens on the line. @throws AppError database_unavailable */
  read<Result>(query: (run: Run) => Promise<Result>, keep: (result: Result) => void): Promise<void>
  /** Transactions that wait for a lost connection fail. */
  giveUp(): void
  close(): Promise<void>
}

/** Longest wait for one transaction; a server that is silent for longer is taken for gone. */
const answerMs = 10_000

export async function openMoneyLine(url: string, events: StoreEvents): Promise<MoneyLine> {
  const mutex = createMutex()
  let react = (): void => {}
  const connection = await openOwnedConnection(
    url,
    () => {
      react()
      // Nobody may be waiting for it; then it comes back all the same.
      void alone(() => connection.get()).catch((error: unknown) => events.report('the ledger has no connection any more', error))
    },
    events,
  )

  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await mutex.acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** @throws what cannot be mended by another try */
  async function recover(line: ReservedSQL, error: unknown, tries: number): Promise<void> {
    if (isFenced(error)) throw new TakenOverError()
    if (isConnectionLost(error)) return await connection.drop()
    await line.unsafe('ROLLBACK').catch(() => connection.drop())
    if (!isPassing(error)) throw error
    events.report('a transaction of the ledger is tried again', error)
    await pause(tries)
  }

  async function transact<Result>(write: (run: Run) => Promise<Result>): Promise<Result> {
    const number = connection.lastNumber() + 1
    /** What the last try that reached its commit gave. */
    let given: { readonly result: Result } | null = null
    for (let tries = 0; ; tries++) {
      const line = await connection.get()
      // The connection broke before the answer came, and the transaction had happened.
      if (given !== null && connection.lastNumber() === number) return given.result
      const attempt = createAttempt(line)
      try {
        attempt.begin(connection.fence(number))
        const result = await write(attempt.run)
        given = { result }
        await attempt.commit()
        connection.noteNumber(number)
        return result
      } catch (error) {
        await recover(line, await attempt.causeOf(error), tries)
      } finally {
        attempt.end()
      }
    }
  }

  return {
    isUp: connection.isUp,
    onLost(listener) {
      react = listener
    },
    transact: (write, committed) => alone(async () => committed(await transact(write))),
    read: (query, keep) =>
      alone(async () => {
        if (!connection.isUp()) throw unavailable(null)
        const attempt = createAttempt(await connection.get())
        try {
          keep(await query(attempt.run))
        } catch (error) {
          if (!isConnectionLost(error)) throw error
          await connection.drop()
          throw unavailable(error)
        } finally {
          attempt.end()
        }
      }),
    giveUp: connection.giveUp,
    close: () => alone(connection.close),
  }
}

/** Statements that are sent one behind the other, with one limit of time for all of them. */
function createAttempt(line: ReservedSQL) {
  const sent: Promise<unknown>[] = []
  const timer = setTimeout(() => void line.close().catch(() => {}), answerMs)

  const run: Run = (text, parameters = []) => {
    const answer = line.unsafe<Rows>(text, toParameters(parameters)).then(toRows)
    // Whoever sent it may not wait for it; the commit does.
    answer.catch(() => {})
    sent.push(answer)
    return answer
  }

  return {
    run,
    begin([fence, parameters]: readonly [string, readonly number[]]) {
      void run('BEGIN')
      void run(fence, parameters)
    },
    async commit() {
      void run('COMMIT')
      await Promise.all(sent)
    },
    /** The first statement that failed: those behind it failed because of it. */
    async causeOf(error: unknown): Promise<unknown> {
      const failed = (await Promise.allSettled(sent)).find((outcome) => outcome.status === 'rejected')
      return failed?.reason ?? error
    },
    end: () => clearTimeout(timer),
  }
}
