import { afterEach, beforeEach, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { SQL } from 'bun'
import { type TestApp, testApp } from '../../test/app.ts'
import { createReadyDatabase, type TestDatabase } from '../../test/stores.ts'
import { plainLog } from '../ledger/log-entry.ts'
import { logColumns, logValues } from '../ledger/queries.ts'
import { nowSeconds, systemClock } from '../lib/clock.ts'

// Several nodes write at once, so a row with a lower id may appear after one with a higher id. Each must count and be shown once.

let database: TestDatabase
let app: TestApp
let other: SQL
beforeEach(async () => {
  database = await createReadyDatabase('postgres')
  app = await testApp({ env: { DATABASE_URL: database.url } })
  other = new SQL(database.url, { max: 1 })
}, 60_000)
afterEach(async () => {
  await other.close()
  await app.close()
  await database.drop()
}, 60_000)

const row = (content: string, quota: number) => ({
  userId: 1,
  createdAt: nowSeconds(systemClock),
  type: 2,
  username: 'root',
  content,
  quota,
})
const write = (content: string, quota: number): Promise<void> => app.app.ledger.writeLog(plainLog(row(content, quota)))

/** Another node has been given an id and has not committed. */
async function openWriter(quota: number) {
  const line = await other.reserve()
  await line.unsafe('BEGIN')
  const values = logValues(plainLog({ ...row('late', quota), requestId: 'late' }))
  const places = values.map((_, index) => `$${index + 1}`).join(', ')
  await line.unsafe(`INSERT INTO logs (${logColumns}) VALUES (${places})`, [...values])
  return {
    async end(word: 'COMMIT' | 'ROLLBACK') {
      await line.unsafe(word)
      line.release()
    },
  }
}

const total = async (): Promise<number> => (await app.data(contract.log.stat, {})).quota

test('a row that another node commits after a later one is in the sums once', async () => {
  const writer = await openWriter(5)
  await write('early', 7)
  expect(await total()).toBeOneOf([0, 7])
  await writer.end('COMMIT')
  expect(await total()).toBe(12)
  await write('next', 1)
  expect(await total()).toBe(13)
}, 60_000)

test('a row that another node commits after a later one is in the watched log once', async () => {
  const writer = await openWriter(5)
  await write('early', 7)
  const first = await app.data(contract.log.tail, {})
  await writer.end('COMMIT')
  const second = await app.data(contract.log.tail, { since: first.last })
  const third = await app.data(contract.log.tail, { since: second.last })
  const contents = [first, second, third].flatMap(({ rows }) => rows.map(({ content }) => content))
  expect(contents.filter((content) => content === 'late' || content === 'early').toSorted()).toEqual(['early', 'late'])
}, 60_000)

test('a writer that gives up holds nothing back', async () => {
  const writer = await openWriter(5)
  await write('early', 7)
  await writer.end('ROLLBACK')
  expect(await total()).toBe(7)
}, 60_000)

test('an entry that another node commits after a later one is in the comparison of the books once', async () => {
  const [ann, bob] = [await app.make.user(), await app.make.user()]
  const compare = async (): Promise<number> => {
    await app.app.reconciler.run()
    return app.app.reconciler.current().unexplained
  }
  const line = await other.reserve()
  await line.unsafe('BEGIN')
  await line.unsafe(
    "INSERT INTO ledger (kind, ref, user_id, account, amount, created_at) VALUES ('redeem', 'late', $1, 'sys:redeem', 5, 0)",
    [ann.id],
  )
  await line.unsafe('UPDATE users SET quota = quota + 5 WHERE id = $1', [ann.id])
  await line.unsafe("INSERT INTO ledger_accounts (name, balance) VALUES ('sys:redeem', -5)")
  await app.app.ledger.post({ userId: bob.id, kind: 'grant', ref: 'early', amount: 7 })
  expect(await compare()).toBe(0)
  await line.unsafe('COMMIT')
  line.release()
  expect(await compare()).toBe(0)
  await app.app.ledger.post({ userId: bob.id, kind: 'grant', ref: 'next', amount: 1 })
  expect(await compare()).toBe(0)
}, 60_000)
