import { afterAll, beforeAll, expect, test } from 'bun:test'
import { role } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../test/app.ts'
import { type SetClock, setClock } from '../../test/channel-scene.ts'
import { plainLog } from '../ledger/log-entry.ts'

// A thousand rules: what they find is compared with what this test counts by itself, in one pass and in the pass after it.

const hour = 3_600
const models = 40
const rowsOfModel = 24

let app: TestApp
let clock: SetClock
let watcher: TestUser
let runJob: (name: string) => Promise<unknown>

beforeAll(async () => {
  clock = setClock()
  app = await testApp({
    clock,
    schedule: (jobs) => {
      runJob = async (name) => await jobs.find((job) => job.name === name)?.run()
      return () => {}
    },
  })
  watcher = await app.make.user({ role: role.admin, quota: 1_000_000_000 })
})
afterAll(() => app.close())

interface Rule {
  readonly name: string
  readonly kind: 'balance' | 'spend' | 'errors'
  readonly threshold: number
  readonly hours: number
  readonly model_name: string
  readonly channel_id: number
}

const errorRules: readonly Rule[] = Array.from({ length: 600 }, (_, index) => ({
  name: `errors ${index}`,
  kind: 'errors',
  threshold: 1 + ((index * 13) % 60),
  hours: 1 + (index % 24),
  model_name: index % 3 === 0 ? `m${index % models}` : '',
  channel_id: index % 3 === 1 ? 1 + (index % 10) : 0,
}))
const noLimit = { hours: 1, model_name: '', channel_id: 0 }
const balanceRules: readonly Rule[] = Array.from({ length: 300 }, (_, index) => ({
  ...{ name: `balance ${index}`, kind: 'balance', threshold: 1 + index * 100, ...noLimit },
}))
const spendRules: readonly Rule[] = Array.from({ length: 100 }, (_, index) => ({
  ...{ name: `spend ${index}`, kind: 'spend', threshold: 100 + index * 100, ...noLimit },
}))
const rules = [...errorRules, ...balanceRules, ...spendRules]

/** The requests of the last 24 hours: each fails or not by its number. */
const requests = Array.from({ length: models * rowsOfModel }, (_, index) => ({
  model: `m${index % models}`,
  channel: 1 + (index % 10),
  hoursAgo: (index * 7) % 24,
  isServed: (index * index) % 11 > 3,
}))

/** The accounts that have spent lately, each with its balance. */
const balances = [50, 5_000, 29_000]

async function insertRules(added: typeof rules): Promise<void> {
  const stored = {
    user_id: watcher.id,
    scope: 'all',
    target: 'pusher',
    url_sealed: '',
    secret_sealed: '',
    is_on: 1,
    created_time: 0,
  } as const
  for (let from = 0; from < added.length; from += 500)
    await app.app.store.db
      .insertInto('notification_rules')
      .values(added.slice(from, from + 500).map((rule) => ({ ...rule, ...stored })))
      .execute()
}

async function use(users: readonly TestUser[]): Promise<void> {
  const now = Math.floor(clock.nowMs() / 1000)
  for (const [index, { model, channel, hoursAgo, isServed }] of requests.entries()) {
    const user = users[index % users.length]
    if (user === undefined) throw new Error('no account')
    await app.app.ledger.writeLog(
      plainLog({
        ...{ userId: user.id, username: user.username, createdAt: now - hoursAgo * hour, type: 2, content: 'used', modelName: model },
        ...{ channelId: channel, quota: 10, endReason: isServed ? 'complete' : 'failed', isServed },
      }),
    )
  }
}

async function round(): Promise<void> {
  await runJob('roll-up-usage')
  await runJob('evaluate-rules')
}

async function deliveredRules(): Promise<readonly string[]> {
  const rows = await app.app.store.db.selectFrom('notification_deliveries').select('rule_name').orderBy('id').execute()
  return rows.map(({ rule_name }) => rule_name)
}

/** At least ten requests, of which at least the share of the threshold failed. */
function isBad({ threshold, hours, model_name: model, channel_id: channel }: Rule): boolean {
  const counted = requests.filter(
    (one) => one.hoursAgo <= hours && (model === '' || one.model === model) && (channel === 0 || one.channel === channel),
  )
  const failed = counted.filter(({ isServed }) => !isServed).length
  return counted.length >= 10 && failed * 100 >= threshold * counted.length
}

test('a thousand rules each find what is theirs, once', async () => {
  const users = await Promise.all(balances.map((quota) => app.make.user({ quota })))
  await insertRules(rules)
  await use(users)
  await round()
  const day = clock.nowMs() / 1000 - ((clock.nowMs() / 1000) % (24 * hour))
  const spent = requests.filter(({ hoursAgo }) => clock.nowMs() / 1000 - hoursAgo * hour >= day).length * 10
  const expected = [
    ...errorRules.filter(isBad),
    ...balanceRules.filter(({ threshold }) => balances.some((quota) => quota < threshold)),
    ...spendRules.filter(({ threshold }) => spent >= threshold),
  ].map(({ name }) => name)
  const bad = errorRules.filter(isBad).length
  // The numbers above distinguish rules only as long as some are breached and some are not.
  expect(bad > 100 && bad < errorRules.length - 100 && spent > 1_000 && spent < 9_000).toBe(true)
  expect([...(await deliveredRules())].sort()).toEqual(expected.toSorted())
  await round()
  expect(await deliveredRules()).toHaveLength(expected.length)
})

test('breaches end together when requests succeed again, and begin anew', async () => {
  const before = await deliveredRules()
  clock.advance(26 * hour * 1_000)
  await round()
  const breached = await app.app.store.db
    .selectFrom('notification_breaches')
    .innerJoin('notification_rules', 'notification_rules.id', 'notification_breaches.rule_id')
    .select('notification_rules.id')
    .where('kind', '=', 'errors')
    .execute()
  expect(breached).toEqual([])
  await use([watcher])
  await round()
  const again = (await deliveredRules()).slice(before.length).filter((name) => name.startsWith('errors'))
  expect(again.toSorted()).toEqual(
    errorRules
      .filter(isBad)
      .map(({ name }) => name)
      .toSorted(),
  )
})

test('low accounts beyond those that one notification can name are reported by the following rounds', async () => {
  await app.app.store.db.deleteFrom('notification_rules').execute()
  await app.app.store.db.deleteFrom('notification_deliveries').execute()
  const now = Math.floor(clock.nowMs() / 1000)
  const names = Array.from({ length: 250 }, (_, index) => `low${index}`)
  const account = { display_name: '', password_hash: '', email: '', role: 1, status: 1, quota: 5, created_time: now }
  const rows = await app.app.store.db
    .insertInto('users')
    .values(names.map((username) => ({ ...account, username })))
    .returning(['id', 'username'])
    .execute()
  for (const { id, username } of rows)
    await app.app.ledger.writeLog(
      plainLog({ userId: id, username, createdAt: now, type: 2, content: 'used', quota: 1, endReason: 'complete' }),
    )
  const [first] = balanceRules
  if (first === undefined) throw new Error('no rule')
  await insertRules([{ ...first, threshold: 10 }])
  for (let turn = 0; turn < 4; turn += 1) await round()
  const notices = await app.app.store.db.selectFrom('notification_deliveries').select('notice').orderBy('id').execute()
  const accountNames = notices.map(({ notice }) =>
    JSON.parse(notice).data.accounts.map((one: { readonly username: string }) => one.username),
  )
  expect(accountNames.map((one) => one.length)).toEqual([100, 100, 50])
  expect(accountNames.flat().toSorted()).toEqual(names.toSorted())
})
