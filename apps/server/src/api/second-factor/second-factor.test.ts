import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { Secret, TOTP } from 'otpauth'
import { nobody, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { cookieBrowser, loggedIn } from '../../../test/cookie-browser.ts'
import type { Clock } from '../../lib/clock.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let app: TestApp

beforeAll(async () => {
  app = await testApp({ clock, env: { TRUSTED_PROXIES: '127.0.0.1' } })
})
afterAll(() => app.close())
/** Each test gets new time steps, and new windows of the limits. */
beforeEach(() => {
  ms += 3_600_000
})

const { account } = contract

/** A code of the app, `steps` of 30 seconds from now. */
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 }).generate({ timestamp: ms + steps * 30_000 })

interface Protected {
  readonly user: TestUser
  readonly secret: string
  readonly recovery: readonly string[]
}

/** An account whose logins ask for the code of an app. */
async function protectedUser(options: { readonly role?: number } = {}): Promise<Protected> {
  const user = await app.make.user(options)
  const browser = await loggedIn(app, user)
  const { secret } = (await browser.call(contract.secondFactor.beginApp, {})).data
  const { recovery_codes } = (await browser.call(contract.secondFactor.confirmApp, { code: codeOf(secret) })).data
  ms += 60_000
  return { user, secret, recovery: recovery_codes }
}

/** The first step of a login. */
async function begun({ username, password }: TestUser, at: { readonly address?: string } = {}) {
  const browser = cookieBrowser(app, at)
  expect(await browser.call(account.login, { username, password })).toMatchObject({ success: false, second_step: 'code' })
  return browser
}

const logOf = async ({ id }: TestUser): Promise<readonly string[]> => {
  const rows = await app.data(contract.log.list, { username: (await app.data(contract.user.get, { id })).username })
  return rows.map(({ content }) => content)
}

describe('an authenticator app', () => {
  test('is set up by a secret and a code of it, and gives ten recovery codes once', async () => {
    const user = await app.make.user()
    const browser = await loggedIn(app, user)
    expect((await browser.call(contract.secondFactor.get, {})).data).toEqual({
      is_on: false,
      has_app: false,
      recovery_codes: 0,
      unreadable: [],
      is_missing: false,
    })
    const { data } = await browser.call(contract.secondFactor.beginApp, {})
    expect(data.secret).toMatch(/^[A-Z2-7]{32}$/)
    const uri = new URL(data.uri)
    expect([
      uri.protocol,
      uri.host,
      decodeURIComponent(uri.pathname),
      uri.searchParams.get('secret'),
      uri.searchParams.get('issuer'),
    ]).toEqual(['otpauth:', 'totp', `/Sluice:${user.username}`, data.secret, 'Sluice'])
    expect(await browser.call(contract.secondFactor.confirmApp, { code: '000000' })).toMatchObject({
      success: false,
      message: en.two_factor_code_invalid,
    })
    expect((await browser.call(contract.secondFactor.get, {})).data).toMatchObject({ is_on: false, has_app: false })
    const { recovery_codes } = (await browser.call(contract.secondFactor.confirmApp, { code: codeOf(data.secret) })).data
    expect(recovery_codes).toHaveLength(10)
    expect(new Set(recovery_codes).size).toBe(10)
    expect(recovery_codes.every((code: string) => /^[a-z2-9]{5}-[a-z2-9]{5}$/.test(code))).toBe(true)
    expect((await browser.call(contract.secondFactor.get, {})).data).toEqual({
      is_on: true,
      has_app: true,
      recovery_codes: 10,
      unreadable: [],
      is_missing: false,
    })
    expect(await browser.call(contract.secondFactor.beginApp, {})).toMatchObject({
      success: false,
      message: en.authenticator_already_set_up,
    })
    expect(await logOf(user)).toEqual(expect.arrayContaining([expect.stringContaining('set up an authenticator app')]))
  })

  test('keeps secret and codes out of the database', async () => {
    const { secret, recovery } = await protectedUser()
    const { db } = app.app.store
    const rows = JSON.stringify([
      await db.selectFrom('second_factors').selectAll().execute(),
      await db.selectFrom('recovery_codes').selectAll().execute(),
      await db.selectFrom('logs').selectAll().execute(),
    ])
    expect(rows).not.toContain(secret)
    for (const code of recovery) {
      expect(rows).not.toContain(code)
      expect(rows).not.toContain(code.replace('-', ''))
    }
  })

  test('needs a login of the last ten minutes to be set up, confirmed, replaced or removed', async () => {
    const { user } = await protectedUser()
    const browser = cookieBrowser(app)
    browser.cookies.set('session', user.headers['cookie']?.split('=')[1] ?? '')
    ms += 700_000
    for (const response of [
      await browser.call(contract.secondFactor.beginApp, {}),
      await browser.call(contract.secondFactor.confirmApp, { code: '123456' }),
      await browser.call(contract.secondFactor.removeApp, {}),
      await browser.call(contract.secondFactor.renewCodes, {}),
      await browser.call(contract.secondFactor.update, { is_on: false }),
    ]) {
      expect(response).toMatchObject({ success: false, message: en.reauthentication_required })
    }
    expect((await browser.call(contract.secondFactor.get, {})).data).toMatchObject({ is_on: true, recovery_codes: 10 })
  })

  test('is removed with two-factor authentication, and logins are by password again', async () => {
    const { user, secret } = await protectedUser()
    const browser = await begun(user)
    await browser.call(contract.secondFactor.login, { code: codeOf(secret) })
    expect(await browser.call(contract.secondFactor.removeApp, {})).toMatchObject({ success: true })
    expect((await browser.call(contract.secondFactor.get, {})).data).toMatchObject({ is_on: false, has_app: false, recovery_codes: 0 })
    expect(await cookieBrowser(app).call(account.login, user)).toMatchObject({ success: true })
  })

  test('that two requests confirm at once gives its recovery codes to one of them', async () => {
    const browser = await loggedIn(app, await app.make.user())
    const { secret } = (await browser.call(contract.secondFactor.beginApp, {})).data
    const responses = await Promise.all([1, 2, 3].map(() => browser.call(contract.secondFactor.confirmApp, { code: codeOf(secret) })))
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
    expect(responses.filter(({ message }) => message === en.authenticator_already_set_up)).toHaveLength(2)
  })
})

