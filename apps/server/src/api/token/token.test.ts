import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en, messageText } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'
import { newRequestId } from '../../lib/id.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const form = { name: 'demo', remain_quota: 500_000, expired_time: -1, unlimited_quota: false, models: '', subnet: '' }

test('a new token is returned with a key of 48 letters and digits, which the owner can read again', async () => {
  const ann = await app.make.user()
  const created = await app.data(contract.token.create, form, ann)
  expect(created.key).toMatch(/^[0-9A-Za-z]{48}$/)
  expect(created).toMatchObject({
    name: 'demo',
    status: 1,
    remain_quota: 500_000,
    used_quota: 0,
    unlimited_quota: false,
    expired_time: -1,
    models: '',
    subnet: '',
  })
  expect((await app.data(contract.token.get, { id: created.id }, ann)).key).toBe(created.key)
})

test('no key is stored unencrypted', async () => {
  const ann = await app.make.user()
  const { key, id } = await app.data(contract.token.create, form, ann)
  const row = await app.app.store.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  expect(JSON.stringify(row)).not.toContain(key)
})

test('a user sees only own tokens, newest first, ten a page', async () => {
  const [ann, bob] = [await app.make.user(), await app.make.user()]
  for (let number = 1; number <= 12; number++) await app.data(contract.token.create, { ...form, name: `t${number}` }, ann)
  await app.data(contract.token.create, form, bob)
  const names = async (p: number) => (await app.data(contract.token.list, { p }, ann)).map(({ name }) => name)
  expect(await names(0)).toEqual(['t12', 't11', 't10', 't9', 't8', 't7', 't6', 't5', 't4', 't3'])
  expect(await names(1)).toEqual(['t2', 't1'])
  expect(await names(2)).toEqual([])
})

test('the list sorts by remaining quota, unlimited ones first, and by used quota', async () => {
  const ann = await app.make.user()
  for (const [name, remain_quota, unlimited_quota] of [
    ['small', 1, false],
    ['large', 9, false],
    ['boundless', 0, true],
  ] as const) {
    await app.data(contract.token.create, { ...form, name, remain_quota, unlimited_quota }, ann)
  }
  expect((await app.data(contract.token.list, { order: 'remain_quota' }, ann)).map(({ name }) => name)).toEqual([
    'boundless',
    'large',
    'small',
  ])
  expect(await app.data(contract.token.list, { order: 'used_quota' }, ann)).toHaveLength(3)
})

test('matches come in the order that the list has', async () => {
  const ann = await app.make.user()
  for (const remain_quota of [20, 30, 10]) await app.data(contract.token.create, { name: `ordered ${remain_quota}`, remain_quota }, ann)
  const searchQuotas = async (order: 'remain_quota' | '', more: object = {}) =>
    (await app.data(contract.token.search, { keyword: 'ordered', order, ...more }, ann)).map((row) => row.remain_quota)
  expect(await searchQuotas('')).toEqual([10, 30, 20])
  expect(await searchQuotas('remain_quota')).toEqual([30, 20, 10])
  const [first] = await app.data(contract.token.search, { keyword: 'ordered', order: 'remain_quota', size: 1 }, ann)
  expect(await searchQuotas('remain_quota', { after: first?.id ?? 0, size: 1 })).toEqual([20])
})

test('a search finds a part of the name; wildcards are ordinary characters', async () => {
  const ann = await app.make.user()
  for (const name of ['alpha_one', 'alphaXone', '100%']) await app.data(contract.token.create, { ...form, name }, ann)
  const searchNames = async (keyword: string) => (await app.data(contract.token.search, { keyword }, ann)).map(({ name }) => name).sort()
  expect(await searchNames('a_o')).toEqual(['alpha_one'])
  expect(await searchNames('%')).toEqual(['100%'])
  expect(await searchNames(' PHA ')).toEqual(['alphaXone', 'alpha_one'])
})

