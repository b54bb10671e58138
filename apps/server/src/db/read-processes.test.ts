import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { until } from '../../test/server-process.ts'
import { connectSqlite } from './connect-sqlite.ts'
import { readCommand } from './read-command.ts'
import { createReadProcesses, type ReadLimits, readLimits } from './read-processes.ts'

const endless = 'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT COUNT(*) FROM numbers'

let folder: string
let path: string
let file: Database
let close: (() => Promise<void>)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-reads-'))
  path = join(folder, 'reads.db')
  file = new Database(path)
  file.run('PRAGMA journal_mode = WAL')
  file.run('CREATE TABLE notes (text TEXT)')
  close = []
})
afterEach(async () => {
  for (const one of close) await one()
  file.close()
  rmSync(folder, { recursive: true })
})

function reading(limits: Partial<ReadLimits> = {}) {
  const processes = createReadProcesses(readCommand(path), { ...readLimits, ...limits })
  close.push(processes.close)
  return processes
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error)
const refusal = (run: Promise<unknown>): Promise<unknown> => run.then(() => null, codeOf)

/** Processes that this one has started and that have not ended. */
const children = (): readonly string[] =>
  readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '')

test('a reading process sees what was committed before the query, and cannot write', async () => {
  const processes = reading()
  expect(await processes.run('SELECT text FROM notes', [])).toEqual([])
  file.run('INSERT INTO notes VALUES (?)', ['first'])
  expect(await processes.run('SELECT text FROM notes WHERE text = ?', ['first'])).toEqual([{ text: 'first' }])
  await expect(processes.run('DELETE FROM notes', [])).rejects.toThrow('readonly')
  await expect(processes.run('SELECT missing', [])).rejects.toThrow('no such column')
  expect(await processes.run('SELECT COUNT(*) AS count FROM notes', [])).toEqual([{ count: 1 }])
})

test('a query that does not end is killed, and delays neither other queries nor later ones', async () => {
  const processes = reading({ queryMs: 2_000 })
  const slow = refusal(processes.run(endless, []))
  expect(await processes.run('SELECT 1 AS one', [])).toEqual([{ one: 1 }])
  expect(await slow).toBe('query_too_slow')
  expect(await processes.run('SELECT 2 AS two', [])).toEqual([{ two: 2 }])
})

test('queries wait for a process in the order of their arrival, and are refused when too many wait', async () => {
  const processes = reading({ processes: 1, waiting: 2 })
  const command: number[] = []
  const runs = [1, 2, 3].map((number) => processes.run('SELECT 1', []).then(() => command.push(number)))
  expect(await refusal(processes.run('SELECT 1', []))).toBe('query_too_slow')
  await Promise.all(runs)
  expect(command).toEqual([1, 2, 3])
})

test('an idle process ends', async () => {
  const before = children()
  const processes = reading({ idleMs: 1 })
  await processes.run('SELECT 1', [])
  await until(() => children().every((pid) => before.includes(pid)))
  expect(await processes.run('SELECT 1 AS one', [])).toEqual([{ one: 1 }])
})

test('a store that is closed during a read still responds to the reader, and leaves no process behind', async () => {
  const before = children()
  const store = await connectSqlite(join(folder, 'store.db'))
  const reader = refusal(store.reads.selectFrom('users').selectAll().execute())
  await store.close()
  expect(await reader).toBeOneOf([null, 'database_unavailable'])
  expect(children().filter((pid) => !before.includes(pid))).toEqual([])
})

test('a slow read of a store delays no other one', async () => {
  const store = await connectSqlite(join(folder, 'beside.db'))
  const slow = refusal(sql.raw(endless).execute(store.reads))
  expect(await store.reads.selectFrom('users').select('id').execute()).toEqual([])
  await store.close()
  expect(await slow).toBe('database_unavailable')
})
