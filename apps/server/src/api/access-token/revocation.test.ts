import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { nobody, type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { appCode } from '../../../test/app-code.ts'
import { until } from '../../../test/channel-scene.ts'
import { type CookieBrowser, cookieBrowser, loggedIn } from '../../../test/cookie-browser.ts'
import { type FakeMailServer, startMailServer } from '../../../test/fake-mail-server.ts'
import { softPasskey } from '../../../test/soft-authenticator.ts'
import type { Clock } from '../../lib/clock.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let mail: FakeMailServer
let app: TestApp
beforeAll(async () => {
  mail = await startMailServer({ isPlain: true })
  app = await testApp({ clock, env: { RATE_LIMITS: 'api=off,mail=off,reset=off,login=off,bind=off' } })
  const options = { SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'a@example.com', ServerAddress: 'https://a.example' }
  for (const [key, value] of Object.entries(options)) await app.data(contract.option.update, { key, value })
})
afterAll(async () => {
  await app.close()
  await mail.close()
})
/** Each test gets new windows of the limits. */
beforeEach(() => {
  ms += 3_600_000
})

const { account, passkey, secondFactor, session, user, verification } = contract
const newPassword = 'another good password'

/** Whether a caller is still let in. */
const isIn = async (as: Session): Promise<boolean> => (await app.call(account.self, {}, as)).success
const textsOf = async ({ username }: TestUser): Promise<readonly string[]> =>
  (await app.data(contract.log.list, { username })).map(({ content }) => content)

interface Person {
  readonly person: TestUser
  /** The browser in which the owner acts. */
  readonly browser: CookieBrowser
}

interface Way {
  /** What the account has before. */
  readonly prepare?: (owner: Person) => Promise<unknown>
  readonly act: (owner: Person, choice: { readonly revoke_access_tokens?: boolean }) => Promise<unknown>
  /** Whether the owner acts, whose session stays. */
  readonly isOwn: boolean
}

async function addApp({ browser }: Person): Promise<void> {
  const { secret } = (await browser.call(secondFactor.beginApp, {})).data
  const code = appCode(secret, ms)
  expect(await browser.call(secondFactor.confirmApp, { code })).toMatchObject({ success: true })
}

async function addPasskey({ browser }: Person): Promise<void> {
  const origin = app.url.replace('127.0.0.1', 'localhost')
  const page = cookieBrowser(app, { origin })
  for (const [name, value] of browser.cookies) page.cookies.set(name, value)
  const { challenge } = (await page.call(passkey.begin, {})).data
  const credential = softPasskey().attest({ challenge, origin, host: 'localhost' })
  expect(await page.call(passkey.create, { name: 'Laptop', credential })).toMatchObject({ success: true })
}

async function resetByMail({ person }: Person, choice: object): Promise<unknown> {
  const email = `${person.id}@example.com`
  await app.app.store.db.updateTable('users').set({ email }).where('id', '=', person.id).execute()
  const before = mail.received.length
  await app.data(verification.requestReset, { email, turnstile: '' }, nobody)
  const token = /token=([\da-f]{32})/.exec((await mail.mail(before)).text)?.[1] ?? ''
  return await app.call(verification.reset, { email, token, ...choice }, nobody)
}

const ways: Readonly<Record<string, Way>> = {
  'a new password by its owner': {
    isOwn: true,
    act: async ({ browser }, choice) => await browser.call(account.updateSelf, { password: newPassword, ...choice }),
  },
  'a new password by an administrator': {
    isOwn: false,
    act: async ({ person: { id } }, choice) => await app.call(user.update, { id, password: newPassword, ...choice }),
  },
  'a new password by mail': { isOwn: false, act: resetByMail },
  'a ban': {
    isOwn: false,
    act: async ({ person: { username } }, choice) => {
      const banned = await app.call(user.manage, { username, action: 'disable', ...choice })
      await app.data(user.manage, { username, action: 'enable' })
      return banned
    },
  },
  // Its tokens would have an administrator's rights.
  'a promotion': {
    isOwn: false,
    act: async ({ person: { username } }, choice) => await app.call(user.manage, { username, action: 'promote', ...choice }),
  },
  'a second factor that an administrator removes': {
    isOwn: false,
    prepare: addApp,
    act: async ({ person: { id } }, choice) => await app.call(secondFactor.clear, { id, ...choice }),
  },
  'a second step that its owner turns off': {
    isOwn: true,
    prepare: addApp,
    act: async ({ browser }, choice) => await browser.call(secondFactor.update, { is_on: false, ...choice }),
  },
  'an authenticator app that its owner removes': {
    isOwn: true,
    prepare: addApp,
    act: async ({ browser }, choice) => await browser.call(secondFactor.removeApp, { ...choice }),
  },
  'a passkey that its owner removes': {
    isOwn: true,
    prepare: addPasskey,
    act: async ({ browser }, choice) => {
      const [{ id }] = (await browser.call(passkey.list, {})).data
      return await browser.call(passkey.remove, { id, ...choice })
    },
  },
}

describe('the access that an account has given', () => {
  for (const [name, { prepare, act, isOwn }] of Object.entries(ways)) {
    const scene = async () => {
      const person = await app.make.user()
      const owner = { person, browser: await loggedIn(app, person) }
      await prepare?.(owner)
      const intruder = await app.make.accessToken(person)
      return { owner, intruders: [intruder, await app.make.personalToken(person, ['all'])], otherSession: person }
    }

    test(`ends with ${name}: other sessions, and access tokens of both kinds`, async () => {
      const { owner, intruders, otherSession } = await scene()
      expect(await Promise.all([...intruders, otherSession].map(isIn))).toEqual([true, true, true])
      expect(await act(owner, {})).toMatchObject({ success: true })
      expect(await Promise.all([...intruders, otherSession].map(isIn))).toEqual([false, false, false])
      expect(await isIn(owner.browser.session())).toBe(isOwn)
      expect((await textsOf(owner.person)).join('\n')).toContain(`revoked all access tokens of ${owner.person.username} (2)`)
    })

    test(`ends with ${name} without the access tokens, if they are to stay`, async () => {
      const { owner, intruders, otherSession } = await scene()
      expect(await act(owner, { revoke_access_tokens: false })).toMatchObject({ success: true })
      expect(await Promise.all([...intruders, otherSession].map(isIn))).toEqual([true, true, false])
      expect((await textsOf(owner.person)).join('\n')).not.toContain('revoked all access tokens')
    })
  }

  test('stays where another field of the account is changed', async () => {
    const person = await app.make.user()
    const as = await app.make.personalToken(person, ['all'])
    await app.data(account.updateSelf, { display_name: 'Ann', password: '' }, person)
    await app.data(user.update, { id: person.id, display_name: 'Anna', password: '' })
    await app.data(secondFactor.update, { is_on: false }, person)
    expect([await isIn(as), await isIn(person)]).toEqual([true, true])
  })
})

describe('the system access token', () => {
  test('is listed with its creation and last use, and can be revoked', async () => {
    const person = await app.make.user()
    const listed = async () => (await app.data(contract.accessToken.list, {}, person)).system
    expect(await listed()).toBeNull()
    const as = { headers: { authorization: await app.data(account.accessToken, {}, person) } }
    const created_time = ms / 1000
    expect(await listed()).toEqual({ created_time, used_time: 0 })
    ms += 400_000
    expect(await isIn(as)).toBe(true)
    await until(listed, (token) => Bun.deepEquals(token, { created_time, used_time: ms / 1000 }))
    expect(await app.call(contract.account.removeAccessToken, {}, as)).toMatchObject({ success: false, message: en.session_required })
    await app.data(contract.account.removeAccessToken, {}, person)
    expect([await listed(), await isIn(as)]).toEqual([null, false])
    expect(await textsOf(person)).toContain(`${person.username} revoked the system access token of ${person.username}`)
    expect(await app.call(account.removeAccessToken, {}, person)).toMatchObject({ success: false, message: en.no_such_access_token })
  })

  test('keeps every right of its account, as programs of the family expect', async () => {
    const root = await app.make.user({ role: 100 })
    const as = await app.make.accessToken(root)
    const other = await app.make.user()
    await app.data(user.update, { id: other.id, password: newPassword }, as)
    await app.data(user.manage, { username: other.username, action: 'promote' }, as)
    expect((await app.data(contract.token.create, { name: 'x', remain_quota: 1, expired_time: -1 }, as)).key).not.toBe('')
    expect((await app.data(contract.token.list, {}, as))[0]?.key).not.toBe('')
  })
})

describe('an administrator', () => {
  test('lists and revokes the access tokens of both kinds of an account of a lower role', async () => {
    const [admin, person] = [await app.make.user({ role: 10 }), await app.make.user()]
    const [system, personal] = [await app.make.accessToken(person), await app.make.personalToken(person, ['log:read', 'token:keys'])]
    const { rows, system: systemToken } = await until(
      () => app.data(contract.user.accessTokens, { id: person.id }, admin),
      (tokens) => tokens.system?.used_time === ms / 1000 && tokens.rows[0]?.used_time === ms / 1000,
    )
    expect(systemToken).toEqual({ created_time: 0, used_time: ms / 1000 })
    expect(rows).toMatchObject([{ name: 'test', scopes: ['log:read', 'token:keys'], used_time: ms / 1000 }])
    expect(JSON.stringify(rows)).not.toContain('slp_')
    const [{ id } = { id: 0 }] = rows
    expect(await app.call(contract.user.removeAccessToken, { id: admin.id, token: id }, app.root)).toMatchObject({ success: false })
    await app.data(contract.user.removeAccessToken, { id: person.id, token: id }, admin)
    expect([await isIn(system), await isIn(personal)]).toEqual([true, false])
    await app.data(contract.user.removeAccessToken, { id: person.id, token: 'system' }, admin)
    expect(await isIn(system)).toBe(false)
    expect(await app.data(contract.user.accessTokens, { id: person.id }, admin)).toEqual({ rows: [], system: null })
    const texts = await textsOf(person)
    expect(texts).toContain(`${admin.username} removed the personal access token "test" of ${person.username}`)
    expect(texts).toContain(`${admin.username} revoked the system access token of ${person.username}`)
  })
})

describe('the own account', () => {
  test('is deleted or renamed only after a login of the last ten minutes, and with no access token', async () => {
    const person = await app.make.user()
    const tokens = [await app.make.personalToken(person, ['all']), await app.make.accessToken(person)]
    const rename = { username: `${person.username}-new`, password: '' }
    for (const as of tokens) {
      expect(await app.call(account.removeSelf, {}, as)).toMatchObject({ success: false, message: en.session_required })
      expect(await app.call(account.updateSelf, rename, as)).toMatchObject({ success: false, message: en.session_required })
      // What stays the same, and the shown name, need neither.
      expect(await app.call(account.updateSelf, { username: person.username, display_name: 'Ann' }, as)).toMatchObject({ success: true })
    }
    ms += 700_000
    expect(await app.call(account.removeSelf, {}, person)).toMatchObject({ success: false, message: en.reauthentication_required })
    expect(await app.call(account.updateSelf, rename, person)).toMatchObject({ success: false, message: en.reauthentication_required })
    expect(await app.call(account.updateSelf, { ...rename, current_password: 'wrong' }, person)).toMatchObject({
      success: false,
      message: en.current_password_wrong,
    })
    expect(await app.call(account.updateSelf, { ...rename, current_password: person.password }, person)).toMatchObject({ success: true })
    const browser = await loggedIn(app, { username: rename.username, password: person.password })
    expect((await browser.call(session.list, {})).data.length).toBeGreaterThan(1)
    expect(await browser.call(account.removeSelf, {})).toMatchObject({ success: true })
    expect(await isIn(person)).toBe(false)
  })
})
