import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { nobody, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'
import { plainLog } from '../../ledger/log-entry.ts'

let app: TestApp
let admin: TestUser
beforeAll(async () => {
  app = await testApp()
  admin = await app.make.user({ role: 10 })
})
afterAll(() => app.close())

const rowOf = (id: number) => app.app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const manage = (user: TestUser, action: 'promote' | 'demote' | 'delete' | 'disable' | 'enable', as: TestUser = app.root) =>
  app.call(contract.user.manage, { username: user.username, action }, as)
const logsOf = async (id: number) => {
  const query = app.app.store.db.selectFrom('logs').select(['type', 'content']).where('user_id', '=', id).orderBy('id')
  return (await query.execute()).map(({ type, content }) => `${type} ${content}`)
}

/** Charges a user like a request. */
async function spend(user: TestUser, amount: number): Promise<void> {
  const { id: tokenId } = await app.make.token(user, { isUnlimited: true })
  const requestId = `spend-${tokenId}`
  const hold = await app.app.ledger.hold({ requestId, userId: user.id, tokenId, amount, modelName: 'm' })
  const log = plainLog({ userId: user.id, username: user.username, createdAt: 0, type: 2, content: '', quota: amount, requestId })
  await app.app.ledger.settle(hold, { amount, channelId: 0, log })
}

describe('the list', () => {
  test('shows the accounts of one role, one status and one group, also in a search', async () => {
    const ann = await app.make.user({ groups: 'vip,default' })
    const bob = await app.make.user({ groups: 'VIP', role: 10 })
    const eve = await app.make.user({ groups: 'vip', status: 2 })
    const names = new Map([ann, bob, eve].map(({ id }, index) => [id, 'abe'[index]]))
    const listNames = async (filters: object) =>
      (await app.data(contract.user.list, { size: 100, ...filters })).map(({ id }) => names.get(id) ?? '').join('')
    expect(await listNames({ group: 'vip' })).toBe('ea')
    expect(await listNames({ group: 'vip', status: 2 })).toBe('e')
    expect(await listNames({ role: 10 })).toBe('b')
    expect(await listNames({ role: 100 })).toBe('')
    const matches = await app.data(contract.user.search, { keyword: ann.username, group: 'default', role: 1, status: 1 })
    expect(matches.map(({ id }) => id)).toEqual([ann.id])
    expect((await app.data(contract.user.search, { keyword: ann.username, group: 'vip' })).map(({ id }) => id)).toEqual([ann.id])
    expect(await app.data(contract.user.search, { keyword: ann.username, role: 10 })).toEqual([])
  })

  test('has ten rows a page, newest first or by the chosen column, without deleted accounts', async () => {
    const own = await testApp()
    try {
      const users: TestUser[] = []
      for (let count = 0; count < 12; count++) users.push(await own.make.user({ quota: (count * 7) % 12 }))
      const deleted = users[11]
      if (deleted === undefined) throw new Error('there are twelve')
      await own.data(contract.user.remove, { id: deleted.id })
      const ids = async (input: object) => (await own.data(contract.user.list, input)).map(({ id }) => id)
      expect(await ids({ p: 0 })).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
      expect(await ids({ p: 1 })).toEqual([2, 1])
      const quotas = (await own.data(contract.user.list, { order: 'quota' })).map(({ quota }) => quota)
      expect(quotas).toEqual(quotas.toSorted((a, b) => b - a))
      for (const order of ['used_quota', 'request_count', ''] as const) expect(await ids({ order })).toHaveLength(10)
      // Holds: the test sends an order that the type does not allow.
      expect(await ids({ order: 'password_hash; DROP TABLE users' as '' })).toHaveLength(10)
    } finally {
      await own.close()
    }
  })

  test('contains what forms and tables need, and no secret', async () => {
    const ann = await app.make.user({ quota: 5, groups: 'vip,default' })
    const [row] = await app.data(contract.user.search, { keyword: ann.username }, admin)
    expect(row).toMatchObject({
      id: ann.id,
      username: ann.username,
      group: 'vip,default',
      quota: 5,
      role: 1,
      status: 1,
      password: '',
      email: '',
    })
    expect(Object.keys(row ?? {})).not.toContain('access_token')
    expect(JSON.stringify(row)).not.toMatch(/argon2|lookup/)
  })

  test('is found in the order that the list has', async () => {
    const users = await Promise.all([5, 7, 6].map((quota) => app.make.user({ quota })))
    for (const [index, { id }] of users.entries()) {
      await app.app.store.db
        .updateTable('users')
        .set({ display_name: `Ordered ${index}` })
        .where('id', '=', id)
        .execute()
    }
    const matches = await app.data(contract.user.search, { keyword: 'ordered', order: 'quota' }, admin)
    expect(matches.map(({ quota }) => quota)).toEqual([7, 6, 5])
  })

  test('is searched by id, username, display name and address, in any case of letters; wildcards are ordinary characters', async () => {
    const ann = await app.make.user()
    await app.app.store.db
      .updateTable('users')
      .set({ username: 'searched_one', display_name: 'Ann Anders', email: 'Ann@Example.com' })
      .where('id', '=', ann.id)
      .execute()
    const searchIds = async (keyword: string) => (await app.data(contract.user.search, { keyword }, admin)).map(({ id }) => id)
    for (const keyword of [String(ann.id), 'ARCHED_o', 'anders', ' ann@example ']) expect(await searchIds(keyword)).toContain(ann.id)
    for (const keyword of ['searched%one', 'searchedXone', '%%', "' OR 1=1 --"]) expect(await searchIds(keyword)).toEqual([])
    expect((await searchIds('')).length).toBeGreaterThan(1)
  })
})

describe('creating an account', () => {
  test('creates an ordinary one with a first token, whatever role the body names', async () => {
    const body = { username: 'made-by-admin', display_name: '', password: 'a good password', role: 100, quota: 9, group: 'svip' }
    await app.data(contract.user.create, body, admin)
    const [row] = await app.data(contract.user.search, { keyword: 'made-by-admin' })
    expect(row).toMatchObject({ role: 1, quota: 0, group: 'default', display_name: 'made-by-admin' })
    const { username, password } = body
    expect((await app.call(contract.account.login, { username, password }, nobody)).success).toBe(true)
    expect((await app.call(contract.user.create, body, admin)).message).toBe(en.username_taken)
    expect((await app.call(contract.user.create, { ...body, username: ' ' }, admin)).message).toBe(en.username_required)
    expect((await app.call(contract.user.create, { ...body, username: 'x', password: '' }, admin)).message).toBe(en.password_too_short)
    expect(await logsOf(row?.id ?? 0)).toContain(`3 ${admin.username} created the account made-by-admin`)
  })
})

describe('managing', () => {
  test('bans and enables an account, and returns its new status', async () => {
    const ann = await app.make.user()
    expect(await manage(ann, 'disable', admin)).toMatchObject({ success: true, data: { role: 1, status: 2 } })
    expect(await manage(ann, 'enable', admin)).toMatchObject({ success: true, data: { role: 1, status: 1 } })
    expect(await logsOf(ann.id)).toEqual([`3 ${admin.username} disabled ${ann.username}`, `3 ${admin.username} enabled ${ann.username}`])
  })

  test('a ban takes effect on the next request of everything the account has, at once (W9, W15)', async () => {
    await app.make.channel()
    const ann = await app.make.user()
    const { key } = await app.make.token(ann)
    const accessToken = await app.data(contract.account.accessToken, {}, ann)
    const relayed = async (): Promise<number> => {
      app.upstream.script(json(chatResponse()))
      const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
      return (await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })).status
    }
    expect(await relayed()).toBe(200)
    await manage(ann, 'disable')
    expect(await relayed()).toBe(403)
    expect((await app.call(contract.account.self, {}, ann)).success).toBe(false)
    const headers = { authorization: accessToken }
    expect((await app.call(contract.account.self, {}, { headers })).message).toBe(en.access_token_invalid)
    await manage(ann, 'enable')
    expect(await relayed()).toBe(200)
  })

  test('root promotes a user to admin and demotes an admin, who must log in again then', async () => {
    const ann = await app.make.user()
    expect(await manage(ann, 'promote')).toMatchObject({ data: { role: 10, status: 1 } })
    expect((await app.request('/api/user/self', { headers: ann.headers })).status).toBe(401)
    expect(await manage(ann, 'promote')).toEqual({ success: false, message: en.already_admin })
    expect(await manage(ann, 'demote')).toMatchObject({ data: { role: 1, status: 1 } })
    expect(await manage(ann, 'demote')).toEqual({ success: false, message: en.already_user })
  })

  test('the access token of a demoted admin can no longer make calls of administrators', async () => {
    const ann = await app.make.user({ role: 10 })
    const headers = { authorization: await app.data(contract.account.accessToken, {}, ann) }
    expect((await app.call(contract.user.list, {}, { headers })).success).toBe(true)
    await manage(ann, 'demote')
    expect((await app.call(contract.user.list, {}, { headers })).message).toBe(en.permission_denied)
  })

  test('deletes permanently: the account is in no list and no action finds it', async () => {
    const ann = await app.make.user()
    expect(await manage(ann, 'delete', admin)).toMatchObject({ data: { role: 1, status: 3 } })
    const { username } = await rowOf(ann.id)
    for (const name of [ann.username, username]) {
      const response = await app.call(contract.user.manage, { username: name, action: 'enable' })
      expect(response).toEqual({ success: false, message: 'User not found', field: 'username' })
    }
    expect(await app.call(contract.user.get, { id: ann.id })).toMatchObject({ success: false, field: 'id' })
    expect((await app.call(contract.user.remove, { id: ann.id })).message).toBe('User not found')
  })

  test('by id responds with an envelope, also if it fails (W23)', async () => {
    const ann = await app.make.user()
    const send = () => app.request(`/api/user/${ann.id}`, { method: 'DELETE', headers: admin.headers })
    expect(await (await send()).json()).toMatchObject({ success: true })
    expect(await (await send()).json()).toMatchObject({ success: false })
  })

  test('refuses an empty name, for which other gateways act on the first account (W27), and an unknown action', async () => {
    for (const [username, action] of [
      ['', 'disable'],
      ['  ', 'delete'],
      ['root', 'explode'],
    ]) {
      // Holds: the test sends bodies that the contract does not allow.
      const body = { username, action } as { username: string; action: 'disable' }
      expect((await app.call(contract.user.manage, body, admin)).success).toBe(false)
    }
    expect(await rowOf(1)).toMatchObject({ status: 1, role: 100 })
  })

  test('of two concurrent actions on the same state of an account only one succeeds', async () => {
    for (let round = 0; round < 5; round++) {
      const ann = await app.make.user()
      const responses = await Promise.all([manage(ann, 'promote'), manage(ann, 'disable'), manage(ann, 'delete')])
      const row = await rowOf(ann.id)
      const seen = responses.flatMap((response) => (response.success ? [`${response.data.role} ${response.data.status}`] : []))
      expect(seen).toContain(`${row.role} ${row.status}`)
    }
  })
})

