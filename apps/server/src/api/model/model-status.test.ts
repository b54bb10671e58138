import { afterEach, beforeEach, expect, test } from 'bun:test'
import { contract, type DataOf, statusSlots } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type LogEntry, plainLog } from '../../ledger/log-entry.ts'

const hour = 3_600
const day = 24 * hour
/** The start of a day in UTC. */
const midnight = 1_800_000_000 - (1_800_000_000 % day)
const clock = { seconds: 0, nowMs: () => clock.seconds * 1000, monotonicMs: () => clock.seconds * 1000 }
const visitor = { headers: {} }

let app: TestApp
let ann: TestUser
beforeEach(async () => {
  clock.seconds = midnight + 12 * hour + 600
  app = await testApp({ clock, storedOptions: { StatusPageEnabled: 'true', ModelRatio: '{"m-one":1,"m-two":1,"m-vip":1}' } })
  ann = await app.make.user({ groups: 'vip' })
  await app.make.channel({ models: 'm-one,m-two' })
  await app.make.channel({ models: 'm-vip', groups: 'vip' })
})
afterEach(() => app.close())

/** Writes log rows of relayed requests, and adds them up. */
async function used(rows: readonly (Partial<LogEntry> & { readonly createdAt: number })[]): Promise<void> {
  const common = { userId: ann.id, username: ann.username, type: 2, content: '', modelName: 'm-one', isServed: true, endReason: 'complete' }
  for (const row of rows) await app.app.ledger.writeLog(plainLog({ ...common, ...row }))
  await app.data(contract.log.series, {})
}

const failed = { isServed: false, endReason: 'failed' }
const read = (as: Parameters<TestApp['data']>[2] = visitor) => app.data(contract.model.status, {}, as)
const rowOf = ({ models }: DataOf<typeof contract.model.status>, name: string) => {
  const row = models.find((one) => one.name === name)
  if (row === undefined) throw new Error(`${name} is not there`)
  return row
}
/** The slots that are known, by how many slots ago they were. */
const known = (shares: readonly (number | null)[]) =>
  Object.fromEntries(shares.flatMap((share, index) => (share === null ? [] : [[shares.length - 1 - index, share]])))

test('the share of served requests is reported by the hour and by the day, without client errors', async () => {
  await used([
    { createdAt: midnight + 12 * hour },
    ...[0, 1, 2].map(() => ({ createdAt: midnight + 10 * hour })),
    { createdAt: midnight + 10 * hour + 5, ...failed },
    { createdAt: midnight + 10 * hour, isServed: null, endReason: 'failed' },
    { createdAt: midnight - day - 1 },
    { createdAt: midnight - day - 1, ...failed },
    { createdAt: midnight - 89 * day },
    { createdAt: midnight - 89 * day - 1, ...failed },
    { createdAt: midnight - 3 * day, isServed: null },
    { createdAt: midnight + 12 * hour, modelName: 'm-two', ...failed },
  ])
  const status = await read()
  expect(status).toMatchObject({ hour: midnight + 12 * hour, day: midnight })
  const one = rowOf(status, 'm-one')
  expect([one.hours.length, one.days.length]).toEqual([statusSlots.hours, statusSlots.days])
  expect(known(one.hours)).toEqual({ 0: 10_000, 2: 7_500 })
  expect(known(one.days)).toEqual({ 0: 8_000, 2: 5_000, 89: 10_000 })
  expect(one.totals).toEqual({ hours: 8_000, days: 7_500 })
  expect(rowOf(status, 'm-two')).toMatchObject({ totals: { hours: 0, days: 0 }, state: 'up' })
})

test('tests of channels stand for the hours and days without requests', async () => {
  const channel = await app.make.channel({ models: 'm-one' })
  const tested = (createdTime: number, passed: number, model = 'm-one') => ({
    ...{ channel_id: channel, created_time: createdTime, model, passed, elapsed_ms: 5, message: '' },
  })
  await app.app.store.db
    .insertInto('channel_tests')
    .values([
      tested(midnight + 9 * hour, 0),
      tested(midnight + 9 * hour + 5, 1),
      tested(midnight + 8 * hour, 0),
      tested(midnight + 10 * hour, 0),
      tested(midnight - 4 * day, 0),
      tested(midnight + 8 * hour, 1, 'm-two'),
    ])
    .execute()
  await used([{ createdAt: midnight + 10 * hour }])
  const status = await read()
  expect(known(rowOf(status, 'm-one').hours)).toEqual({ 2: 10_000, 3: 10_000, 4: 0 })
  expect(known(rowOf(status, 'm-one').days)).toEqual({ 0: 10_000, 4: 0 })
  expect(known(rowOf(status, 'm-two').days)).toEqual({ 0: 10_000 })
})

