import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en, redemptionCountMax, redemptionQuotaMax } from '@sluice/contract'
import { type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'

let app: TestApp
const clock = { ms: 1_800_000_000_000, nowMs: () => clock.ms, monotonicMs: () => clock.ms }
beforeAll(async () => {
  app = await testApp({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(() => app.close())

const make = async (form: { name?: string; quota?: number; count?: number } = {}) =>
  await app.data(contract.redemption.create, { name: 'gift', quota: 100_000, count: 1, ...form })
const newest = async () => {
  const [row] = await app.data(contract.redemption.list, {})
  if (row === undefined) throw new Error('there is no code')
  return row
}
const balance = async (user: TestUser) => (await app.data(contract.account.self, {}, user)).quota
const redeem = (key: string, as: Session) => app.call(contract.redemption.redeem, { key }, as)
/** The user's session from another client address. */
const at = (user: Session, address: string): Session => ({ headers: { ...user.headers, 'x-forwarded-for': address } })

test('codes are created in one call and listed with all fields that forms and users need', async () => {
  const keys = await make({ name: 'spring', quota: 5_000, count: 3 })
  expect(new Set(keys).size).toBe(3)
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/)
  const rows = await app.data(contract.redemption.list, {})
  expect(rows.slice(0, 3).map(({ key }) => key)).toEqual([...keys].reverse())
  expect(rows[0]).toEqual({
    id: rows[0]?.id ?? 0,
    user_id: app.root.id,
    key: keys[2] ?? '',
    status: 1,
    name: 'spring',
    quota: 5_000,
    created_time: 1_800_000_000,
    redeemed_time: 0,
    expired_time: -1,
    used_user_id: 0,
    count: 0,
    unreadable: [],
  })
  expect(await app.data(contract.redemption.get, { id: rows[0]?.id ?? 0 })).toMatchObject({ name: 'spring', key: keys[2] ?? '' })
})

test('no code is stored unencrypted', async () => {
  const [key = ''] = await make()
  expect(JSON.stringify(await app.app.store.db.selectFrom('redemptions').selectAll().execute())).not.toContain(key)
})

test('an invalid name, quota or count creates no code: no negative quota, no names counted in bytes, no thousand codes', async () => {
  const before = (await newest()).id
  const message = async (change: object) =>
    (await app.call(contract.redemption.create, { name: 'n', quota: 1, count: 1, ...change })).message
  for (const name of ['', '   ', 'n'.repeat(21)]) expect(await message({ name })).toBe(en.redemption_name_invalid)
  for (const quota of [0, -1, 0.5, '5', redemptionQuotaMax + 1]) expect(await message({ quota })).toBe(en.redemption_quota_invalid)
  for (const count of [0, -1, 1.5, redemptionCountMax + 1]) expect(await message({ count })).toBe(en.redemption_count_invalid)
  expect((await newest()).id).toBe(before)
  expect(await make({ name: '兑'.repeat(20), count: redemptionCountMax })).toHaveLength(redemptionCountMax)
})

test('a search finds an id or a part of the name on both engines; wildcards are ordinary characters', async () => {
  await make({ name: '50%_off' })
  const { id } = await newest()
  const searchNames = async (keyword: string) => (await app.data(contract.redemption.search, { keyword })).map((row) => row.name)
  expect(await searchNames('%_O')).toEqual(['50%_off'])
  expect(await searchNames('0__o')).toEqual([])
  expect(await searchNames('no such name')).toEqual([])
  expect((await app.data(contract.redemption.search, { keyword: String(id) })).map((row) => row.id)).toContain(id)
})

test('only name and quota of an unused code can be changed, by the rules of the form', async () => {
  await make({ name: 'old', quota: 10 })
  const row = await newest()
  const body: object = { ...row, name: 'new', quota: 20, status: 3, key: 'mine', used_user_id: 1, user_id: 9, redeemed_time: 5 }
  expect(await app.data(contract.redemption.update, body as { id: number; name: string; quota: number })).toEqual({
    ...row,
    name: 'new',
    quota: 20,
  })
  const refused = await app.call(contract.redemption.update, { id: row.id, name: 'n'.repeat(21), quota: 20 })
  expect(refused.message).toBe(en.redemption_name_invalid)
  expect((await app.call(contract.redemption.update, { id: 99_999, name: 'n', quota: 1 })).message).toBe('Redemption code not found')
})

test('a code can be disabled and enabled, and a disabled one is unknown to users', async () => {
  const [key = ''] = await make()
  const { id } = await newest()
  const ann = await app.make.user()
  expect((await app.data(contract.redemption.setStatus, { id, status: 2 })).status).toBe(2)
  expect((await redeem(key, ann)).message).toBe(en.redemption_invalid)
  expect((await redeem('0'.repeat(32), ann)).message).toBe(en.redemption_invalid)
  // Holds: the test sends a number that the type does not allow.
  expect((await app.call(contract.redemption.setStatus, { id, status: 3 as 1 })).message).toBe(en.status_invalid)
  await app.data(contract.redemption.setStatus, { id, status: 1 })
  expect((await redeem(key, ann)).success).toBe(true)
})

test('redeeming adds the quota, and stores the user in the log and in the code', async () => {
  const [key = ''] = await make({ name: 'thanks', quota: 777 })
  const ann = await app.make.user({ quota: 1_000 })
  expect(await app.data(contract.redemption.redeem, { key: ` ${key}\n` }, ann)).toBe(777)
  expect(await balance(ann)).toBe(1_777)
  expect(await newest()).toMatchObject({ status: 3, redeemed_time: 1_800_000_000, used_user_id: ann.id })
  const [row] = await app.data(contract.log.listSelf, { type: 1 }, ann)
  expect(row).toMatchObject({ quota: 777, username: ann.username, created_at: 1_800_000_000 })
  expect(row?.content).toContain('thanks')
  expect((await redeem(key, ann)).message).toBe(en.redemption_used)
  expect((await redeem('', ann)).message).toBe(en.redemption_key_required)
  expect(await balance(ann)).toBe(1_777)
})

test('a used code never becomes unused again, whatever a form sends', async () => {
  const [key = ''] = await make({ name: 'once', quota: 5 })
  const [ann, bob] = [await app.make.user(), await app.make.user()]
  await redeem(key, ann)
  const used = await newest()
  for (const status of [1, 2] as const)
    expect((await app.call(contract.redemption.setStatus, { id: used.id, status })).message).toBe(en.redemption_used_edit)
  expect((await app.call(contract.redemption.update, { id: used.id, name: 'twice', quota: 9 })).message).toBe(en.redemption_used_edit)
  expect(await newest()).toEqual(used)
  expect((await redeem(key, bob)).message).toBe(en.redemption_used)
})

test('of a hundred users who redeem one code concurrently, one gets it', async () => {
  const [key = ''] = await make({ quota: 4_321 })
  const users: TestUser[] = []
  for (let number = 0; number < 100; number++) users.push(await app.make.user({ quota: 0 }))
  const responses = await Promise.all(users.map((user, index) => redeem(key, at(user, `198.51.100.${index}`))))
  expect(responses.filter(({ success }) => success)).toEqual([{ success: true, message: '', data: 4_321 }])
  expect(new Set(responses.flatMap((response) => (response.success ? [] : [response.message])))).toEqual(new Set([en.redemption_used]))
  const balances = await Promise.all(users.map(balance))
  expect(balances.filter((quota) => quota !== 0)).toEqual([4_321])
  const winner = users[balances.indexOf(4_321)]
  const { id, used_user_id } = await newest()
  expect(used_user_id).toBe(winner?.id ?? 0)
  const { db } = app.app.store
  expect(
    await db.selectFrom('ledger').selectAll().where('kind', '=', 'redeem').where('ref', '=', `redemption:${id}`).execute(),
  ).toHaveLength(1)
  expect(await app.inconsistencies()).toEqual([])
}, 60_000)

test('codes that are disabled and deleted while they are redeemed are credited once or not at all', async () => {
  const keys = await make({ quota: 1, count: 20 })
  const rows = (await app.data(contract.redemption.search, { keyword: 'gift' })).filter(({ key }) => keys.includes(key))
  const ann = await app.make.user({ quota: 0 })
  const responses = await Promise.all(
    rows.map(async ({ id, key }, index) => {
      const meddle =
        index % 2 === 0 ? app.call(contract.redemption.setStatus, { id, status: 2 }) : app.call(contract.redemption.remove, { id })
      const [response] = await Promise.all([redeem(key, at(ann, `203.0.113.${index}`)), meddle])
      return response
    }),
  )
  expect(await balance(ann)).toBe(responses.filter(({ success }) => success).length)
  expect(await app.inconsistencies()).toEqual([])
})

test('guessing is slowed down by user and by address, and valid codes do not count', async () => {
  const keys = await make({ quota: 1, count: 12 })
  const [ann, bob, eve] = [await app.make.user(), await app.make.user(), await app.make.user()]
  for (const key of keys) expect((await redeem(key, at(ann, '192.0.2.1'))).success).toBe(true)
  for (let number = 0; number < 10; number++)
    expect((await redeem('guess', at(bob, `192.0.2.${10 + number}`))).message).toBe(en.redemption_invalid)
  const refused = await app.request('/api/user/topup', {
    method: 'POST',
    headers: at(bob, '192.0.2.40').headers,
    body: '{"key":"guess"}',
  })
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('1')
  clock.ms += 600_001
  expect((await redeem('guess', at(bob, '192.0.2.40'))).message).toBe(en.redemption_invalid)

  const several = [await app.make.user(), await app.make.user(), await app.make.user(), await app.make.user()]
  for (let number = 0; number < 30; number++) await redeem('guess', at(several[number % 4] ?? eve, '192.0.2.99'))
  // The address waits, for those who have guessed.
  expect((await redeem('guess', at(bob, '192.0.2.99'))).message).toBe(en.redeem_throttled.replace('{seconds}', '1'))
  expect((await redeem('guess', at(bob, '192.0.2.98'))).message).toBe(en.redemption_invalid)
  // Nobody else at the address does.
  const [good = ''] = await make({ quota: 1, count: 1 })
  expect((await redeem(good, at(eve, '192.0.2.99'))).success).toBe(true)
  expect((await redeem('guess', at(eve, '192.0.2.99'))).message).toBe(en.redemption_invalid)
  expect((await redeem('guess', at(eve, '192.0.2.99'))).message).toMatch(/^Too many/)
}, 60_000)

test('wrong codes of one account hold up nobody else at its address', async () => {
  const [bob, eve] = [await app.make.user(), await app.make.user()]
  for (let number = 0; number < 60; number++) await redeem('guess', at(bob, '192.0.2.77'))
  for (let number = 0; number < 5; number++) expect((await redeem('guess', at(eve, '192.0.2.77'))).message).toBe(en.redemption_invalid)
  const [good = ''] = await make({ quota: 1, count: 1 })
  expect((await redeem(good, at(eve, '192.0.2.77'))).success).toBe(true)
}, 60_000)

test('actions of administrators on codes are logged, without the codes', async () => {
  const admin = await app.make.user({ role: 10 })
  const [key = ''] = await app.data(contract.redemption.create, { name: 'told', quota: 9, count: 1 }, admin)
  const { id } = await newest()
  await app.data(contract.redemption.setStatus, { id, status: 2 }, admin)
  await app.data(contract.redemption.remove, { id }, admin)
  const rows = await app.data(contract.log.listSelf, { type: 3 }, admin)
  const done = rows.map(({ content }) => content).filter((content) => content.includes('top-up code'))
  expect(done).toEqual([
    `${admin.username} deleted the top-up code ${id}`,
    `${admin.username} set the top-up code ${id} to "told", 9 quota, status 2`,
    `${admin.username} created 1 top-up codes "told" of 9 quota each`,
  ])
  expect(JSON.stringify(rows)).not.toContain(key)
})

test('an expired code is refused with its reason, from the second of its expiry on', async () => {
  const expired_time = Math.floor(clock.ms / 1000) + 60
  const [early = '', late = ''] = await app.data(contract.redemption.create, { name: 'timed', quota: 50, count: 2, expired_time })
  const ann = await app.make.user({ quota: 0 })
  clock.ms += 59_000
  expect((await redeem(early, ann)).success).toBe(true)
  clock.ms += 1_000
  expect((await redeem(late, ann)).message).toBe(en.redemption_expired)
  expect(await balance(ann)).toBe(50)
  expect(await app.inconsistencies()).toEqual([])
  // The row keeps its status, because other consoles know no further one.
  const { id, status } = await newest()
  expect(status).toBe(1)
  await app.data(contract.redemption.update, { id, expired_time: expired_time + 3_600 })
  expect((await redeem(late, ann)).success).toBe(true)
  expect((await redeem(late, ann)).message).toBe(en.redemption_used)
})

test('an expiry is kept by forms that do not send it, and only a future one is set', async () => {
  const now = Math.floor(clock.ms / 1000)
  await make({ name: 'timed' })
  const { id, key: _key, count: _count, ...row } = await newest()
  expect(row.expired_time).toBe(-1)
  await app.data(contract.redemption.update, { id, expired_time: now + 60 })
  expect((await app.data(contract.redemption.update, { id, quota: 7 })).expired_time).toBe(now + 60)
  expect((await app.data(contract.redemption.setStatus, { id, status: 2 })).expired_time).toBe(now + 60)
  const refused = await app.call(contract.redemption.update, { id, expired_time: now })
  expect(refused).toMatchObject({ success: false, message: en.expiry_past, field: 'expired_time' })
  expect((await app.call(contract.redemption.create, { name: 'n', quota: 1, expired_time: now })).message).toBe(en.expiry_past)
  expect((await app.call(contract.redemption.create, { name: 'n', quota: 1, expired_time: 9e15 })).message).toBe(en.expiry_invalid)
  clock.ms += 120_000
  // The form sends back the expiry that it showed.
  expect((await app.data(contract.redemption.update, { id, name: 'later', expired_time: now + 60 })).name).toBe('later')
  expect((await app.data(contract.redemption.update, { id, expired_time: 0 })).expired_time).toBe(-1)
})

test('a list and a search show the codes of one state, by the time of the call', async () => {
  const now = Math.floor(clock.ms / 1000)
  const keys = [
    ...(await app.data(contract.redemption.create, { name: 'state', quota: 1, count: 2 })),
    ...(await app.data(contract.redemption.create, { name: 'state', quota: 1, count: 2, expired_time: now + 60 })),
  ]
  const ids = (await app.data(contract.redemption.search, { keyword: 'state' })).map(({ id }) => id).reverse()
  await app.data(contract.redemption.setStatus, { id: ids[1] ?? 0, status: 2 })
  await redeem(keys[3] ?? '', await app.make.user())
  const listIndexes = async (status: number) =>
    (await app.data(contract.redemption.search, { keyword: 'state', status })).map(({ id }) => ids.indexOf(id))
  expect([await listIndexes(1), await listIndexes(2), await listIndexes(3), await listIndexes(4)]).toEqual([[2, 0], [1], [3], []])
  clock.ms += 60_000
  expect([await listIndexes(1), await listIndexes(4), await listIndexes(0)]).toEqual([[0], [2], [3, 2, 1, 0]])
  expect((await app.data(contract.redemption.list, { status: 4 })).map(({ id }) => id)).toContain(ids[2] ?? 0)
})

test('a removed code is not found', async () => {
  const [key = ''] = await make()
  const { id } = await newest()
  await app.data(contract.redemption.remove, { id })
  expect((await app.call(contract.redemption.get, { id })).success).toBe(false)
  expect((await app.call(contract.redemption.remove, { id })).success).toBe(false)
  expect((await redeem(key, await app.make.user())).message).toBe(en.redemption_invalid)
})
