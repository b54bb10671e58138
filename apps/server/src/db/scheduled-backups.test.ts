import { Database } from 'bun:sqlite'
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/server-process.ts'
import { connectSqlite } from './connect-sqlite.ts'
import { createScheduledBackups } from './scheduled-backups.ts'

const root = mkdtempSync(join(tmpdir(), 'sluice-backups-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const minuteMs = 60_000
const startMs = Date.UTC(2026, 0, 1)
let nowMs = startMs
let place = ''
let folder = ''
beforeEach(async () => {
  nowMs = startMs
  folder = join(mkdtempSync(join(root, 'test-')), 'backups')
  place = join(folder, '../sluice.db')
  const store = await connectSqlite(place)
  const person = { display_name: '', password_hash: '', role: 1, status: 1, access_token_lookup: null, created_time: 0 }
  await store.db
    .insertInto('users')
    .values({ ...person, username: 'ann' })
    .execute()
  await store.close()
})

/** Backups every ten minutes, of which three are kept. */
function open(path = place, everyMs = 10 * minuteMs) {
  const reports: string[] = []
  const backups = createScheduledBackups({
    ...{ path, folder, everyMs, keep: 3 },
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs - startMs },
    report: (what, error) => void reports.push(error instanceof Error ? `${what}: ${error.message}` : what),
    succeeded: async () => void reports.push('succeeded'),
    failed: async (reason) => void reports.push(`failed: ${reason}`),
  })
  return { backups, told: reports }
}

const copies = (): readonly string[] => readdirSync(folder).sort()

test('a copy is made when it is due, holds the database, and can be read by this account only', async () => {
  const { backups, told: reports } = open()
  await backups.runIfDue()
  expect(copies()).toEqual(['sluice-20260101T000000Z.db'])
  const copy = join(folder, 'sluice-20260101T000000Z.db')
  expect(statSync(copy).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const file = new Database(copy, { readonly: true })
  expect(file.query('SELECT username FROM users').values()).toEqual([['ann']])
  file.close()
  expect(reports).toEqual([expect.stringMatching(/backup written: .*\(1 accounts, 0 ledger entries/), 'succeeded'])
  expect(backups.figures).toEqual({ lastSuccessTime: startMs / 1_000, failures: 0 })
  nowMs += 10 * minuteMs - 1
  await backups.runIfDue()
  expect(copies()).toHaveLength(1)
  nowMs += 1
  await backups.runIfDue()
  expect(copies()).toHaveLength(2)
})

test('copies beyond the number to keep are deleted, the oldest first, and other files never', async () => {
  const { backups } = open()
  mkdirSync(folder)
  writeFileSync(join(folder, 'notes.db'), 'of somebody else')
  for (let round = 0; round < 5; round++) {
    await backups.runIfDue()
    nowMs += 10 * minuteMs
  }
  expect(copies()).toEqual(['notes.db', 'sluice-20260101T002000Z.db', 'sluice-20260101T003000Z.db', 'sluice-20260101T004000Z.db'])
})

test('a copy that was just written stays when the clock was set back', async () => {
  mkdirSync(folder)
  for (const year of [2030, 2031, 2032]) writeFileSync(join(folder, `sluice-${year}0101T000000Z.db`), '')
  for (const name of copies()) utimesSync(join(folder, name), 0, 0)
  const { backups } = open()
  await backups.runIfDue()
  expect(copies()).toEqual(['sluice-20260101T000000Z.db', 'sluice-20310101T000000Z.db', 'sluice-20320101T000000Z.db'])
})

test('a restart neither repeats a copy that is not due nor puts one off', async () => {
  await open().backups.runIfDue()
  utimesSync(join(folder, 'sluice-20260101T000000Z.db'), startMs / 1_000, startMs / 1_000)
  nowMs += 9 * minuteMs
  const { backups } = open()
  expect(backups.figures.lastSuccessTime).toBe(startMs / 1_000)
  await backups.runIfDue()
  expect(copies()).toHaveLength(1)
  nowMs += minuteMs
  await backups.runIfDue()
  expect(copies()).toHaveLength(2)
})

test('a damaged database is not accepted as a backup: the failure is reported, earlier copies stay, and it is tried again', async () => {
  const { backups, told: reports } = open()
  await backups.runIfDue()
  const whole = readFileSync(place)
  truncateSync(place, Math.floor(whole.length / 2 / 4096) * 4096)
  nowMs += 10 * minuteMs
  await backups.runIfDue()
  expect(copies()).toEqual(['sluice-20260101T000000Z.db'])
  expect(reports.slice(2)).toEqual([
    expect.stringMatching(/^backup failed: .*(malformed|damaged)/),
    expect.stringMatching(/^failed: .*(malformed|damaged)/),
  ])
  expect(backups.figures).toEqual({ lastSuccessTime: startMs / 1_000, failures: 1 })
  writeFileSync(place, whole)
  nowMs += 10 * minuteMs
  await backups.runIfDue()
  expect(reports.at(-1)).toBe('succeeded')
})

test('a folder that cannot be written is reported', async () => {
  writeFileSync(folder, 'a file')
  const { backups, told: reports } = open()
  await backups.runIfDue()
  expect(reports).toEqual([expect.stringContaining('backup failed'), expect.stringMatching(/^failed: .+/)])
})

test('a copy that failed is tried again after ten minutes, however long the interval is', async () => {
  writeFileSync(folder, 'a file')
  const { backups, told: reports } = open(place, 24 * 60 * minuteMs)
  await backups.runIfDue()
  rmSync(folder)
  nowMs += 9 * minuteMs
  await backups.runIfDue()
  expect(reports.at(-1)).toMatch(/^failed: .+/)
  nowMs += minuteMs
  await backups.runIfDue()
  expect(reports.at(-1)).toBe('succeeded')
})

test('a copy that is being made when the server stops leaves nothing, and neither does one of a server that was killed', async () => {
  mkdirSync(folder)
  const part = 'sluice-20251231T000000Z.db.part'
  for (const name of [part, `${part}-journal`]) writeFileSync(join(folder, name), 'half')
  const { backups, told: reports } = open()
  expect(copies()).toEqual([])
  // As a copy that does not end.
  const other = new Database(place)
  other.run(
    'CREATE TABLE long AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT i, hex(randomblob(200)) AS text FROM n',
  )
  const running = backups.runIfDue()
  await until(() => copies().length > 0)
  await backups.stop()
  await running
  expect(copies()).toEqual([])
  expect(reports).toEqual([])
  await backups.runIfDue()
  expect(copies()).toEqual([])
  other.close()
})