test('an empty name, a bad subnet, a negative, fractional or too large quota are refused with a message', async () => {
  const ann = await app.make.user()
  const message = async (change: object) => (await app.call(contract.token.create, { ...form, ...change }, ann)).message
  expect(await message({ name: '  ' })).toBe(en.token_name_required)
  expect(await message({ name: 'n'.repeat(65) })).toBe(en.token_name_too_long)
  for (const subnet of ['10.0.0.0/33', 'nonsense', '1.2/8', '010.0.0.0/8', '10.0.0.0/8,::/200'])
    expect(await message({ subnet })).toContain('not a valid subnet')
  for (const remain_quota of [-1, 0.5, 2 ** 53]) expect(await message({ remain_quota })).toBe(en.quota_invalid)
  expect(await message({ expired_time: -2 })).toBe(en.expiry_invalid)
  expect(await app.data(contract.token.list, {}, ann)).toEqual([])
})

test('messages are in Chinese on request', async () => {
  const ann = await app.make.user()
  const headers = { ...ann.headers, 'accept-language': 'zh-CN,zh;q=0.9' }
  expect((await app.call(contract.token.create, { ...form, name: '' }, { headers })).message).toBe('请输入令牌名称')
})

test('a full edit changes only the fields of the form', async () => {
  const ann = await app.make.user()
  const token = await app.data(contract.token.create, form, ann)
  const edit = {
    ...token,
    name: 'renamed',
    remain_quota: 7,
    models: 'a, b,,a',
    subnet: ' 10.0.0.0/8 , ::1/128',
    used_quota: token.used_quota,
    user_id: 1,
    created_time: 5,
    key: 'stolen',
    status: 2,
  }
  const updated = await app.data(contract.token.update, edit, ann)
  expect(updated).toMatchObject({ ...token, name: 'renamed', remain_quota: 7, models: 'a,b', subnet: '10.0.0.0/8,::1/128' })
})

/** Spends quota of a token like a request. */
async function spend(owner: TestUser, tokenId: number, amount: number): Promise<void> {
  const { ledger } = app.app
  const hold = await ledger.hold({ requestId: newRequestId(), userId: owner.id, tokenId, amount, modelName: 'm' })
  await ledger.settle(hold, { amount, channelId: 1, log: null })
}

test('a form changes the quota by its difference to what it showed or sent last, whatever was spent meanwhile (W33)', async () => {
  const ann = await app.make.user()
  const { id } = await app.data(contract.token.create, form, ann)
  const token = await app.data(contract.token.get, { id }, ann)
  expect(token).toMatchObject({ remain_quota: 500_000, remain_quota_was: 500_000 })
  const save = async (change: object) => (await app.data(contract.token.update, { ...token, ...change }, ann)).remain_quota
  await spend(ann, id, 100_000)
  expect(await save({ name: 'renamed' })).toBe(400_000)
  expect(await save({ remain_quota: 600_000 })).toBe(500_000)
  expect(await save({ remain_quota: 600_000 })).toBe(500_000)
  expect(await save({ remain_quota: 500_000 })).toBe(400_000)
  expect(await save({ remain_quota: 0 })).toBe(0)
  expect(await save({ remain_quota: 600_000 })).toBe(500_000)
})

test('two forms of one token each add their difference, and a form without an id is compared with what it showed', async () => {
  const ann = await app.make.user()
  const { id } = await app.data(contract.token.create, form, ann)
  const [first, second] = [await app.data(contract.token.get, { id }, ann), await app.data(contract.token.get, { id }, ann)]
  expect(first.form_id).not.toBe(second.form_id)
  const save = async (change: object) => (await app.data(contract.token.update, { id, ...change }, ann)).remain_quota
  expect(await save({ ...first, remain_quota: 600_000 })).toBe(600_000)
  expect(await save({ ...second, name: 'renamed' })).toBe(600_000)
  expect(await save({ ...second, remain_quota: 400_000 })).toBe(500_000)
  expect(await save({ ...first, remain_quota: 500_000 })).toBe(400_000)
  for (let number = 0; number < 20; number++) {
    const other = await app.data(contract.token.get, { id }, ann)
    await save({ ...other, remain_quota: other.remain_quota + 1 })
  }
  expect(await save({ remain_quota: 450_000, remain_quota_was: 400_000 })).toBe(450_020)
  const { quota_forms } = await app.app.store.db.selectFrom('tokens').select('quota_forms').where('id', '=', id).executeTakeFirstOrThrow()
  expect(quota_forms.length).toBeLessThan(400)
})