describe('a login with a second factor', () => {
  test('gives no session for the password, and instructs clients that do not support a second factor', async () => {
    const { user, secret } = await protectedUser()
    const browser = cookieBrowser(app)
    const response = await browser.call(account.login, user)
    expect(response).toMatchObject({ status: 200, success: false, message: en.two_factor_login_required, second_step: 'code' })
    expect(browser.cookies.has('session')).toBe(false)
    expect(await app.call(account.self, {}, browser.session())).toMatchObject({ success: false })
    expect(await browser.call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      success: true,
      data: { username: user.username },
    })
    expect((await app.data(account.self, {}, browser.session())).id).toBe(user.id)
    expect((await browser.call(contract.session.list, {})).data[0]).toMatchObject({ is_current: true, way: 'password,app' })
  })

  test('takes a code once, also if it comes twice at the same time', async () => {
    const { user, secret } = await protectedUser()
    const browsers = [await begun(user), await begun(user), await begun(user)]
    const code = codeOf(secret)
    const responses = await Promise.all(browsers.map((browser) => browser.call(contract.secondFactor.login, { code })))
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
    const again = await begun(user)
    expect(await again.call(contract.secondFactor.login, { code })).toMatchObject({ success: false, message: en.two_factor_code_invalid })
    // A code of an earlier step than the one that was used is refused, too.
    expect(await again.call(contract.secondFactor.login, { code: codeOf(secret, -1) })).toMatchObject({ success: false })
    expect(await again.call(contract.secondFactor.login, { code: codeOf(secret, 1) })).toMatchObject({ success: true })
  })

  test('takes a code of the step before and after, and none further away', async () => {
    for (const [steps, isTaken] of [
      [-2, false],
      [-1, true],
      [1, true],
      [2, false],
    ] as const) {
      const { user, secret } = await protectedUser()
      ms += 120_000
      const browser = await begun(user)
      expect([steps, (await browser.call(contract.secondFactor.login, { code: codeOf(secret, steps) })).success]).toEqual([steps, isTaken])
    }
  })

  test('takes codes with spaces, and full-width digits', async () => {
    const { user, secret } = await protectedUser()
    const spaced = codeOf(secret).replace(/^(...)/, '$1 ')
    expect(await (await begun(user)).call(contract.secondFactor.login, { code: spaced })).toMatchObject({ success: true })
    ms += 60_000
    const wide = codeOf(secret).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))
    expect(await (await begun(user)).call(contract.secondFactor.login, { code: wide })).toMatchObject({ success: true })
  })

  test('takes each recovery code once, in any spelling, and says how many are left', async () => {
    const { user, recovery } = await protectedUser()
    const [first = '', second = ''] = recovery
    const spelt = first.toUpperCase().replace('-', ' ')
    expect(await (await begun(user)).call(contract.secondFactor.login, { code: spelt })).toMatchObject({ success: true })
    expect(await (await begun(user)).call(contract.secondFactor.login, { code: first })).toMatchObject({ success: false })
    const browsers = [await begun(user), await begun(user)]
    const responses = await Promise.all(browsers.map((browser) => browser.call(contract.secondFactor.login, { code: second })))
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
    expect((await logOf(user)).filter((text) => text.includes('recovery code;'))).toEqual([
      'logged in with a recovery code; 8 left',
      'logged in with a recovery code; 9 left',
    ])
  })

  test('takes no code of another account, and none of the recovery codes from before', async () => {
    const [ann, bob] = [await protectedUser(), await protectedUser()]
    const browser = await begun(ann.user)
    expect(await browser.call(contract.secondFactor.login, { code: bob.recovery[0] ?? '' })).toMatchObject({ success: false })
    expect(await browser.call(contract.secondFactor.login, { code: codeOf(bob.secret) })).toMatchObject({ success: false })
    await browser.call(contract.secondFactor.login, { code: codeOf(ann.secret) })
    expect((await browser.call(contract.secondFactor.renewCodes, {})).data.recovery_codes).toHaveLength(10)
    expect(await (await begun(ann.user)).call(contract.secondFactor.login, { code: ann.recovery[0] ?? '' })).toMatchObject({
      success: false,
    })
  })

  test('cannot be completed in another browser, without a first step, or after ten minutes', async () => {
    const { user, secret } = await protectedUser()
    await begun(user)
    const stranger = cookieBrowser(app)
    expect(await stranger.call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      success: false,
      message: en.two_factor_login_expired,
    })
    stranger.cookies.set('visitor', 'a-planted-cookie')
    expect(await stranger.call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      success: false,
      message: en.two_factor_login_expired,
    })
    const late = await begun(user)
    ms += 601_000
    expect(await late.call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      success: false,
      message: en.two_factor_login_expired,
    })
  })

  test('does not go on in a browser whose cookie somebody planted before', async () => {
    const { user, secret } = await protectedUser()
    const [victim, attacker] = [cookieBrowser(app), cookieBrowser(app)]
    for (const browser of [victim, attacker]) browser.cookies.set('visitor', 'a-planted-cookie')
    await victim.call(account.login, user)
    expect(victim.cookies.get('visitor')).not.toBe('a-planted-cookie')
    expect(await attacker.call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      success: false,
      message: en.two_factor_login_expired,
    })
  })

  test('ends when the password is changed between both steps, or the account is banned', async () => {
    const { user, secret } = await protectedUser()
    const [changed, banned] = [await begun(user), await begun(user)]
    await app.data(contract.user.update, { id: user.id, password: 'another good password' })
    expect(await changed.call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      success: false,
      message: en.two_factor_login_expired,
    })
    await app.data(contract.user.manage, { username: user.username, action: 'disable' })
    expect(await banned.call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      success: false,
      message: en.two_factor_login_expired,
    })
  })

  test('can be guessed at few times: in one login, and in all logins of the account together', async () => {
    const { user, secret } = await protectedUser()
    const one = await begun(user)
    const guesses = []
    for (let guess = 0; guess < 12; guess++)
      guesses.push((await one.call(contract.secondFactor.login, { code: `00000${guess % 10}` })).message)
    expect(guesses.filter((message) => message === en.two_factor_code_invalid).length).toBeLessThanOrEqual(6)
    expect(await (await begun(user)).call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      status: 429,
      success: false,
    })
    expect((await logOf(user)).filter((text) => text.includes('failed two-factor authentication')).length).toBeGreaterThan(5)
    ms += 300_000
    expect(await (await begun(user)).call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({ success: true })
  })
})

