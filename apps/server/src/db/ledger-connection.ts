import type { ReservedSQL } from 'bun'
import { createMutex } from '../lib/mutex.ts'
import {
  declaredDead,
  FencedError,
  inTime,
  isFenced,
  openOwnedConnection,
  pause,
  type Statement,
  type StoreEvents,
} from './owned-connection.ts'
import { isConnectionLost, isPassing, unavailable } from './postgres-errors.ts'
import { type Row, type Rows, toParameters, toRows } from './postgres-values.ts'

export type { Statement } from './owned-connection.ts'

/** The ledger's own connection: runs transactions one after another, each exactly once, however often the connection breaks. */
export interface LedgerConnection {
  /** Number of this start of the node. */
  readonly epoch: number
  /** Whether the connection is open, so that a transaction can run now. */
  isUp(): boolean
  /** Called whenever the connection is lost. */
  onLost(react: () => void): void
  /** `committed` is called with the statement's result before the next statement runs on the connection. */
  transact(statement: Statement, committed: (response: string) => void): Promise<void>
  /**
   * Locks rows, decides by them, and writes the statement in the same transaction; `after` is written with it. Without a statement nothing
   * is written. `statementFor` is called again if the transaction is tried again.
   */
  decide(queries: { readonly lock: Query; readonly after: Query }, statementFor: (rows: readonly Row[]) => Statement | null): Promise<void>
  /** Reads; `keep` is called before the next statement runs on the connection. @throws AppError database_unavailable */
  read(text: string, parameters: readonly unknown[], keep: (rows: readonly Row[]) => void): Promise<void>
  /** Makes transactions that wait for a lost connection fail. */
  giveUp(): void
  close(): Promise<void>
}

export interface Query {
  readonly text: string
  readonly parameters: readonly unknown[]
}

interface LedgerConnectionOptions extends StoreEvents {
  /** Called once, before this process becomes a node. */
  readonly prepare: () => Promise<void>
  /** Called when this node must end. @param why for the log */
  readonly onFenced: (why: string) => void
}

export async function openLedgerConnection(url: string, options: LedgerConnectionOptions): Promise<LedgerConnection> {
  const mutex = createMutex()
  let react = (): void => {}
  const connection = await openOwnedConnection(url, {
    ...options,
    onLost() {
      react()
      // Reconnects at once, also when no transaction waits.
      void alone(connect).catch((error: unknown) => options.report('ledger connection lost', error))
    },
  })

  /**
   * Waits for the connection.
   * @throws FencedError, after notifying the node: it ends for that reason, and not because its ledger is broken
   */
  async function connect(): Promise<ReservedSQL> {
    try {
      return await connection.get()
    } catch (error) {
      if (error instanceof FencedError) options.onFenced(error.message)
      throw error
    }
  }

  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await mutex.acquire()
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** @throws errors that another try cannot fix */
  async function recover(error: unknown, tries: number): Promise<void> {
    if (isFenced(error)) return fence()
    if (isConnectionLost(error)) return await connection.drop()
    if (!isPassing(error)) throw error
    options.report('ledger transaction retried', error)
    await pause(tries)
  }

  function fence(): never {
    options.onFenced(declaredDead)
    throw new FencedError(declaredDead)
  }

  /** Runs a transaction until it is known to be committed. `work` returns its response; `null`: it wrote nothing. */
  async function once(work: (line: ReservedSQL, number: number) => Promise<string | null>): Promise<string> {
    await connect()
    const number = connection.last().number + 1
    for (let tries = 0; ; tries++) {
      const line = await connect()
      const last = connection.last()
      // The transaction was committed, but the connection broke before the response came.
      if (last.number === number) return last.response
      try {
        const response = await work(line, number)
        if (response !== null) connection.note({ number, response })
        return response ?? ''
      } catch (error) {
        await recover(error, tries)
      }
    }
  }

  async function write(line: ReservedSQL, statement: Statement, number: number): Promise<string> {
    const [row] = await ask(line, ...connection.fenced(statement, number))
    return String(row?.['answer'])
  }

  const transact = (statement: Statement): Promise<string> => once((line, number) => write(line, statement, number))

  return {
    epoch: connection.epoch,
    isUp: connection.isUp,
    onLost(listener) {
      react = listener
    },
    transact: (statement, committed) => alone(async () => committed(await transact(statement))),
    decide: ({ lock, after }, statementFor) =>
      alone(async () => {
        await once((line, number) =>
          inTransaction(line, async () => {
            const statement = statementFor(await ask(line, lock.text, lock.parameters))
            if (statement === null) return null
            const response = await write(line, statement, number)
            await ask(line, after.text, after.parameters)
            return response
          }),
        )
      }),
    read: (text, parameters, keep) =>
      alone(async () => {
        if (!connection.isUp()) throw unavailable(null)
        try {
          keep(await ask(await connect(), text, parameters))
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

/** `null`: nothing was written. */
async function inTransaction(line: ReservedSQL, work: () => Promise<string | null>): Promise<string | null> {
  await ask(line, 'BEGIN', [])
  try {
    const response = await work()
    await ask(line, 'COMMIT', [])
    return response
  } catch (error) {
    // A connection that is gone has rolled back by itself.
    await ask(line, 'ROLLBACK', []).catch(() => {})
    throw error
  }
}

async function ask(line: ReservedSQL, text: string, parameters: readonly unknown[]): Promise<readonly Row[]> {
  return toRows(await inTime(line, () => line.unsafe<Rows>(text, toParameters(parameters))))
}