test('a quota without a form is set as it is, or as of the time when `used_quota` was read', async () => {
  const ann = await app.make.user()
  const { id, used_quota } = await app.data(contract.token.create, form, ann)
  await spend(ann, id, 100_000)
  const save = async (change: object) => (await app.data(contract.token.update, { id, ...change }, ann)).remain_quota
  expect(await save({ remain_quota: 500_000, used_quota })).toBe(400_000)
  expect(await save({ remain_quota: 9 })).toBe(9)
  expect(await save({ remain_quota: 0, used_quota })).toBe(0)
})

test('an edit changes only the fields that are sent', async () => {
  const ann = await app.make.user()
  const fields = { ...form, expired_time: 4_000_000_000, models: 'a,b', subnet: '10.0.0.0/8', requests_per_minute: 7, quota_per_day: 8 }
  const { id, ...created } = await app.data(contract.token.create, fields, ann)
  const steps = [
    { name: 'renamed' },
    { models: 'c' },
    { subnet: '' },
    { expired_time: -1 },
    { unlimited_quota: true },
    { remain_quota: 3 },
    { quota_per_day: 0 },
  ]
  let expected: object = { id, ...created }
  for (const step of steps) {
    expected = { ...expected, ...step }
    expect(await app.data(contract.token.update, { id, ...step }, ann)).toMatchObject(expected)
  }
  expect(await app.data(contract.token.update, { id }, ann)).toMatchObject(expected)
})

test('null is the zero value of a member, in a new token and in an edit', async () => {
  const ann = await app.make.user()
  const nulls = {
    expired_time: null,
    remain_quota: null,
    unlimited_quota: null,
    models: null,
    subnet: null,
    requests_per_minute: null,
    tokens_per_minute: null,
    requests_at_once: null,
    quota_per_day: null,
    quota_per_month: null,
  }
  const zeros = {
    expired_time: -1,
    remain_quota: 0,
    unlimited_quota: false,
    models: '',
    subnet: '',
    requests_per_minute: 0,
    quota_per_month: 0,
  }
  expect(await app.data(contract.token.create, { name: 'nulls', ...nulls }, ann)).toMatchObject(zeros)
  const { id } = await app.data(contract.token.create, { ...form, expired_time: 4_000_000_000, models: 'a', requests_per_minute: 9 }, ann)
  expect(await app.data(contract.token.update, { id, ...nulls }, ann)).toMatchObject({ name: 'demo', ...zeros })
  expect((await app.call(contract.token.update, { id, name: null }, ann)).message).toBe(en.token_name_required)
  expect((await app.call(contract.token.create, { ...form, name: null }, ann)).message).toBe(en.token_name_required)
})

test('the status can be set only to enabled and disabled', async () => {
  const ann = await app.make.user()
  const { id } = await app.data(contract.token.create, form, ann)
  expect((await app.data(contract.token.setStatus, { id, status: 2 }, ann)).status).toBe(2)
  expect((await app.data(contract.token.setStatus, { id, status: 1 }, ann)).status).toBe(1)
  // Holds: the test sends a number that the type does not allow.
  expect((await app.call(contract.token.setStatus, { id, status: 3 as 1 }, ann)).message).toBe(en.status_invalid)
})

