import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { nobody, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'
import { plainLog } from '../../ledger/log-entry.ts'
import type { Clock } from '../../lib/clock.ts'

let app: TestApp
// 2026-11-21 12:00 UTC.
const ms = Date.UTC(2026, 10, 21, 12)
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
beforeAll(async () => {
  app = await testApp({ clock })
})
afterAll(() => app.close())

const rowOf = (id: number) => app.app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

describe('a system access token', () => {
  test('is shown once, authenticates its owner, and is stored only as a hash (W1, W14)', async () => {
    const ann = await app.make.user()
    const token = await app.data(contract.account.accessToken, {}, ann)
    expect(token).toMatch(/^[0-9A-Za-z]{43}$/)
    expect((await app.data(contract.account.self, {}, bearer(token))).username).toBe(ann.username)
    expect(JSON.stringify(await rowOf(ann.id))).not.toContain(token)
    for (const response of [
      await app.call(contract.account.self, {}, ann),
      await app.call(contract.user.get, { id: ann.id }),
      await app.call(contract.user.list, {}),
    ]) {
      expect(JSON.stringify(response)).not.toContain('access_token')
    }
  })

  test('revokes the previous one', async () => {
    const ann = await app.make.user()
    const [first, second] = [await app.data(contract.account.accessToken, {}, ann), await app.data(contract.account.accessToken, {}, ann)]
    expect((await app.call(contract.account.self, {}, bearer(first))).message).toBe(en.access_token_invalid)
    expect((await app.call(contract.account.self, {}, bearer(second))).success).toBe(true)
  })

  test('is not created by opening its address as a page, and creating one does not undo charges (W7, W20)', async () => {
    const ann = await app.make.user({ quota: 1000 })
    const opened = await app.request('/api/user/token', {
      headers: { ...ann.headers, 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' },
    })
    expect(opened.status).toBe(403)
    expect((await rowOf(ann.id)).access_token_lookup).toBeNull()
    const response = await app.request('/api/user/token', { headers: ann.headers })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect((await rowOf(ann.id)).quota).toBe(1000)
  })
})

describe('invitations', () => {
  test('list who came by them, the newest first, with what each earned, page by page', async () => {
    const ann = await app.make.user()
    const code = await app.data(contract.account.inviteCode, {}, ann)
    const register = (username: string, aff_code: string) =>
      app.data(contract.account.register, { username, password: 'a good password', aff_code }, nobody)
    expect(await app.data(contract.account.invited, {}, ann)).toEqual({ count: 0, earned: 0, rows: [] })
    await register('came-first', code)
    await app.data(contract.option.update, { key: 'QuotaForInviter', value: '700' })
    await register('came-second', code)
    await app.data(contract.option.update, { key: 'QuotaForInviter', value: '900' })
    await register('came-third', code)
    await register('came-alone', '')
    const all = await app.data(contract.account.invited, {}, ann)
    expect(all).toMatchObject({
      count: 3,
      earned: 1600,
      rows: [
        { username: 'came-third', earned: 900, created_time: ms / 1000 },
        { username: 'came-second', earned: 700 },
        { username: 'came-first', earned: 0 },
      ],
    })
    const after = all.rows[0]?.id ?? 0
    expect(await app.data(contract.account.invited, { after, size: 1 }, ann)).toMatchObject({
      count: 3,
      rows: [{ username: 'came-second' }],
    })
    expect(Object.keys(all.rows[0] ?? {}).sort()).toEqual(['created_time', 'earned', 'id', 'username'])
    // Another account sees none of them, and a deleted one loses its name.
    expect(await app.data(contract.account.invited, {}, app.root)).toMatchObject({ count: 0, rows: [] })
    await app.data(contract.user.remove, { id: after })
    expect((await app.data(contract.account.invited, {}, ann)).rows[0]).toMatchObject({ username: '', earned: 900 })
  })
})

describe('deleting the own account', () => {
  async function relayed(key: string): Promise<number> {
    app.upstream.script(json(chatResponse()))
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    return (await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })).status
  }

  async function leaver(): Promise<{ readonly ann: TestUser; readonly key: string; readonly accessToken: string }> {
    const ann = await app.make.user()
    await app.app.store.db
      .updateTable('users')
      .set({ email: `${ann.username}@example.com`, github_id: `gh-${ann.id}` })
      .where('id', '=', ann.id)
      .execute()
    return { ann, key: (await app.make.token(ann)).key, accessToken: await app.data(contract.account.accessToken, {}, ann) }
  }

  test('makes session, access token and API tokens invalid at once', async () => {
    await app.make.channel()
    const { ann, key, accessToken } = await leaver()
    expect(await relayed(key)).toBe(200)
    const response = await app.request('/api/user/self', { method: 'DELETE', headers: ann.headers })
    expect(await response.json()).toMatchObject({ success: true })
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await app.request('/api/user/self', { headers: ann.headers })).status).toBe(401)
    expect((await app.call(contract.account.self, {}, bearer(accessToken))).message).toBe(en.access_token_invalid)
    expect([401, 403]).toContain(await relayed(key))
    const { username, password } = ann
    expect((await app.call(contract.account.login, { username, password }, nobody)).message).toBe(en.login_failed)
    // The console logs out afterwards, which must succeed.
    expect((await app.call(contract.account.logout, {}, ann)).success).toBe(true)
  })

  test('frees name, address and ids for a new registration (W53), and keeps the entries that explain the balance', async () => {
    const { ann } = await leaver()
    await app.data(contract.account.removeSelf, {}, ann)
    const row = await rowOf(ann.id)
    expect(row).toMatchObject({ status: 3, email: '', github_id: '', aff_code: '', password_hash: '', display_name: '', quota: 1_000_000 })
    expect(row.username).toStartWith(`deleted_${ann.id}_`)
    const again = { username: ann.username, password: 'a good password' }
    expect((await app.call(contract.account.register, again, nobody)).success).toBe(true)
    expect((await app.data(contract.user.search, { keyword: ann.username })).map(({ id }) => id)).not.toContain(ann.id)
    expect(await app.inconsistencies()).toEqual([])
  })

  test('is refused for root', async () => {
    expect(await app.call(contract.account.removeSelf, {})).toEqual({ success: false, message: en.user_is_root })
  })
})