describe('an edit', () => {
  test('that sends back the whole row changes only fields that an administrator may change (W18)', async () => {
    const ann = await app.make.user({ quota: 100 })
    const row = await app.data(contract.user.get, { id: ann.id }, admin)
    const before = await rowOf(ann.id)
    const body = {
      ...row,
      display_name: 'Ann',
      group: ' vip, default,vip ',
      role: 100,
      status: 2,
      used_quota: -1,
      request_count: 9,
      github_id: 'stolen',
      aff_code: 'mine',
      inviter_id: 1,
      access_token: 'x'.repeat(32),
      created_time: 1,
    }
    await app.data(contract.user.update, body, admin)
    expect(await rowOf(ann.id)).toEqual({ ...before, display_name: 'Ann', groups: 'vip,default' })
    expect(await logsOf(ann.id)).toEqual([`3 ${admin.username} changed display_name, groups of ${ann.username}`])
  })

  test('stores empty values and zeros, which other gateways ignore: no address, no quota, no group (W41)', async () => {
    const ann = await app.make.user({ quota: 100, groups: 'vip' })
    await app.app.store.db.updateTable('users').set({ email: 'ann.two@example.com' }).where('id', '=', ann.id).execute()
    const row = await app.data(contract.user.get, { id: ann.id })
    await app.data(contract.user.update, { ...row, email: '', quota: 0, group: '' })
    expect(await rowOf(ann.id)).toMatchObject({ email: '', quota: 0, groups: 'default' })
    expect(await app.inconsistencies()).toEqual([])
  })

  test('leaves missing fields unchanged, and the password if it is empty', async () => {
    const ann = await app.make.user({ quota: 100, groups: 'vip' })
    const before = await rowOf(ann.id)
    await app.data(contract.user.update, { id: ann.id, password: '', quota: null })
    expect(await rowOf(ann.id)).toEqual(before)
  })

  test('of the password ends the sessions of the account', async () => {
    const ann = await app.make.user()
    await app.data(contract.user.update, { id: ann.id, password: 'set by an admin' }, admin)
    expect((await app.request('/api/user/self', { headers: ann.headers })).status).toBe(401)
    const { username } = ann
    expect((await app.call(contract.account.login, { username, password: 'set by an admin' }, nobody)).success).toBe(true)
    // Other gateways treat this text as "no change" (W31); here it is an ordinary password.
    await app.data(contract.user.update, { id: ann.id, password: '$I_LOVE_U' }, admin)
    expect((await app.call(contract.account.login, { username, password: '$I_LOVE_U' }, nobody)).success).toBe(true)
  })

  test('of the groups takes effect on the next request', async () => {
    await app.make.channel({ models: 'only-for-vip', groups: 'vip' })
    const ann = await app.make.user()
    const { key } = await app.make.token(ann)
    const models = async () =>
      JSON.stringify(await (await app.request('/v1/models', { headers: { authorization: `Bearer ${key}` } })).json())
    expect(await models()).not.toContain('only-for-vip')
    await app.data(contract.user.update, { id: ann.id, group: 'vip' })
    expect(await models()).toContain('only-for-vip')
  })

  test('with an invalid name or address, or one of another account, is refused and changes nothing', async () => {
    const [ann, bob] = [await app.make.user({ quota: 5 }), await app.make.user()]
    await app.data(contract.user.update, { id: bob.id, email: 'Bob@Example.com' })
    const message = async (change: object) => (await app.call(contract.user.update, { id: ann.id, quota: 9, ...change })).message
    const before = await rowOf(ann.id)
    expect(await message({ username: bob.username })).toBe(en.username_taken)
    expect(await message({ email: 'bob@example.com' })).toBe(en.email_taken)
    expect(await message({ email: 'no address' })).toBe(en.email_invalid)
    expect(await message({ quota: -1 })).toBe(en.quota_invalid)
    expect(await message({ quota: 0.5 })).toBe(en.quota_invalid)
    expect(await message({ password: 'short' })).toBe(en.password_too_short)
    expect(await rowOf(ann.id)).toEqual(before)
  })
})