describe('somebody else who knows the password', () => {
  const wrong = { code: '000000' }

  test('cannot keep the owner, who is in another network, from the second factor', async () => {
    const { user, secret } = await protectedUser()
    const guesses = []
    for (let guess = 0; guess < 12; guess++)
      guesses.push((await (await begun(user, { address: '203.0.113.9' })).call(contract.secondFactor.login, wrong)).status)
    expect(guesses.slice(-3)).toEqual([429, 429, 429])
    const owner = await begun(user, { address: '198.51.100.7' })
    expect(await owner.call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({ success: true })
  })

  test('is slowed down in all networks together, while a client that the owner used before is not', async () => {
    const { user, secret } = await protectedUser()
    const used = { address: '198.51.100.7' }
    expect(await (await begun(user, used)).call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({ success: true })
    ms += 60_000
    const statuses = []
    for (let guess = 0; guess < 30; guess++)
      statuses.push((await (await begun(user, { address: `203.0.${guess}.9` })).call(contract.secondFactor.login, wrong)).status)
    expect(statuses.filter((status) => status !== 429).length).toBeLessThanOrEqual(20)
    expect(statuses.at(-1)).toBe(429)
    expect(await (await begun(user, { address: '192.0.2.1' })).call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({
      status: 429,
    })
    expect(await (await begun(user, used)).call(contract.secondFactor.login, { code: codeOf(secret) })).toMatchObject({ success: true })
  })
})

describe('the password alone', () => {
  test('replaces no recent login where there is a second factor', async () => {
    const { user } = await protectedUser()
    ms += 700_000
    const proof = { current_password: user.password }
    expect(await app.call(account.newAccessToken, proof, user)).toMatchObject({
      success: false,
      message: en.reauthentication_with_factor_required,
    })
    expect(await app.call(account.updateSelf, { password: 'a new good one', ...proof }, user)).toMatchObject({
      success: false,
      message: en.reauthentication_with_factor_required,
    })
  })
})

describe('an administrator', () => {
  test('removes the second factor of an account of a lower role, whose sessions end', async () => {
    const { user } = await protectedUser()
    const admin = await app.make.user({ role: 10 })
    expect(await app.call(contract.secondFactor.clear, { id: user.id }, admin)).toMatchObject({ success: true })
    expect(await app.call(account.self, {}, user)).toMatchObject({ success: false, message: en.not_logged_in })
    expect(await cookieBrowser(app).call(account.login, user)).toMatchObject({ success: true })
    expect(await logOf(user)).toEqual(
      expect.arrayContaining([`${admin.username} removed all second factors and passkeys of ${user.username}`]),
    )
  })

  test('sees in the row of an account whether it has one', async () => {
    const { user } = await protectedUser()
    expect(await app.data(contract.user.get, { id: user.id })).toMatchObject({ second_factor: true })
    expect(await app.data(contract.user.get, { id: (await app.make.user()).id })).toMatchObject({ second_factor: false })
  })

  test('without one may act as such only after setting one up, where the option says so', async () => {
    const admin = await app.make.user({ role: 10 })
    await app.make.token(await app.make.user())
    await app.data(contract.option.update, { key: 'AdminSecondFactorRequired', value: 'true' })
    try {
      const browser = await loggedIn(app, admin)
      expect(await browser.call(contract.user.list, {})).toMatchObject({ success: false, message: en.second_factor_required })
      expect((await browser.call(contract.secondFactor.get, {})).data).toMatchObject({ is_missing: true })
      const { secret } = (await browser.call(contract.secondFactor.beginApp, {})).data
      await browser.call(contract.secondFactor.confirmApp, { code: codeOf(secret) })
      expect(await browser.call(contract.user.list, {})).toMatchObject({ success: true })
      expect((await browser.call(contract.secondFactor.get, {})).data).toMatchObject({ is_missing: false })
    } finally {
      await app.app.store.db.insertInto('second_factors').values({ user_id: app.root.id, is_on: 1 }).execute()
      await app.data(contract.option.update, { key: 'AdminSecondFactorRequired', value: 'false' })
      await app.app.store.db.deleteFrom('second_factors').where('user_id', '=', app.root.id).execute()
    }
  })
})

test('a deleted account leaves no second factor behind', async () => {
  const { user } = await protectedUser()
  await app.data(contract.user.remove, { id: user.id }, await app.make.accessToken(app.root))
  for (const table of ['second_factors', 'recovery_codes', 'passkeys', 'access_tokens', 'sessions'] as const) {
    expect(await app.app.store.db.selectFrom(table).selectAll().where('user_id', '=', user.id).execute()).toEqual([])
  }
})

test('visitors and access tokens see and change no second factor', async () => {
  const { user } = await protectedUser()
  expect(await app.call(contract.secondFactor.get, {}, nobody)).toMatchObject({ success: false })
  expect(await app.call(contract.secondFactor.get, {}, await app.make.accessToken(user))).toMatchObject({
    success: false,
    message: en.session_required,
  })
})
