import { contract, type Endpoint } from '@sluice/contract'
import { sql } from 'kysely'
import { usageTables } from '../src/db/usage-tables.ts'
import { nobody, type Session, type TestApp } from './app.ts'

/** Every call of the contract by its name, `noun.call`. */
export const endpoints: ReadonlyArray<readonly [name: string, endpoint: Endpoint]> = Object.entries(contract).flatMap(([noun, calls]) =>
  Object.entries(calls).map(([name, endpoint]): [string, Endpoint] => [`${noun}.${name}`, endpoint]),
)

export interface RawCall {
  readonly as?: Session
  /** The body, or the query of a call without a body. */
  readonly input?: Readonly<Record<string, unknown>>
  readonly body?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly hasSlash?: boolean
}

/** Sends any request to an endpoint, valid or not. A missing parameter of the path is 7. */
export async function sendRaw(app: TestApp, endpoint: Endpoint, raw: RawCall = {}): Promise<Response> {
  const { as = nobody, input = {}, query = '', headers = {}, hasSlash = false } = raw
  const [path = '', flag] = endpoint.path.split('?')
  const rest: Record<string, unknown> = { ...input }
  const filled = path.replace(/\/$/, '').replace(/:(\w+)/g, (_, name: string) => {
    const value = rest[name] ?? 7
    delete rest[name]
    return encodeURIComponent(wellFormed(value))
  })
  const isBody = endpoint.method === 'POST' || endpoint.method === 'PUT'
  const search = new URLSearchParams(query)
  if (flag !== undefined) search.set(flag, '1')
  if (!isBody) for (const [name, value] of Object.entries(rest)) search.set(name, wellFormed(value))
  return await app.request(`${filled}${hasSlash ? '/' : ''}?${search}`, {
    method: endpoint.method,
    headers: { 'content-type': 'application/json', ...as.headers, ...headers },
    ...(isBody ? { body: raw.body ?? JSON.stringify(rest) } : {}),
  })
}

/** The text of a response; that of a file as the envelope of a success. */
export async function envelopeText(response: Response): Promise<string> {
  const text = await response.text()
  const isFile = response.headers.get('content-type')?.startsWith('text/csv') === true
  return isFile ? JSON.stringify({ success: true, message: '', data: text }) : text
}

/** A text that fits into an address: without half surrogate pairs, and not longer than some thousand letters. */
function wellFormed(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed().slice(0, 4_000)
}

/** Tables that the server updates in the background, and those that count tries, also refused ones. */
const keptUp: readonly string[] = [
  ...usageTables.map(({ name }) => name),
  ...['usage_names', 'log_marks', 'nodes', 'leases', 'job_owners', 'rate_limits', 'throttles', 'token_minutes', 'token_places'],
]

/** Names of a store's tables. They are queried once, because on PostgreSQL this takes longer than reading all tables. */
const tablesOf = new WeakMap<TestApp, Promise<readonly string[]>>()

/** Without the partitions of the log, whose rows are read with it. */
async function findTables({ app }: TestApp): Promise<readonly string[]> {
  return (await app.store.db.introspection.getTables())
    .map(({ name }) => name)
    .filter((name) => !keptUp.includes(name) && !/^logs_/.test(name))
}

/**
 * What no change of the database leaves as it is: PostgreSQL's snapshot, of which every transaction that writes is a part, or the number of rows
 * that SQLite's only connection has changed.
 */
async function changeMark(app: TestApp): Promise<string> {
  const { db, engine } = app.app.store
  const mark =
    engine === 'postgres'
      ? sql<{ mark: string }>`SELECT pg_current_snapshot()::text AS mark`
      : sql<{ mark: number }>`SELECT total_changes() AS mark`
  const { rows } = await mark.execute(db)
  return String(rows[0]?.mark)
}

interface Content {
  readonly mark: string
  readonly except: string
  readonly text: string
}

/** What was read last, if nothing changed while it was read. Most refusals write nothing, and reading all tables takes long. */
const contentOf = new WeakMap<TestApp, Content>()

/** The content of all tables except the named ones, as a text for comparisons. */
export async function stored(app: TestApp, except: readonly string[] = []): Promise<string> {
  const mark = await changeMark(app)
  const last = contentOf.get(app)
  if (last !== undefined && last.mark === mark && last.except === except.join()) return last.text
  const text = await readAll(app, except)
  if ((await changeMark(app)) === mark) contentOf.set(app, { mark, except: except.join(), text })
  return text
}

async function readAll(app: TestApp, except: readonly string[]): Promise<string> {
  const { db } = app.app.store
  const known = tablesOf.get(app) ?? findTables(app)
  tablesOf.set(app, known)
  const tables = (await known).filter((name) => !except.includes(name))
  const rows = await Promise.all(
    tables.map(async (name) => {
      // Holds: the store itself listed the name, and the columns are only converted to text.
      const table = name as 'users'
      return [name, (await db.selectFrom(table).selectAll().execute()).map((row) => JSON.stringify(row)).sort()]
    }),
  )
  return JSON.stringify(rows)
}
