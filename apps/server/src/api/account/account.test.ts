import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en, version } from '@sluice/contract'
import { nobody, rootPassword, type TestApp, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import type { Clock } from '../../lib/clock.ts'

let app: TestApp
let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
beforeAll(async () => {
  app = await testApp({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(() => app.close())

const login = (username: string, password: string, headers: Readonly<Record<string, string>> = {}, to = app) =>
  to.request('/api/user/login', { method: 'POST', headers, body: JSON.stringify({ username, password }) })
const sessionOf = (response: Response) => ({ headers: { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' } })

describe('login', () => {
  test('returns the account and sets a cookie that scripts and other sites cannot use', async () => {
    const response = await login('root', rootPassword)
    expect(await response.json()).toEqual({
      success: true,
      message: '',
      data: { id: 1, username: 'root', display_name: 'Root User', role: 100, status: 1 },
    })
    expect(response.headers.get('set-cookie')).toMatch(/^session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/)
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  test('by https the cookie is bound to the host', async () => {
    const response = await login('root', rootPassword, { 'x-forwarded-proto': 'https', 'x-forwarded-for': '10.0.0.7' })
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-session=[\w-]{43};.*; Secure$/)
    expect(response.headers.get('strict-transport-security')).toContain('max-age')
  })

  test('by https a cookie under a name that other hosts of the domain can set is no session', async () => {
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '10.0.0.7' }
    const own = sessionOf(await login('root', rootPassword, https)).headers.cookie
    const isLoggedIn = async (cookie: string) => (await app.call(contract.account.self, {}, { headers: { ...https, cookie } })).success
    expect(await isLoggedIn(own)).toBe(true)
    expect(await isLoggedIn(own.replace('__Host-', ''))).toBe(false)
  })

  test('an unknown name, a wrong password and a banned account get the same response (W22)', async () => {
    const banned = await app.make.user({ status: 2 })
    const responses = [
      await login('nobody-here', 'xxxxxxxx'),
      await login('root', 'wrong-password'),
      await login(banned.username, banned.password),
    ]
    for (const response of responses) expect(await response.json()).toEqual({ success: false, message: en.login_failed, field: 'password' })
    expect((await app.call(contract.account.login, { username: '', password: 'x' }, nobody)).message).toBe(en.login_incomplete)
  })

  test('repeated failures slow down only that account', async () => {
    const [ann, bob] = [await app.make.user(), await app.make.user()]
    for (let tries = 0; tries < 10; tries++) await login(ann.username, 'wrong-password', { 'x-forwarded-for': '203.0.113.9' })
    const slowed = await login(ann.username, ann.password, { 'x-forwarded-for': '203.0.113.9' })
    expect(slowed.status).toBe(429)
    expect(slowed.headers.get('retry-after')).toBe('1')
    expect(await (await login(bob.username, bob.password)).json()).toMatchObject({ success: true })
    ms += 61_000
    expect(await (await login(ann.username, ann.password)).json()).toMatchObject({ success: true })
  })

  test('of many wrong passwords at once not all are checked', async () => {
    const ann = await app.make.user()
    const guesses = Array.from({ length: 40 }, (_, guess) => login(ann.username, `guess ${guess}`, { 'x-forwarded-for': '203.0.113.11' }))
    const tried = (await Promise.all(guesses)).filter(({ status }) => status === 200)
    expect(tried).toHaveLength(10)
    ms += 61_000
  })

  test('one client is slowed down whichever accounts it tries, with every address of its IPv6 network', async () => {
    const guess = (number: number) => login(`nobody${number}`, 'a guess', { 'x-forwarded-for': `2001:db8:7:7::${number + 1}` })
    const statuses: number[] = []
    for (let number = 0; number < 31; number++) statuses.push((await guess(number)).status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect((await login('nobody', 'a guess', { 'x-forwarded-for': '2001:db8:7:8::1' })).status).toBe(200)
  })

  test('an e-mail address can replace the name', async () => {
    const ann = await app.make.user()
    await app.app.store.db.updateTable('users').set({ email: 'ann@example.com' }).where('id', '=', ann.id).execute()
    expect(await (await login('ann@example.com', ann.password)).json()).toMatchObject({ success: true, data: { id: ann.id } })
    expect(await (await login('', ann.password)).json()).toMatchObject({ success: false })
  })

  test('hashes of imported accounts are accepted and replaced by stronger ones', async () => {
    const ann = await app.make.user()
    const bcrypt = await Bun.password.hash('an old password', { algorithm: 'bcrypt', cost: 4 })
    await app.app.store.db.updateTable('users').set({ password_hash: bcrypt }).where('id', '=', ann.id).execute()
    expect(await (await login(ann.username, 'an old password')).json()).toMatchObject({ success: true })
    const { password_hash } = await app.app.store.db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', ann.id)
      .executeTakeFirstOrThrow()
    expect(password_hash).toStartWith('$argon2id$')
    expect(await (await login(ann.username, 'an old password')).json()).toMatchObject({ success: true })
  })
})

describe('sessions', () => {
  test('end at logout, also for a copy of the cookie', async () => {
    const ann = await app.make.user()
    await app.data(contract.account.logout, {}, ann)
    expect((await app.call(contract.account.self, {}, ann)).message).toBe(en.not_logged_in)
  })

  test('end after seven days without use and after thirty in any case', async () => {
    const [idle, busy] = [await app.make.user(), await app.make.user()]
    const day = 86_400_000
    for (let days = 0; days < 28; days += 4) {
      ms += 4 * day
      expect((await app.call(contract.account.self, {}, busy)).success).toBe(true)
      // The use is stored beside the response.
      const seen = app.app.store.db
        .selectFrom('sessions')
        .select('seen_at')
        .where('seen_at', '=', ms / 1000)
      await until(
        () => seen.executeTakeFirst(),
        (row) => row !== undefined,
      )
    }
    expect((await app.call(contract.account.self, {}, idle)).success).toBe(false)
    ms += 3 * day
    expect((await app.call(contract.account.self, {}, busy)).success).toBe(false)
    Object.assign(app.root.headers, sessionOf(await login('root', rootPassword)).headers)
  })

  test('of the other browsers end when the password is changed', async () => {
    const ann = await app.make.user()
    const other = sessionOf(await login(ann.username, ann.password))
    const changed = await app.request('/api/user/self', {
      method: 'PUT',
      headers: ann.headers,
      body: JSON.stringify({ username: ann.username, display_name: '', password: 'another password' }),
    })
    // The own session gets a new id, so that a copy of the old cookie is invalid too.
    expect((await app.call(contract.account.self, {}, sessionOf(changed))).success).toBe(true)
    for (const old of [ann, other]) expect((await app.call(contract.account.self, {}, old)).success).toBe(false)
  })

  test('have the present role and status of the account', async () => {
    const ann = await app.make.user({ role: 10 })
    expect((await app.call(contract.channel.list, {}, ann)).success).toBe(true)
    await app.app.store.db.updateTable('users').set({ role: 1 }).where('id', '=', ann.id).execute()
    expect((await app.call(contract.channel.list, {}, ann)).message).toBe(en.permission_denied)
  })

  test('cannot be used by another site', async () => {
    const from = (headers: Readonly<Record<string, string>>, path = '/api/user/self', method = 'GET') =>
      app.request(path, { method, headers: { ...app.root.headers, ...headers } })
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await from({ referer: 'https://evil.example/page' })).status).toBe(403)
    expect(
      (await from({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }, '/api/user/logout')).status,
    ).toBe(403)
    expect((await from({ 'sec-fetch-site': 'same-origin', origin: app.url })).status).toBe(200)
    expect((await from({})).status).toBe(200)
  })
})

describe('an access token', () => {
  test('is accepted by the management API with and without Bearer, and never by the relay', async () => {
    const token = 'x'.repeat(40)
    const other = await testApp({ env: { INITIAL_ROOT_ACCESS_TOKEN: token } })
    try {
      for (const authorization of [token, `Bearer ${token}`]) {
        expect((await other.data(contract.account.self, {}, { headers: { authorization } })).username).toBe('root')
      }
      const relayed = await other.request('/v1/models', { headers: { authorization: `Bearer ${token}` } })
      expect(relayed.status).toBe(401)
    } finally {
      await other.close()
    }
  })

  test('is not a relay token', async () => {
    const ann = await app.make.user()
    const { key } = await app.make.token(ann)
    expect((await app.call(contract.account.self, {}, { headers: { authorization: `Bearer ${key}` } })).message).toBe(
      en.access_token_invalid,
    )
  })
})

describe('the own account', () => {
  test('shows the balance and no secret', async () => {
    const ann = await app.make.user({ quota: 777, groups: 'vip,default' })
    const self = await app.data(contract.account.self, {}, ann)
    expect(self).toMatchObject({
      username: ann.username,
      quota: 777,
      group: 'vip,default',
      password: '',
      role: 1,
      inviter_id: 0,
      aff_code: '',
      email: '',
    })
    expect(JSON.stringify(self)).not.toContain('argon2')
  })

  test('can change its name and password, and other fields are ignored', async () => {
    const ann = await app.make.user()
    const self = await app.data(contract.account.self, {}, ann)
    const update = { ...self, display_name: 'Ann', role: 100, quota: 10 ** 9, group: 'svip', status: 1, email: 'a@b.c', inviter_id: 1 }
    await app.data(contract.account.updateSelf, update, ann)
    expect(await app.data(contract.account.self, {}, ann)).toEqual({ ...self, display_name: 'Ann' })
  })

  test('cannot be renamed to a name that others take for another one, but keeps such a name from an import', async () => {
    const ann = await app.make.user()
    const edit = { username: ann.username, display_name: 'Ann', password: '' }
    for (const [username, key] of [
      ['ro\u043et', 'username_scripts'],
      ['ann\u200b', 'username_characters'],
      ['support', 'username_reserved'],
    ] as const)
      expect((await app.call(contract.account.updateSelf, { ...edit, username }, ann)).message).toBe(en[key])
    const imported = 'a\u200bnn<b>'
    await app.app.store.db.updateTable('users').set({ username: imported }).where('id', '=', ann.id).execute()
    const older = await app.call(contract.account.login, { username: imported, password: ann.password }, nobody)
    expect(older).toMatchObject({ success: true, data: { username: imported } })
    expect(await app.data(contract.user.update, { id: ann.id, username: imported, display_name: 'Other' })).toBeNull()
    expect((await app.call(contract.user.update, { id: ann.id, username: 'a\u202enn' })).message).toBe(en.username_characters)
    expect(await app.data(contract.user.update, { id: ann.id, username: 'support' })).toBeNull()
  })

  test('cannot get one of the most common passwords, but one that it has from an import still logs in', async () => {
    const ann = await app.make.user()
    const edit = { username: ann.username, display_name: '', password: '12345678', current_password: ann.password }
    expect((await app.call(contract.account.updateSelf, edit, ann)).message).toBe(en.password_common)
    expect((await app.call(contract.user.update, { id: ann.id, password: 'password' })).message).toBe(en.password_common)
    expect((await app.call(contract.user.create, { username: 'common', password: 'iloveyou' })).message).toBe(en.password_common)
    const hash = await Bun.password.hash('password', { algorithm: 'bcrypt', cost: 4 })
    await app.app.store.db.updateTable('users').set({ password_hash: hash }).where('id', '=', ann.id).execute()
    for (const _login of [1, 2])
      expect(await app.call(contract.account.login, { username: ann.username, password: 'password' }, nobody)).toMatchObject({
        success: true,
      })
  })

  test('cannot have a short password or a name of another account', async () => {
    const ann = await app.make.user()
    const edit = { username: ann.username, display_name: '', password: '' }
    expect((await app.call(contract.account.updateSelf, { ...edit, password: 'short' }, ann)).message).toBe(en.password_too_short)
    expect((await app.call(contract.account.updateSelf, { ...edit, username: 'root' }, ann)).message).toBe(en.username_taken)
  })
})

describe('status', () => {
  test('has every field that consoles read, with its type', async () => {
    const status = await app.data(contract.status.get, {}, nobody)
    expect(status).toMatchObject({
      version,
      system_name: 'Sluice',
      quota_per_unit: 500_000,
      display_in_currency: true,
      email_verification: false,
      turnstile_check: false,
      wechat_login: false,
      github_oauth: false,
      lark_client_id: '',
      chat_link: '',
      server_address: app.url,
    })
  })
})

describe('the server', () => {
  test('refuses a body over its limit, with or without a declared length', async () => {
    const big = 'x'.repeat(10 * 1024 * 1024)
    expect((await app.request('/api/token/', { method: 'POST', headers: app.root.headers, body: big })).status).toBe(413)
    const stream = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 40; index++) controller.enqueue(new TextEncoder().encode('x'.repeat(64 * 1024)))
        controller.close()
      },
    })
    const init = { method: 'POST', headers: app.root.headers, body: stream, duplex: 'half' as const }
    expect((await app.request('/api/token/', init)).status).toBe(413)
  })

  test('reports only whether it is alive and ready', async () => {
    expect((await app.request('/healthz')).status).toBe(200)
    const ready = await app.request('/readyz')
    expect(ready.status).toBe(200)
    expect(ready.headers.get('x-content-type-options')).toBe('nosniff')
    expect(ready.headers.get('x-request-id')).not.toBeNull()
    expect(ready.headers.get('server')).toBeNull()
  })
})
