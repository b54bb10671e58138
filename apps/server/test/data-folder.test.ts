import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedPostgres } from './postgres-server.ts'
import { runServer, startServer } from './server-process.ts'

// A data folder that is damaged, or is not the one of before.

let folder: string
let file: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-folder-'))
  file = join(folder, 'sluice.db')
  await serve()
}, 60_000)
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Starts a server in the folder and stops it. @returns what it printed */
async function serve(variables: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = await startServer({ DATA_DIR: folder, ...variables })
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  return server.printed()
}

const refusedStart = async (variables: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { code, text } = await runServer([], { DATA_DIR: folder, ...variables })
  expect(code).toBe(1)
  expect(text).toMatch(/^Sluice cannot start:\n {2}- .+\n$/)
  return text
}

test('a damaged file is named, with what to do', async () => {
  const whole = readFileSync(file)
  for (const [from, reason] of [
    [0, 'file is not a database'],
    [4096, 'malformed'],
  ] as const) {
    writeFileSync(file, whole)
    writeFileSync(file, Buffer.concat([whole.subarray(0, from), Buffer.alloc(whole.length - from, 7)]))
    const text = await refusedStart()
    expect(text).toContain(`${file} is damaged (`)
    expect(text).toContain(reason)
    expect(text).toContain('`admin restore FILE`')
  }
  cpSync(file, `${file}.before-098-own-work-and-stored-bytes`)
  expect(await refusedStart()).toContain(`${file}.before-098-own-work-and-stored-bytes is the database as it was before the last upgrade`)
}, 60_000)

test('a full or a failing disk is named, with what is free', async () => {
  const other = join(folder, 'other')
  expect(await refusedStart({ DATA_DIR: other, FAIL_AT: 'migrated:1:full' })).toMatch(
    new RegExp(
      `not enough disk space for ${other}/sluice.db: \\d+ MB free in ${other}, 130 MB needed in addition to STORAGE_RESERVE_BYTES; free up space and start again`,
    ),
  )
  expect(await refusedStart({ FAIL_AT: 'store-call:1-999:full' })).toMatch(/not enough disk space for .+: \d+ MB free in /)
  expect(await refusedStart({ DATA_DIR: other, FAIL_AT: 'migrated:1:io' })).toContain(
    `${other}/sluice.db cannot be read or written (SQLITE_IOERR_WRITE): check the disk`,
  )
}, 60_000)

test('a database that is missing in a folder that was used before is made anew with a warning', async () => {
  expect(await serve()).not.toContain('is new')
  rmSync(file)
  const text = await serve()
  expect(text).toContain(`${file} is new, although its folder was used before (secret.key)`)
  // It is there from now on.
  expect(await serve()).not.toContain('is new')
}, 60_000)

test('a SQLite file that a new PostgreSQL database replaces is named', async () => {
  const postgres = await sharedPostgres()
  const url = await postgres.createDatabase()
  expect(await serve({ DATABASE_URL: url })).toContain(`the PostgreSQL database is new, and ${file} in DATA_DIR is not used`)
  expect(await serve({ DATABASE_URL: url })).not.toContain('is not used')
  await postgres.dropDatabase(url)
}, 60_000)

test('copies of results without their folder are reported', async () => {
  const store = new Database(file)
  store.run("INSERT INTO task_files (task_id, user_id, place, state) VALUES ('t', 1, 0, 'kept')")
  store.close()
  expect(await serve()).toContain(`the database has copies of results of tasks, but ${join(folder, 'results')} does not exist`)
}, 60_000)
