import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type StoredRow = Readonly<Record<string, unknown>>

/** What becomes of the next insert: it is stored and its response is lost, or refused with this status. */
export type InsertFault = { readonly do: 'lose the answer' } | { readonly do: 'refuse'; readonly status: number }

export interface FakeClickHouse {
  /** With user and password, and the database. */
  readonly url: string
  /** Inserts that were received, also those that were refused: the statement with its settings, and the lines. */
  readonly inserts: ReadonlyArray<{
    readonly statement: string
    readonly settings: Readonly<Record<string, string>>
    readonly lines: string
  }>
  /** Columns of the table, by name. */
  columns(): Readonly<Record<string, string>>
  /** One fault each for the next inserts. */
  fail(...faults: readonly InsertFault[]): void
  close(): Promise<void>
}

interface Table {
  readonly columns: ReadonlyMap<string, string>
  readonly orderBy: readonly string[]
  readonly rows: StoredRow[]
  /** Checksums of the inserts that are remembered. */
  readonly blocks: Set<string>
}

const user = { name: 'writer', password: 'a pass: word' }

/**
 * ClickHouse's HTTP interface as far as a table of one kind needs it: it is created, filled with lines of JSON, and read whole. As there, an insert with the content of
 * an earlier one is not stored again, and FINAL leaves one row for each value of the sorting key.
 */
export async function startClickHouse(): Promise<FakeClickHouse> {
  const tables = new Map<string, Table>()
  const inserts: { statement: string; settings: Record<string, string>; lines: string }[] = []
  const faults: InsertFault[] = []

  function create(statement: string): void {
    const [, name = '', list = '', orderBy = ''] =
      /^CREATE TABLE IF NOT EXISTS (\w+) \((.*?)\n\) ENGINE.* ORDER BY \(([\w, ]+)\)/s.exec(statement) ?? []
    if (name === '') throw new Refused(400, 62, 'SYNTAX_ERROR')
    const columns = [...list.matchAll(/^ {2}(\w+) (.+?),?$/gm)].map(([, column = '', type = '']) => [column, type] as const)
    if (!tables.has(name)) tables.set(name, { columns: new Map(columns), orderBy: orderBy.split(', '), rows: [], blocks: new Set() })
  }

  function tableOf(name: string): Table {
    const table = tables.get(name)
    if (table === undefined) throw new Refused(404, 60, 'UNKNOWN_TABLE')
    return table
  }

  function insert(name: string, lines: string): void {
    const { columns, rows, blocks } = tableOf(name)
    const jsonLines = lines.split('\n').filter((line) => line !== '')
    // Holds: the format is one JSON object a line.
    const parsed = jsonLines.map((line) => JSON.parse(line) as StoredRow)
    if (parsed.some((row) => Object.keys(row).some((column) => !columns.has(column)))) throw new Refused(400, 117, 'INCORRECT_DATA')
    const block = createHash('sha256').update(jsonLines.join('\n')).digest('hex')
    if (blocks.has(block)) return
    blocks.add(block)
    rows.push(...parsed)
  }

  function select(name: string, isFinal: boolean): string {
    const { rows, orderBy } = tableOf(name)
    const keyOf = (row: StoredRow): string => JSON.stringify(orderBy.map((column) => row[column]))
    const last = new Map(rows.map((row) => [keyOf(row), row]))
    return (isFinal ? [...last.values()] : rows).map((row) => `${JSON.stringify(row)}\n`).join('')
  }

  /** @returns the response; `null`: none, although everything was done */
  function run(settings: Record<string, string>, text: string): string | null {
    const { query = '' } = settings
    const [first = '', ...rest] = query === '' ? [text] : [query, text]
    const statement = first.trim()
    const insertion = /^INSERT INTO (\w+)(?: \([\w, ]+\))?\s+FORMAT JSONEachRow$/.exec(statement)
    if (insertion !== null) {
      const { query: _, ...others } = settings
      inserts.push({ statement: statement.replace(/\s+/g, ' '), settings: others, lines: rest.join('') })
      const fault = faults.shift()
      if (fault?.do === 'refuse') throw new Refused(fault.status, 241, 'MEMORY_LIMIT_EXCEEDED')
      insert(insertion[1] ?? '', rest.join(''))
      return fault === undefined ? '' : null
    }
    const selection = /^SELECT \* FROM (\w+)( FINAL)?\s+FORMAT JSONEachRow$/.exec(statement)
    if (selection !== null) return select(selection[1] ?? '', selection[2] !== undefined)
    create(statement)
    return ''
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const expected = `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`
    try {
      const settings = Object.fromEntries(new URL(request.url ?? '/', 'http://localhost').searchParams)
      if (request.headers.authorization !== expected) throw new Refused(403, 516, 'AUTHENTICATION_FAILED')
      if (settings['database'] !== 'usage') throw new Refused(404, 81, 'UNKNOWN_DATABASE')
      const text = run(settings, Buffer.concat(chunks).toString('utf8'))
      if (text === null) request.socket.destroy()
      else response.writeHead(200, { 'content-type': 'text/plain; charset=UTF-8' }).end(text)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      response
        .writeHead(error.status, { 'x-clickhouse-exception-code': String(error.code) })
        .end(`Code: ${error.code}. DB::Exception: (${error.message})\n`)
    }
  }

  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Holds: a listening TCP server has such an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${user.name}:${encodeURIComponent(user.password)}@127.0.0.1:${port}/usage`,
    inserts,
    columns: () => Object.fromEntries([...tables.values()].flatMap(({ columns }) => [...columns])),
    fail: (...next) => void faults.push(...next),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

class Refused extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, name: string) {
    super(name)
    this.status = status
    this.code = code
  }
}
