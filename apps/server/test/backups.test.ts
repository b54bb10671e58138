import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'
import { type SetClock, setClock } from './channel-scene.ts'
import { metricsToken, scrape, total } from './scrape.ts'
import { runServer, startServer, until } from './server-process.ts'
import { createTestDatabase } from './stores.ts'

// Scheduled backups of a server on SQLite.

const root = mkdtempSync(join(tmpdir(), 'sluice-backup-app-'))
const folder = join(root, 'backups')
let app: TestApp
let clock: SetClock
let runJob: (name: string) => Promise<unknown>

beforeAll(async () => {
  clock = setClock()
  app = await testApp({
    engine: 'sqlite',
    clock,
    env: { DATA_DIR: root, BACKUP_EVERY: '30m', BACKUP_DIR: folder, METRICS_TOKEN: metricsToken },
    // A database in a file.
    storedOptions: { Notice: 'stored' },
    schedule: (jobs) => {
      runJob = async (name) => await jobs.find((job) => job.name === name)?.run()
      return () => {}
    },
  })
}, 60_000)
afterAll(async () => {
  await app.close()
  rmSync(root, { recursive: true, force: true })
})

const history = async () => await app.data(contract.notification.history, {})

test('a backup that fails is reported once until one succeeds, and the metrics say when the last one was made', async () => {
  await app.data(contract.notification.create, { name: 'backups', kind: 'backup', scope: 'all', threshold: 0, target: 'mail', url: '' })
  writeFileSync(folder, 'not a folder')
  await runJob('back-up')
  expect(await history()).toMatchObject([{ rule_name: 'backups', text: expect.stringContaining('database backup failed') }])
  clock.advance(600_000)
  await runJob('back-up')
  expect(await history()).toHaveLength(1)
  const failing = await scrape(app)
  expect(total(failing, 'sluice_backup_failures_total')).toBe(2)
  expect(total(failing, 'sluice_backup_last_success_time_seconds')).toBe(0)

  rmSync(folder)
  clock.advance(600_000)
  await runJob('back-up')
  expect(readdirSync(folder)).toHaveLength(1)
  expect(total(await scrape(app), 'sluice_backup_last_success_time_seconds')).toBeGreaterThan(0)
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'not a folder')
  clock.advance(1_800_000)
  await runJob('back-up')
  expect(await history()).toHaveLength(2)
  rmSync(folder)
}, 60_000)

test('a server makes copies while it runs, and a copy can be restored', async () => {
  const place = mkdtempSync(join(root, 'process-'))
  const variables = { DATA_DIR: place, INITIAL_ROOT_PASSWORD: 'a root password', BACKUP_EVERY: '1s', BACKUP_KEEP: '2' }
  const server = await startServer(variables)
  const copies = (): readonly string[] =>
    existsSync(join(place, 'backups')) ? readdirSync(join(place, 'backups')).filter((name) => name.endsWith('.db')) : []
  await until(() => copies().length === 2)
  const [first = ''] = copies()
  await until(() => !copies().includes(first))
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  expect(readdirSync(join(place, 'backups')).filter((name) => name.includes('.part'))).toEqual([])
  const [copy = ''] = copies()
  const { code, text } = await runServer(['admin', 'restore', join(place, 'backups', copy)], variables)
  expect([code, text]).toEqual([0, expect.stringContaining('is the database of')])
  expect((await runServer(['verify'], variables)).code).toBe(0)
}, 60_000)

test('on PostgreSQL the start says that backups are not made', async () => {
  const { url, drop } = await createTestDatabase('postgres')
  const place = mkdtempSync(join(root, 'postgres-'))
  const variables = { DATA_DIR: place, DATABASE_URL: url, INITIAL_ROOT_PASSWORD: 'a root password', BACKUP_EVERY: '24h' }
  const server = await startServer(variables)
  expect(server.printed()).toContain('BACKUP_EVERY has no effect on PostgreSQL')
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  await drop()
}, 60_000)
