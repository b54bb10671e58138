import type { ReservedSQL } from 'bun'
import { createMutex } from '../lib/mutex.ts'
import { isFenced, openOwnedConnection, pause, type Statement, type StoreEvents, TakenOverError } from './owned-connection.ts'
import { isConnectionLost, isPassing, unavailable } from './postgres-errors.ts'
import { type Row, type Rows, toParameters, toRows } from './postgres-values.ts'

export type { Statement } from './owned-connection.ts'

/** The ledger's own connection: transactions one after another, each exactly once, however often the connection breaks. */
export interface LedgerConnection {
  /** Whether what is asked for now will be written soon. */
  isUp(): boolean
  /** Called whenever the connection is lost. */
  onLost(react: () => void): void
  /** `committed` is called with the statement's answer before anything else happens on the line. */
  transact(statement: Statement, committed: (answer: string) => void): Promise<void>
  /** Reads; `keep` is called before anything else happens on the line. @throws AppError database_unavailable */
  read(text: string, parameters: readonly unknown[], keep: (rows: readonly Row[]) => void): Promise<void>
  /** Transactions that wait for a lost connection fail. */
  giveUp(): void
  close(): Promise<void>
}

/** Longest wait for one transaction; a server that is silent for longer is taken for gone. */
const answerMs = 10_000

export async function openLedgerConnection(url: string, events: StoreEvents): Promise<LedgerConnection> {
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
  async function recover(error: unknown, tries: number): Promise<void> {
    if (isFenced(error)) throw new TakenOverError()
    if (isConnectionLost(error)) return await connection.drop()
    if (!isPassing(error)) throw error
    events.report('a transaction of the ledger is tried again', error)
    await pause(tries)
  }

  async function transact(statement: Statement): Promise<string> {
    await connection.get()
    const number = connection.last().number + 1
    for (let tries = 0; ; tries++) {
      const line = await connection.get()
      const last = connection.last()
      // The connection broke before the answer came, and the transaction had happened.
      if (last.number === number) return last.answer
      try {
        const [row] = await ask(line, ...connection.fenced(statement, number))
        const done = { number, answer: String(row?.['answer']) }
        connection.note(done)
        return done.answer
      } catch (error) {
        await recover(error, tries)
      }
    }
  }

  return {
    isUp: connection.isUp,
    onLost(listener) {
      react = listener
    },
    transact: (statement, committed) => alone(async () => committed(await transact(statement))),
    read: (text, parameters, keep) =>
      alone(async () => {
        if (!connection.isUp()) throw unavailable(null)
        try {
          keep(await ask(await connection.get(), text, parameters))
        } catch (error) {
          if (!isConnectionLost(error)) throw error
          await connection.drop()
          throw unavailable(error)
        }
      }),
    giveUp: connection.giveUp,
    close: () => alone(connection.close),
  }
}

async function ask(line: ReservedSQL, text: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
  const timer = setTimeout(() => void line.close().catch(() => {}), answerMs)
  try {
    return toRows(await line.unsafe<Rows>(text, toParameters(parameters)))
  } finally {
    clearTimeout(timer)
  }
}