describe('the dashboard', () => {
  test('sums seven days of the own consumption by day and model, in UTC', async () => {
    const [ann, bob] = [await app.make.user(), await app.make.user()]
    const day = 86_400
    const today = ms / 1000 - 43_200
    const use = (user: TestUser, createdAt: number, modelName: string, type = 2) =>
      app.app.ledger.writeLog(
        plainLog({
          userId: user.id,
          createdAt,
          type,
          content: '',
          username: '',
          modelName,
          quota: 0,
          promptTokens: 3,
          completionTokens: 4,
        }),
      )
    await use(ann, today, 'gpt-b')
    await use(ann, today + 5, 'gpt-a')
    await use(ann, today + day - 1, 'gpt-b')
    await use(ann, today - 6 * day, 'gpt-a')
    await use(ann, today - 6 * day - 1, 'too-old')
    await use(ann, today, 'gpt-a', 4)
    await use(bob, today, 'gpt-a')
    const one = { RequestCount: 1, Quota: 0, PromptTokens: 3, CompletionTokens: 4 }
    expect(await app.data(contract.account.dashboard, {}, ann)).toEqual([
      { Day: '2026-11-15', ModelName: 'gpt-a', ...one },
      { Day: '2026-11-21', ModelName: 'gpt-a', ...one },
      { Day: '2026-11-21', ModelName: 'gpt-b', RequestCount: 2, Quota: 0, PromptTokens: 6, CompletionTokens: 8 },
    ])
  })
})