test('a token whose time has run out is shown as expired at once, in lists, searches and alone, and keeps its stored status', async () => {
  const ann = await app.make.user()
  const { id } = await app.make.token(ann, { expiredTime: 1_000 })
  const off = await app.make.token(ann, { expiredTime: 1_000, status: 2 })
  const running = await app.make.token(ann, { expiredTime: 4_000_000_000 })
  const statuses = new Map((await app.data(contract.token.list, {}, ann)).map((token) => [token.id, token.status]))
  expect([statuses.get(id), statuses.get(off.id), statuses.get(running.id)]).toEqual([3, 2, 1])
  expect((await app.data(contract.token.get, { id }, ann)).status).toBe(3)
  expect((await app.data(contract.token.search, { keyword: '' }, ann)).find((token) => token.id === id)?.status).toBe(3)
  expect((await app.call(contract.token.setStatus, { id, status: 1 }, ann)).message).toBe(en.token_expired_edit)
  expect((await app.call(contract.token.setStatus, { id: off.id, status: 1 }, ann)).message).toBe(en.token_expired_edit)
})

test('a new expiry in the past is refused, and a stored one can be sent again', async () => {
  const ann = await app.make.user()
  expect((await app.call(contract.token.create, { ...form, expired_time: 1_000 }, ann)).message).toBe(en.expiry_past)
  const { id } = await app.make.token(ann, { expiredTime: 2_000 })
  expect((await app.call(contract.token.update, { ...form, id, expired_time: 1_000 }, ann)).message).toBe(en.expiry_past)
  expect((await app.call(contract.token.update, { ...form, id, name: 'renamed', expired_time: 2_000 }, ann)).success).toBe(true)
  expect(await app.data(contract.token.update, { ...form, id, expired_time: 4_000_000_000 }, ann)).toMatchObject({ status: 1 })
})

test('an expired or exhausted token is not enabled until its limit is raised', async () => {
  const ann = await app.make.user()
  const expired = await app.make.token(ann, { status: 3, expiredTime: 1_000 })
  expect((await app.call(contract.token.setStatus, { id: expired.id, status: 1 }, ann)).message).toBe(en.token_expired_edit)
  const exhausted = await app.make.token(ann, { status: 4, remain: 0 })
  expect((await app.call(contract.token.setStatus, { id: exhausted.id, status: 1 }, ann)).message).toBe(en.token_exhausted_edit)
  await app.data(contract.token.update, { ...form, id: exhausted.id, remain_quota: 10 }, ann)
  expect((await app.data(contract.token.setStatus, { id: exhausted.id, status: 1 }, ann)).status).toBe(1)
})

