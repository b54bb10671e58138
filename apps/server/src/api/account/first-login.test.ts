import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, en } from '@sluice/contract'
import { nobody, type Session, type TestApp, testApp } from '../../../test/app.ts'
import { cookieBrowser } from '../../../test/cookie-browser.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'

const { account } = contract

const login = (app: TestApp, headers: Readonly<Record<string, string>> = {}) =>
  app.request('/api/user/login', { method: 'POST', headers, body: JSON.stringify({ username: 'root', password: '123456' }) })

async function withApp(options: Parameters<typeof testApp>[0], act: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await testApp(options)
  try {
    await act(app)
  } finally {
    await app.close()
  }
}

describe('the built-in first password', () => {
  const allowed = { keepsDefaultPassword: true, env: { TRUSTED_PROXIES: '127.0.0.1' } }

  test('allows root to log in on the machine itself until it is changed', () =>
    withApp(allowed, async (app) => {
      expect(app.app.startLines).toEqual(['Log in on this machine as root with the password 123456, and change the password.'])
      const browser = cookieBrowser(app)
      expect(await browser.call(account.login, { username: 'root', password: '123456' })).toMatchObject({ success: true })
      expect((await browser.call(account.self, {})).data.default_password).toBe(true)
      expect(await browser.call(account.updateSelf, { password: 'a better one' })).toMatchObject({ success: true })
      const far = await app.request('/api/user/login', {
        method: 'POST',
        headers: { 'x-forwarded-for': '203.0.113.5' },
        body: JSON.stringify({ username: 'root', password: 'a better one' }),
      })
      expect(await far.json()).toMatchObject({ success: true })
    }))

  test('is refused from elsewhere, through a proxy of any kind, and at a name of another site; the message names the command', () =>
    withApp(allowed, async (app) => {
      const refusal = { success: false, message: en.default_password_refused.replace('{username}', 'root') }
      expect(refusal.message).toContain('admin reset-password root')
      for (const headers of [
        { 'x-forwarded-for': '203.0.113.5' },
        { 'x-forwarded-for': '127.0.0.1' },
        { 'x-real-ip': '127.0.0.1' },
        { forwarded: 'for=127.0.0.1' },
        { via: '1.1 proxy' },
        { 'cf-connecting-ip': '127.0.0.1' },
        { 'x-forwarded-proto': 'http' },
      ])
        expect([headers, await (await login(app, headers)).json()]).toEqual([headers, refusal])
    }))

  test('is refused at a host name even if every name is allowed, because a page of another site may have it', () =>
    withApp({ ...allowed, env: { ALLOWED_HOSTS: '*' } }, async (app) => {
      expect(await (await login(app, { host: 'evil.example' })).json()).toMatchObject({ success: false })
      expect(await (await login(app, { host: 'localhost' })).json()).toMatchObject({ success: true })
    }))

  test('of an installation from before is refused everywhere until it is allowed', () =>
    withApp({ keepsDefaultPassword: true, env: { ALLOW_DEFAULT_PASSWORD: '0', INITIAL_ROOT_PASSWORD: 'for the test' } }, async (app) => {
      const password_hash = await Bun.password.hash('123456', { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
      await app.app.store.db.updateTable('users').set({ password_hash, default_password: 1 }).where('id', '=', 1).execute()
      expect(await (await login(app)).json()).toEqual({
        success: false,
        message: en.default_password_refused.replace('{username}', 'root'),
      })
    }))
})

/** A server whose root has no password, with the secret of its link. */
async function withSetup(
  env: Readonly<Record<string, string>>,
  act: (app: TestApp, secret: string, file: string) => Promise<void>,
  clock: Clock = systemClock,
) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-setup-'))
  await withApp({ clock, env: { INITIAL_ROOT_PASSWORD: '', DATA_DIR: folder, ...env } }, async (app) => {
    const secret = app.app.startLines[0]?.split('#')[1] ?? ''
    await act(app, secret, join(folder, 'setup-link'))
  })
}

const sessionOf = (response: Response): Session => ({ headers: { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' } })
const open = (app: TestApp, secret: string, headers: Readonly<Record<string, string>> = {}) =>
  app.request('/api/user/setup', { method: 'POST', headers, body: JSON.stringify({ secret }) })

describe('the setup link', () => {
  test('is printed with its secret behind #, and is in a file that only the server can read', () =>
    withSetup({}, async (app, secret, file) => {
      expect(secret).toMatch(/^[\w-]{43}$/)
      expect(app.app.startLines).toEqual([`Open this link to log in as root and set a password: ${app.url}/setup#${secret}`])
      expect(readFileSync(file, 'utf8')).toBe(`${app.url}/setup#${secret}\n`)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const rows = await app.app.store.db.selectFrom('setup_links').selectAll().execute()
      expect(JSON.stringify(rows)).not.toContain(secret)
    }))

  test('leads to the configured address', () =>
    withSetup({ CONSOLE_ORIGINS: 'https://console.example.com' }, async (app, secret) => {
      expect(app.app.startLines).toEqual([
        `Open this link to log in as root and set a password: https://console.example.com/setup#${secret}`,
      ])
    }))

  test('logs in as root as often as it is opened, until root sets a password, and then never again', () =>
    withSetup({}, async (app, secret, file) => {
      expect(await (await open(app, secret)).json()).toMatchObject({ success: true, data: { username: 'root', role: 100 } })
      const root = sessionOf(await open(app, secret))
      expect(await app.data(account.self, {}, root)).toMatchObject({ setup_pending: true, has_password: false, default_password: false })
      expect((await app.data(contract.session.list, {}, root))[0]?.way).toBe('setup')
      const set = await app.call(account.updateSelf, { password: 'a password of root' }, root)
      expect(set).toMatchObject({ success: true })
      expect(existsSync(file)).toBe(false)
      expect(await app.app.store.db.selectFrom('setup_links').selectAll().execute()).toEqual([])
      expect(await (await open(app, secret)).json()).toEqual({ success: false, message: en.setup_link_invalid })
      const own = await app.call(account.login, { username: 'root', password: 'a password of root' }, nobody)
      expect(own).toMatchObject({ success: true })
    }))

  test('lets root set the password however long ago it was opened', () =>
    withSetup({}, async (app, secret) => {
      const root = sessionOf(await open(app, secret))
      await app.app.store.db
        .updateTable('sessions')
        .set((build) => ({ created_at: build('created_at', '-', 3_600) }))
        .execute()
      expect(await app.call(account.updateSelf, { password: 'a password of root' }, root)).toMatchObject({ success: true })
      expect(await app.data(account.self, {}, root).catch((error: Error) => error.message)).toBe(en.not_logged_in)
    }))

  test('is not opened by reading its page, and no other text opens it', () =>
    withSetup({}, async (app, secret) => {
      for (const path of ['/setup', `/setup?secret=${secret}`, `/api/user/setup?secret=${secret}`]) {
        const response = await app.request(path)
        expect([path, response.headers.get('set-cookie')]).toEqual([path, null])
      }
      for (const wrong of [`${secret}x`, secret.slice(1), secret.toUpperCase(), 'x', ' ', 'x'.repeat(129)])
        expect([wrong, await (await open(app, wrong)).json()]).toMatchObject([wrong, { success: false, message: en.setup_link_invalid }])
      expect(await (await open(app, secret, { origin: 'https://evil.example' })).json()).toMatchObject({
        success: false,
        message: en.cross_site_request,
      })
      expect(await (await open(app, secret)).json()).toMatchObject({ success: true })
    }))

  test('may be guessed as rarely as a password', () => {
    const clock: Clock = { nowMs: () => 1_800_000_000_000, monotonicMs: () => 0 }
    const guess = async (app: TestApp, secret: string): Promise<void> => {
      const responses = await Promise.all(Array.from({ length: 30 }, (_, number) => open(app, `guess ${number}`)))
      expect(responses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(19)
      const { status, headers } = await open(app, secret)
      expect([status, headers.has('retry-after')]).toEqual([429, true])
    }
    return withSetup({}, guess, clock)
  })

  test('does not replace the second factor', () =>
    withSetup({}, async (app, secret) => {
      await app.app.store.db.insertInto('second_factors').values({ user_id: 1, is_on: 1, app_sealed: 'x', app_confirmed: 1 }).execute()
      const response = await (await open(app, secret)).json()
      expect(response).toMatchObject({ success: false, second_step: 'code' })
    }))

  test('of a banned root does not log in', () =>
    withSetup({}, async (app, secret) => {
      await app.app.store.db.updateTable('users').set({ status: 2 }).where('id', '=', 1).execute()
      expect(await (await open(app, secret)).json()).toMatchObject({ success: false, message: en.setup_link_invalid })
    }))

  test('does not exist where the first start has a password', () =>
    withApp({}, async (app) => {
      expect(app.app.startLines).toEqual([])
      expect(await app.app.store.db.selectFrom('setup_links').selectAll().execute()).toEqual([])
      expect(await app.call(contract.account.setup, { secret: 'x' }, nobody)).toMatchObject({
        success: false,
        message: en.setup_link_invalid,
      })
    }))
})
