import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, passkeysMax } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type CookieBrowser, cookieBrowser, loggedIn } from '../../../test/cookie-browser.ts'
import { type SoftPasskey, softPasskey } from '../../../test/soft-authenticator.ts'
import type { Clock } from '../../lib/clock.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let app: TestApp

beforeAll(async () => {
  app = await testApp({ clock })
})
afterAll(() => app.close())
/** Each test gets new windows of the limits. */
beforeEach(() => {
  ms += 3_600_000
})

const { account } = contract

/** A page of the server at the name by which passkeys work without https. */
const origin = (): string => app.url.replace('127.0.0.1', 'localhost')
const page = (): CookieBrowser => cookieBrowser(app, { origin: origin() })
const here = () => ({ origin: origin(), host: 'localhost' })

async function signedIn(user: { readonly username: string; readonly password: string }): Promise<CookieBrowser> {
  const browser = await loggedIn(app, user)
  const own = page()
  for (const [name, value] of browser.cookies) own.cookies.set(name, value)
  return own
}

/** Adds a passkey to the account that a browser is logged in to. */
async function add(browser: CookieBrowser, key: SoftPasskey = softPasskey(), name = 'Laptop') {
  const { challenge } = (await browser.call(contract.passkey.begin, {})).data
  return await browser.call(contract.passkey.create, { name, credential: key.attest({ challenge, ...here() }) })
}

interface Owner {
  readonly user: TestUser
  readonly key: SoftPasskey
}

async function owner(key: SoftPasskey = softPasskey()): Promise<Owner> {
  const user = await app.make.user()
  expect(await add(await signedIn(user), key)).toMatchObject({ success: true })
  return { user, key }
}

const challengeIn = async (browser: CookieBrowser, is_second_step = false): Promise<string> =>
  (await browser.call(contract.passkey.beginLogin, { is_second_step })).data.challenge

type AssertOptions = Partial<Parameters<SoftPasskey['assert']>[0]>

async function logIn(key: SoftPasskey, options: AssertOptions = {}, browser = page()) {
  const challenge = await challengeIn(browser)
  return await browser.call(contract.passkey.login, { credential: key.assert({ challenge, ...here(), ...options }) })
}