test('a replaced key is refused from the next request on, and the new one has the limits and the usage of the token', async () => {
  await app.make.channel()
  const ann = await app.make.user()
  const token = await app.data(contract.token.create, { ...form, models: 'gpt-4o-mini' }, ann)
  const relayed = async (key: string): Promise<number> => {
    app.upstream.script(json(chatResponse()))
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    return (await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer sk-${key}` }, body })).status
  }
  expect(await relayed(token.key)).toBe(200)
  const used = await app.data(contract.token.get, { id: token.id }, ann)
  const replaced = await app.data(contract.token.replaceKey, { id: token.id }, ann)
  expect(replaced.key).toMatch(/^[0-9A-Za-z]{48}$/)
  expect(replaced.key).not.toBe(token.key)
  expect(await relayed(token.key)).toBe(401)
  const { key: _key, remain_quota_was: _was, form_id: _form, ...same } = used
  expect(replaced).toMatchObject(same)
  expect(await relayed(replaced.key)).toBe(200)
  expect(JSON.stringify(await app.app.store.db.selectFrom('tokens').selectAll().execute())).not.toContain(replaced.key)
  const [row] = await app.data(contract.log.listSelf, { type: 3 }, ann)
  expect(row?.content).toBe(`${ann.username} replaced the key of the token ${token.id} (demo)`)
})

test('a list and a search show the tokens of one status, as their rows show it', async () => {
  const ann = await app.make.user()
  const ids = [
    (await app.make.token(ann, {})).id,
    (await app.make.token(ann, { status: 2 })).id,
    (await app.make.token(ann, { expiredTime: 1_000 })).id,
    (await app.make.token(ann, { status: 3, expiredTime: 1_000 })).id,
    (await app.make.token(ann, { status: 4, remain: 0 })).id,
  ]
  const listIndexes = async (status: number) =>
    (await app.data(contract.token.list, { status }, ann)).map(({ id }) => ids.indexOf(id)).reverse()
  expect([await listIndexes(1), await listIndexes(2), await listIndexes(3), await listIndexes(4)]).toEqual([[0], [1], [2, 3], [4]])
  expect(await listIndexes(0)).toEqual([0, 1, 2, 3, 4])
  expect((await app.data(contract.token.search, { keyword: '', status: 4 }, ann)).map(({ id }) => id)).toEqual([ids[4] ?? 0])
})

test("another user's token can be neither read, changed, switched, given a new key nor removed", async () => {
  const [ann, bob] = [await app.make.user(), await app.make.user()]
  const { id } = await app.data(contract.token.create, form, ann)
  const responses = [
    await app.call(contract.token.get, { id }, bob),
    await app.call(contract.token.update, { ...form, id }, bob),
    await app.call(contract.token.setStatus, { id, status: 2 }, bob),
    await app.call(contract.token.replaceKey, { id }, bob),
    await app.call(contract.token.remove, { id }, bob),
    await app.call(contract.token.get, { id }, app.root),
  ]
  for (const response of responses) expect(response).toEqual({ success: false, message: 'Token not found', field: 'id' })
  expect((await app.data(contract.token.get, { id }, ann)).status).toBe(1)
})

test('a removed token is not found', async () => {
  const ann = await app.make.user()
  const { id } = await app.data(contract.token.create, form, ann)
  await app.data(contract.token.remove, { id }, ann)
  expect(await app.data(contract.token.list, {}, ann)).toEqual([])
})

test('a list in any order continues after the last row that was read', async () => {
  const ann = await app.make.user()
  for (let number = 0; number < 9; number++) await app.make.token(ann, { remain: number % 3, isUnlimited: number % 4 === 0 })
  for (const order of ['', 'remain_quota', 'used_quota'] as const) {
    const whole = (await app.data(contract.token.list, { order, size: 100 }, ann)).map(({ id }) => id)
    const read: number[] = []
    for (;;) {
      const rows = await app.data(contract.token.list, { order, size: 2, after: read.at(-1) ?? 0 }, ann)
      if (rows.length === 0) break
      read.push(...rows.map(({ id }) => id))
    }
    expect(read).toEqual(whole)
    expect(read).toHaveLength(9)
  }
})

test('an account can have as many as the option says, also with concurrent requests', async () => {
  const ann = await app.make.user()
  const create = () => app.call(contract.token.create, { ...form, name: 'one of many' }, ann)
  await app.data(contract.option.update, { key: 'TokensPerAccount', value: '3' })
  try {
    const responses = await Promise.all(Array.from({ length: 6 }, create))
    expect(responses.filter(({ success }) => success)).toHaveLength(3)
    expect(responses.find(({ success }) => !success)?.message).toBe(messageText('tokens_too_many', { max: 3 }))
    const [row] = await app.data(contract.token.list, {}, ann)
    await app.data(contract.token.remove, { id: row?.id ?? 0 }, ann)
    expect(await create()).toMatchObject({ success: true })
    expect(await create()).toMatchObject({ success: false })
    await app.data(contract.option.update, { key: 'TokensPerAccount', value: '0' })
    expect(await create()).toMatchObject({ success: true })
  } finally {
    await app.data(contract.option.update, { key: 'TokensPerAccount', value: '1000' })
  }
})