describe('an edit of the quota', () => {
  const open = (user: TestUser) => app.data(contract.user.get, { id: user.id }, admin)

  test('is one ledger entry with the difference and one log row with the actor', async () => {
    const ann = await app.make.user({ quota: 100 })
    await app.data(contract.user.update, { ...(await open(ann)), quota: 250 }, admin)
    expect((await rowOf(ann.id)).quota).toBe(250)
    const entries = await app.app.store.db
      .selectFrom('ledger')
      .select('amount')
      .where('user_id', '=', ann.id)
      .where('kind', '=', 'admin')
      .execute()
    expect(entries).toEqual([{ amount: 150 }])
    expect(await logsOf(ann.id)).toEqual([`3 ${admin.username} changed the quota of ${ann.username} from 100 to 250`])
  })

  test('that is unchanged in the form does not undo what was spent and granted meanwhile (W7)', async () => {
    const ann = await app.make.user({ quota: 1000 })
    const form = await open(ann)
    await spend(ann, 300)
    await app.data(contract.user.topUp, { user_id: ann.id, quota: 50 }, admin)
    await app.data(contract.user.update, { ...form, display_name: 'Ann' }, admin)
    expect((await rowOf(ann.id)).quota).toBe(750)
    await app.data(contract.user.update, { ...form, quota: 2000 }, admin)
    expect((await rowOf(ann.id)).quota).toBe(1750)
    expect(await app.inconsistencies()).toEqual([])
  })

  test('that is sent twice is applied once, and a form that stays open continues from its last number', async () => {
    const ann = await app.make.user({ quota: 100 })
    const form = await open(ann)
    await Promise.all(Array.from({ length: 5 }, () => app.data(contract.user.update, { ...form, quota: 200 }, admin)))
    expect((await rowOf(ann.id)).quota).toBe(200)
    await app.data(contract.user.update, { ...form, quota: 300 }, admin)
    expect((await rowOf(ann.id)).quota).toBe(300)
  })

  test('subtracts at most the present balance', async () => {
    const ann = await app.make.user({ quota: 100 })
    const form = await open(ann)
    await spend(ann, 70)
    await app.data(contract.user.update, { ...form, quota: 0 }, admin)
    expect((await rowOf(ann.id)).quota).toBe(0)
  })

  test('by a script without `quota_was` sets the balance', async () => {
    const ann = await app.make.user({ quota: 100 })
    await spend(ann, 70)
    await app.data(contract.user.update, { id: ann.id, quota: 100 }, admin)
    expect((await rowOf(ann.id)).quota).toBe(100)
  })

  test('can send back a balance below zero unchanged', async () => {
    const ann = await app.make.user({ quota: 0 })
    await app.app.ledger.post({ userId: ann.id, kind: 'grant', ref: `debt:${ann.id}`, amount: -30 })
    await app.data(contract.user.update, { ...(await open(ann)), display_name: 'Ann' }, admin)
    expect(await rowOf(ann.id)).toMatchObject({ quota: -30, display_name: 'Ann' })
  })

  test('while the user spends is explained by the ledger to the unit (F52)', async () => {
    const ann = await app.make.user({ quota: 10_000 })
    const form = await open(ann)
    const spending = Array.from({ length: 20 }, () => spend(ann, 10))
    await Promise.all([...spending, app.data(contract.user.update, { ...form, quota: 5_000 }, admin)])
    expect((await rowOf(ann.id)).quota).toBe(4_800)
    expect(await app.inconsistencies()).toEqual([])
  })
})