describe('a passkey', () => {
  test('is added with a name, listed, renamed, and removed', async () => {
    const user = await app.make.user()
    const browser = await signedIn(user)
    const added = await add(browser, softPasskey(), ' Phone ')
    expect(added.data).toEqual({
      id: expect.any(Number),
      name: 'Phone',
      host: 'localhost',
      created_time: Math.floor(ms / 1000),
      used_time: 0,
    })
    expect((await browser.call(contract.passkey.list, {})).data).toEqual([added.data])
    await browser.call(contract.passkey.rename, { id: added.data.id, name: 'Old phone' })
    expect((await browser.call(contract.passkey.list, {})).data).toMatchObject([{ name: 'Old phone' }])
    expect(await browser.call(contract.passkey.remove, { id: added.data.id })).toMatchObject({ success: true })
    expect((await browser.call(contract.passkey.list, {})).data).toEqual([])
  })

  test('logs in without name and password, as one step', async () => {
    const { user, key } = await owner()
    const browser = page()
    expect(await logIn(key, {}, browser)).toMatchObject({ success: true, data: { id: user.id, username: user.username } })
    expect((await browser.call(contract.session.list, {})).data[0]).toMatchObject({ is_current: true, way: 'passkey' })
    expect((await browser.call(contract.passkey.list, {})).data).toMatchObject([{ used_time: Math.floor(ms / 1000) }])
  })

  test('that vouches for itself is added, and one that a manufacturer vouches for is refused before its certificates are read', async () => {
    const browser = await signedIn(await app.make.user())
    const create = async (attestation: AssertOptions['attestation'] = 'self') => {
      const { challenge } = (await browser.call(contract.passkey.begin, {})).data
      const credential = softPasskey().attest({ challenge, ...here(), attestation })
      return await browser.call(contract.passkey.create, { name: 'Key', credential })
    }
    expect(await create()).toMatchObject({ success: true })
    const pem = await Bun.file(new URL('../../../test/fixtures/localhost-certificate.pem', import.meta.url)).text()
    const certificates = [Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64')]
    for (const format of ['packed', 'fido-u2f', 'android-key', 'android-safetynet', 'tpm', 'apple', 'unknown'])
      expect([format, await create({ format, certificates })]).toMatchObject([format, { success: false, message: en.passkey_rejected }])
  })

  test('that does not verify the person is refused as the only step', async () => {
    const { key } = await owner()
    expect(await logIn(key, { isVerified: false })).toMatchObject({ success: false, message: en.passkey_unverified })
  })

  test('is refused with the challenge, the origin, the host or the kind of another response', async () => {
    const { key } = await owner()
    const other = await challengeIn(page())
    for (const options of [
      { challenge: other },
      { challenge: 'bm9uc2Vuc2U' },
      { origin: 'http://localhost.evil.example' },
      { origin: `${origin()}0` },
      { host: 'evil.example' },
      { type: 'webauthn.create' },
    ]) {
      expect([options, await logIn(key, options)]).toMatchObject([options, { success: false, message: en.passkey_rejected }])
    }
    expect(await logIn(key)).toMatchObject({ success: true })
  })

  test('is refused if its response is sent again, in the same browser or in another', async () => {
    const { key } = await owner()
    const browser = page()
    const credential = key.assert({ challenge: await challengeIn(browser), ...here() })
    expect(await browser.call(contract.passkey.login, { credential })).toMatchObject({ success: true })
    expect(await browser.call(contract.passkey.login, { credential })).toMatchObject({ success: false, message: en.passkey_rejected })
    const stolen = key.assert({ challenge: await challengeIn(browser), ...here() })
    const thief = page()
    await challengeIn(thief)
    expect(await thief.call(contract.passkey.login, { credential: stolen })).toMatchObject({
      success: false,
      message: en.passkey_rejected,
    })
  })

  test('logs in once if its response comes twice at the same time', async () => {
    const { key } = await owner()
    const browser = page()
    const credential = key.assert({ challenge: await challengeIn(browser), ...here() })
    const responses = await Promise.all([1, 2, 3].map(() => browser.call(contract.passkey.login, { credential })))
    expect(responses.filter(({ success }) => success)).toHaveLength(1)
  })

  test('is refused if its counter does not grow, which is written into the log', async () => {
    const { user, key } = await owner()
    expect(await logIn(key, { counter: 7 })).toMatchObject({ success: true })
    for (const counter of [7, 6, 0]) expect(await logIn(key, { counter })).toMatchObject({ success: false, message: en.passkey_counter })
    expect(await logIn(key, { counter: 8 })).toMatchObject({ success: true })
    const texts = (await app.data(contract.log.list, { username: user.username })).map(({ content }) => content)
    expect(texts.filter((text) => text.includes('counter did not increase'))).toHaveLength(3)
  })

  test('that does not count may log in again and again', async () => {
    const { key } = await owner(softPasskey(false))
    for (let login = 0; login < 3; login++) expect(await logIn(key)).toMatchObject({ success: true })
  })

  test('with a changed signature, or of another key, is refused', async () => {
    const { key } = await owner()
    const browser = page()
    const response = key.assert({ challenge: await challengeIn(browser), ...here() })
    const forged = softPasskey().assert({ challenge: await challengeIn(browser), ...here() })
    const credential = { ...response, response: { ...response.response, signature: forged.response.signature } }
    expect(await browser.call(contract.passkey.login, { credential })).toMatchObject({ success: false, message: en.passkey_rejected })
    expect(await logIn(softPasskey())).toMatchObject({ success: false, message: en.passkey_unknown })
  })

  test('of a banned account does not log in', async () => {
    const { user, key } = await owner()
    await app.data(contract.user.manage, { username: user.username, action: 'disable' })
    expect(await logIn(key)).toMatchObject({ success: false, message: en.user_banned })
  })

  test('belongs to one account, and its challenge to one account and browser', async () => {
    const { key } = await owner()
    const bob = await signedIn(await app.make.user())
    expect(await add(bob, key)).toMatchObject({ success: false, message: en.passkey_already_registered })
    const ann = await signedIn(await app.make.user())
    const { challenge } = (await ann.call(contract.passkey.begin, {})).data
    const credential = softPasskey().attest({ challenge, ...here() })
    expect(await bob.call(contract.passkey.create, { name: 'x', credential })).toMatchObject({
      success: false,
      message: en.passkey_rejected,
    })
    // In the browser of Ann, but for another account that has logged in there since.
    const other = await app.make.user()
    ann.cookies.set('session', other.headers['cookie']?.split('=')[1] ?? '')
    await app.app.store.db
      .updateTable('sessions')
      .set({ created_at: Math.floor(ms / 1000) })
      .execute()
    const again = softPasskey().attest({ challenge, ...here() })
    expect(await ann.call(contract.passkey.create, { name: 'x', credential: again })).toMatchObject({
      success: false,
      message: en.passkey_rejected,
    })
  })

  test('is not added with a challenge of a login, and a login not completed with one of a new passkey', async () => {
    const { user, key } = await owner()
    const browser = await signedIn(user)
    const forLogin = await challengeIn(browser)
    const added = { name: 'x', credential: softPasskey().attest({ challenge: forLogin, ...here() }) }
    expect(await browser.call(contract.passkey.create, added)).toMatchObject({ success: false, message: en.passkey_rejected })
    const { challenge } = (await browser.call(contract.passkey.begin, {})).data
    const credential = key.assert({ challenge, ...here() })
    expect(await browser.call(contract.passkey.login, { credential })).toMatchObject({ success: false, message: en.passkey_rejected })
  })

  test('of another account is neither renamed nor removed', async () => {
    const { user } = await owner()
    const [row] = await app.data(contract.passkey.list, {}, (await signedIn(user)).session())
    for (const stranger of [await signedIn(await app.make.user()), await signedIn(await app.make.user({ role: 100 }))]) {
      const id = row?.id ?? 0
      expect(await stranger.call(contract.passkey.rename, { id, name: 'mine' })).toMatchObject({
        success: false,
        message: en.no_such_passkey,
      })
      expect(await stranger.call(contract.passkey.remove, { id })).toMatchObject({ success: false, message: en.no_such_passkey })
    }
  })

  test('is refused at addresses where browsers know none', async () => {
    const user = await app.make.user()
    for (const wrong of [app.url, 'http://gateway.example', 'null']) {
      const browser = cookieBrowser(app, { origin: wrong })
      browser.cookies.set('session', (await loggedIn(app, user)).cookies.get('session') ?? '')
      const response = await browser.call(contract.passkey.begin, {}, { 'sec-fetch-site': 'same-origin' })
      expect(response).toMatchObject({ success: false, message: en.passkey_host })
    }
  })

  test('needs a login of the last ten minutes to be added or removed, and an account has a limited number', async () => {
    const user = await app.make.user()
    const browser = await signedIn(user)
    for (let number = 0; number < passkeysMax; number++) expect(await add(browser)).toMatchObject({ success: true })
    expect(await browser.call(contract.passkey.begin, {})).toMatchObject({ success: false })
    const [row] = (await browser.call(contract.passkey.list, {})).data
    ms += 700_000
    expect(await browser.call(contract.passkey.begin, {})).toMatchObject({ success: false, message: en.reauthentication_required })
    expect(await browser.call(contract.passkey.remove, { id: row.id })).toMatchObject({
      success: false,
      message: en.reauthentication_required,
    })
  })
})

describe('a passkey as second factor', () => {
  async function protectedOwner(): Promise<Owner & { readonly recovery: readonly string[] }> {
    const { user, key } = await owner()
    const browser = await signedIn(user)
    const { recovery_codes } = (await browser.call(contract.secondFactor.update, { is_on: true })).data
    return { user, key, recovery: recovery_codes }
  }

  async function begun(user: TestUser): Promise<CookieBrowser> {
    const browser = page()
    expect(await browser.call(account.login, user)).toMatchObject({ success: false, second_step: 'code,passkey' })
    return browser
  }

  test('completes a login by password, also without verifying the person, and a recovery code replaces it', async () => {
    const { user, key, recovery } = await protectedOwner()
    const browser = await begun(user)
    const { data: options } = await browser.call(contract.passkey.beginLogin, { is_second_step: true })
    expect(options.allowCredentials).toMatchObject([{ id: key.id }])
    const credential = key.assert({ challenge: options.challenge, ...here(), isVerified: false })
    expect(await browser.call(contract.passkey.login, { credential })).toMatchObject({ success: true, data: { id: user.id } })
    expect((await browser.call(contract.session.list, {})).data[0]).toMatchObject({ way: 'password,passkey' })
    expect(recovery).toHaveLength(10)
    expect(await (await begun(user)).call(contract.secondFactor.login, { code: recovery[0] ?? '' })).toMatchObject({ success: true })
  })

  test('of another account does not complete it', async () => {
    const [{ user }, stranger] = [await protectedOwner(), await owner()]
    const browser = await begun(user)
    const challenge = await challengeIn(browser, true)
    const credential = stranger.key.assert({ challenge, ...here() })
    expect(await browser.call(contract.passkey.login, { credential })).toMatchObject({ success: false, message: en.passkey_rejected })
    expect(browser.cookies.has('session')).toBe(false)
  })

  test('is not requested without a first factor', async () => {
    await protectedOwner()
    expect(await page().call(contract.passkey.beginLogin, { is_second_step: true })).toMatchObject({
      success: false,
      message: en.two_factor_login_expired,
    })
  })

  test('turns it off when the last one is removed, and cannot turn it on without any', async () => {
    const { user, key } = await protectedOwner()
    const browser = page()
    await logIn(key, {}, browser)
    const [row] = (await browser.call(contract.passkey.list, {})).data
    await browser.call(contract.passkey.remove, { id: row.id })
    expect((await browser.call(contract.secondFactor.get, {})).data).toMatchObject({ is_on: false, recovery_codes: 0 })
    expect(await browser.call(contract.secondFactor.update, { is_on: true })).toMatchObject({
      success: false,
      message: en.second_factor_missing,
    })
    expect(await page().call(account.login, user)).toMatchObject({ success: true })
  })
})