test('one failure among many requests is not rounded away', async () => {
  await used([{ createdAt: midnight, ...failed }, ...Array.from({ length: 99 }, () => ({ createdAt: midnight }))])
  expect(rowOf(await read(), 'm-one').totals.days).toBe(9_900)
})

test('the median time to the first byte and the tokens a second are those of the last 24 hours', async () => {
  await used([
    ...[0, 1, 2, 3].map(() => ({ createdAt: midnight + 11 * hour, firstByteMs: 900, elapsedMs: 2_000, completionTokens: 75 })),
    ...[0, 1, 2, 3, 4].map(() => ({ createdAt: midnight - 13 * hour, firstByteMs: 100_000, elapsedMs: 200_000, completionTokens: 9 })),
  ])
  const row = rowOf(await read(), 'm-one')
  expect(row.first_byte).toBeGreaterThan(500)
  expect(row.first_byte).toBeLessThanOrEqual(1_000)
  expect(rowOf(await read(), 'm-two').first_byte).toBeNull()
  const listed = await app.data(contract.model.list, {})
  expect(listed.map((model) => [model.name, model.first_byte, model.tokens_per_second])).toEqual([
    ['m-one', row.first_byte, 37.5],
    ['m-two', null, null],
  ])
})

test('visitors see the models of the first group, accounts those of their own, and nobody channels', async () => {
  await used([
    { createdAt: midnight, modelName: 'm-gone' },
    { createdAt: midnight, modelName: 'm-vip' },
  ])
  const names = async (as?: TestUser) => (await read(as)).models.map(({ name }) => name)
  expect(await names()).toEqual(['m-one', 'm-two'])
  expect(await names(ann)).toEqual(['m-vip'])
  expect(Object.keys(rowOf(await read(), 'm-one')).sort()).toEqual(['days', 'first_byte', 'hours', 'name', 'state', 'totals'])
})

test('a model whose only channel was disabled automatically is down; one of a channel that was disabled manually is not reported', async () => {
  const [auto, off] = [await app.make.channel({ models: 'm-lost,m-one' }), await app.make.channel({ models: 'm-off' })]
  await app.app.store.db.updateTable('channels').set({ status: 3 }).where('id', '=', auto).execute()
  await app.data(contract.channel.update, { id: auto, weight: 2 })
  await app.data(contract.channel.update, { id: off, status: 2 })
  const status = await read()
  expect(status.models.map(({ name, state }) => [name, state])).toEqual([
    ['m-lost', 'down'],
    ['m-one', 'up'],
    ['m-two', 'up'],
  ])
})

test('a response is given again for a minute, so that visitors cannot make the database work', async () => {
  await used([{ createdAt: midnight }])
  expect(rowOf(await read(), 'm-one').totals.days).toBe(10_000)
  await used([{ createdAt: midnight, ...failed }])
  clock.seconds += 59
  expect(rowOf(await read(), 'm-one').totals.days).toBe(10_000)
  clock.seconds += 1
  expect(rowOf(await read(), 'm-one').totals.days).toBe(5_000)
})

test('days follow each other at midnight', async () => {
  await used([
    { createdAt: midnight },
    { createdAt: midnight - day },
    { createdAt: midnight - 2 * day, ...failed },
    { createdAt: midnight - 89 * day, ...failed },
  ])
  expect(known(rowOf(await read(), 'm-one').days)).toEqual({ 0: 10_000, 1: 10_000, 2: 0, 89: 0 })
  clock.seconds = midnight + day + 30
  expect(known(rowOf(await read(), 'm-one').days)).toEqual({ 1: 10_000, 2: 10_000, 3: 0 })
})

test('the page is closed to everybody unless an option opens it', async () => {
  await app.data(contract.option.update, { key: 'StatusPageEnabled', value: 'false' })
  expect((await app.request('/api/model/status')).status).toBe(401)
  expect((await app.call(contract.model.status, {}, ann)).success).toBe(false)
  expect((await app.data(contract.status.get, {}, visitor)).status_page).toBe(false)
})