describe('a top-up by an administrator', () => {
  test('adds to the balance, and the user sees the administrator in the log', async () => {
    const ann = await app.make.user({ quota: 1 })
    await app.data(contract.user.topUp, { user_id: ann.id, quota: 500_000, remark: 'paid in cash' }, admin)
    await app.data(contract.user.topUp, { user_id: ann.id, quota: 500_000 }, admin)
    expect((await rowOf(ann.id)).quota).toBe(1_000_001)
    expect(await logsOf(ann.id)).toEqual([
      `1 ${admin.username} topped up $1.000000: paid in cash`,
      `1 ${admin.username} topped up $1.000000`,
    ])
  })

  test('that is sent again with the id of its form adds once, and with another amount is refused', async () => {
    const ann = await app.make.user({ quota: 0 })
    const bob = await app.make.user({ quota: 0 })
    const add = async (user_id: number, form_id: string, quota = 70) =>
      await app.call(contract.user.topUp, { user_id, quota, form_id }, admin)
    await Promise.all([add(ann.id, 'form1'), add(ann.id, 'form1'), add(ann.id, 'form2'), add(bob.id, 'form1')])
    expect(await add(ann.id, 'form1')).toMatchObject({ success: true })
    expect(await add(ann.id, 'form1', 71)).toMatchObject({ success: false })
    expect((await rowOf(ann.id)).quota).toBe(140)
    expect((await rowOf(bob.id)).quota).toBe(70)
    expect(await logsOf(ann.id)).toHaveLength(2)
    expect(await app.inconsistencies()).toEqual([])
  })

  test('is refused for the own account, for root and for unknown accounts, and cannot subtract (W19)', async () => {
    const top = async (user_id: number, quota = 5) => (await app.call(contract.user.topUp, { user_id, quota }, admin)).message
    expect(await top(admin.id)).toBe(en.user_not_manageable)
    expect(await top(1)).toBe(en.user_not_manageable)
    expect(await top(999_999)).toBe('User not found')
    const ann = await app.make.user()
    expect(await top(ann.id, -5)).toBe(en.quota_invalid)
    expect(await top(ann.id, Number.MAX_SAFE_INTEGER)).toBe(en.quota_too_large)
    expect((await rowOf(ann.id)).quota).toBe(1_000_000)
  })
})