describe('a change of an account', () => {
  test('is in the log as type 3 with the actor, without passwords (W42)', async () => {
    const ann = await app.make.user()
    const login = (password: string) => app.call(contract.account.login, { username: ann.username, password }, nobody)
    await login('a wrong password')
    await login(ann.password)
    await app.call(contract.account.login, { username: 'my-secret-password', password: 'x' }, nobody)
    const rows = await app.data(contract.log.listSelf, {}, ann)
    expect(rows.map(({ type, content }) => [type, content])).toEqual([
      [3, 'logged in from 127.0.0.1'],
      [3, 'failed login from 127.0.0.1'],
    ])
    await app.data(contract.option.update, { key: 'SystemName', value: 'A value that stays out' })
    const all = JSON.stringify(await app.app.store.db.selectFrom('logs').selectAll().where('type', '=', 3).execute())
    expect(all).toContain('root changed the option SystemName')
    for (const secret of ['a wrong password', ann.password, 'my-secret-password', 'A value that stays out'])
      expect(all).not.toContain(secret)
  })
})

describe('a new name', () => {
  test('keeps the own log, which the next owner of the old name does not see (W28)', async () => {
    const ann = await app.make.user()
    await app.app.ledger.writeLog(
      plainLog({ userId: ann.id, createdAt: ms / 1000, type: 2, content: '', username: ann.username, quota: 12, requestId: '' }),
    )
    const form = { display_name: '', password: '' }
    await app.data(contract.account.updateSelf, { ...form, username: `${ann.username}-renamed` }, ann)
    const bob = await app.make.user()
    await app.data(contract.account.updateSelf, { ...form, username: ann.username }, bob)
    expect((await app.data(contract.log.statSelf, {}, ann)).quota).toBe(12)
    expect((await app.data(contract.log.statSelf, {}, bob)).quota).toBe(0)
  })
})

describe('a login', () => {
  const login = (username: string, password: string) => app.call(contract.account.login, { username, password }, nobody)

  test('by e-mail address belongs to its owner, even if another account has it as its name', async () => {
    const [ann, mallory] = [await app.make.user(), await app.make.user()]
    await app.app.store.db.updateTable('users').set({ email: 'ann.one@example.com' }).where('id', '=', ann.id).execute()
    await app.app.store.db.updateTable('users').set({ username: 'ann.one@example.com' }).where('id', '=', mallory.id).execute()
    expect(await login('Ann.One@example.com', ann.password)).toMatchObject({ success: true, data: { id: ann.id } })
    expect(await login('ann.one@example.com', ann.password)).toMatchObject({ success: true, data: { id: ann.id } })
  })

  test('from an address with an earlier login is not slowed down by failures of others', async () => {
    const proxied = await testApp({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const ann = await proxied.make.user()
      const from = (address: string, password: string) =>
        proxied.request('/api/user/login', {
          method: 'POST',
          headers: { 'x-forwarded-for': address },
          body: JSON.stringify({ username: ann.username, password }),
        })
      expect((await from('198.51.100.1', ann.password)).status).toBe(200)
      const statuses: number[] = []
      for (let tries = 0; tries < 15; tries++) statuses.push((await from(`203.0.113.${tries}`, 'a guess')).status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(10)
      expect((await from('198.51.100.2', ann.password)).status).toBe(429)
      expect((await from('198.51.100.1', ann.password)).status).toBe(200)
    } finally {
      await proxied.close()
    }
  })

  test('is slowed down for a whole network that guesses, even if each of its addresses guesses little', async () => {
    const proxied = await testApp({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } })
    try {
      const statuses: number[] = []
      for (let guess = 0; guess < 122; guess++) {
        const headers = { 'x-forwarded-for': `203.0.113.${guess}` }
        const body = JSON.stringify({ username: `nobody${guess}`, password: 'a guess' })
        statuses.push((await proxied.request('/api/user/login', { method: 'POST', headers, body })).status)
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(120)
    } finally {
      await proxied.close()
    }
  })
})
