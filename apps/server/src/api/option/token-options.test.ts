import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, isSecurityOption, nounScopes, type OptionKey, optionKeys, optionRow } from '@sluice/contract'
import { nobody, type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type FakeMailServer, startMailServer } from '../../../test/fake-mail-server.ts'
import { type FakeService, fakeWechat } from '../../../test/fake-services.ts'
import type { Clock } from '../../lib/clock.ts'

// A personal access token with `option:write` configures the gateway. It must not become a login: not of its own account, and without
// `user:credentials` not of any other.

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let app: TestApp
/** The WeChat server of the operator, and one that says that every code is root's. */
let wechat: FakeService
let evilWechat: FakeService
let evilMail: FakeMailServer

beforeAll(async () => {
  wechat = fakeWechat('wechat-token', {})
  evilWechat = fakeWechat('wechat-token', { any: 'wx-root', other: 'wx-user' })
  evilMail = await startMailServer({ isPlain: true })
  app = await testApp({ clock })
  await columns(app.root, { wechat_id: 'wx-root', email: 'root@example.com' })
})
afterAll(async () => {
  await app.close()
  for (const server of [wechat, evilWechat, evilMail]) await server.close()
})
beforeEach(async () => {
  ms += 700_000
  const values = {
    WeChatServerAddress: wechat.url,
    WeChatServerToken: 'wechat-token',
    WeChatAuthEnabled: 'true',
    SMTPServer: 'mail.invalid',
  }
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value })
})

const set = (key: string, value: string, as: Session) => app.call(contract.option.update, { key, value }, as)
const tokenOf = (owner: TestUser, ...scopes: readonly string[]): Promise<Session> => app.make.personalToken(owner, scopes)
const optionNow = async (key: OptionKey) => (await app.data(contract.option.list, {})).find((row) => row.key === key)?.value
const byWechat = (code: string) => app.call(contract.oauth.wechat, { code }, nobody)
const waitingKeys = async () => (await app.data(contract.option.waiting, {})).options.map(({ key }) => key)
const lacking = en.scope_missing.replace('{scope}', 'user:credentials')

async function columns(user: TestUser, values: { readonly [column: string]: string }): Promise<void> {
  await app.app.store.db.updateTable('users').set(values).where('id', '=', user.id).execute()
}

async function confirm(): Promise<void> {
  const { revision } = await app.data(contract.option.waiting, {})
  await app.data(contract.option.confirm, { revision })
}

describe('a personal access token without user:credentials', () => {
  const everything = ['all', 'read', ...nounScopes.filter((scope) => scope !== 'user:credentials')]

  test.each([100, 10])('of role %i changes no option of logins, mail, addresses and networks', async (role) => {
    const owner = await app.make.user({ role })
    for (const scopes of [['option:write'], everything]) {
      const as = await tokenOf(owner, ...scopes)
      for (const key of optionKeys.filter(isSecurityOption)) {
        const { control, fallback } = optionRow(key)
        const value = control === 'switch' ? 'false' : control === 'number' ? '1' : fallback
        expect([key, (await set(key, value, as)).message]).toEqual([key, lacking])
        expect([key, (await app.call(contract.option.update, { key, value: '', clear: true }, as)).message]).toEqual([key, lacking])
      }
    }
    expect(await waitingKeys()).toEqual([])
    expect(await optionNow('WeChatServerAddress')).toBe(wechat.url)
  })

  test('of root cannot make another WeChat server log in as root', async () => {
    const as = await tokenOf(app.root, 'option:write')
    expect((await set('WeChatServerAddress', evilWechat.url, as)).message).toBe(lacking)
    expect((await byWechat('any')).success).toBe(false)
  })

  test('of root cannot have the link for a new password sent by another mail server', async () => {
    const as = await tokenOf(app.root, 'all')
    for (const [key, value] of [
      ['SMTPServer', '127.0.0.1'],
      ['SMTPPort', String(evilMail.port)],
    ] as const)
      expect((await set(key, value, as)).message).toBe(lacking)
    await app.call(contract.verification.requestReset, { email: 'root@example.com' }, nobody)
    expect(evilMail.received).toEqual([])
  })

  test('still changes every other option', async () => {
    const as = await tokenOf(app.root, 'option:write')
    for (const [key, value] of [
      ['RetryTimes', '2'],
      ['Notice', 'Hello'],
      ['ModelRatio', '{"a-model":2}'],
    ] as const)
      expect([key, await set(key, value, as)]).toMatchObject([key, { success: true, data: { is_pending: false, waits: false } }])
  })
})

describe('a personal access token with user:credentials', () => {
  test('of root counts as an administrator: users log in by what it has set at once, root only after root has confirmed it', async () => {
    const user = await app.make.user()
    await columns(user, { wechat_id: 'wx-user' })
    await set('PrivateUpstreamHosts', new URL(evilWechat.url).host, app.root)
    const as = await tokenOf(app.root, 'option:write', 'user:credentials')
    expect(await set('WeChatServerAddress', evilWechat.url, as)).toMatchObject({ success: true, data: { waits: true } })
    await set('WeChatServerToken', 'wechat-token', as)
    expect(await byWechat('other')).toMatchObject({ success: true, data: { id: user.id } })
    expect((await byWechat('any')).message).toBe(en.login_method_unconfirmed.replace('{service}', 'WeChat'))
    await confirm()
    expect(await byWechat('any')).toMatchObject({ success: true, data: { id: app.root.id } })
  })

  test('of root proposes a public address, which is not in force before root has approved it', async () => {
    await set('ServerAddress', 'https://gateway.example', app.root)
    const as = await tokenOf(app.root, 'option:write', 'user:credentials')
    expect(await set('ServerAddress', 'https://other.example', as)).toMatchObject({ success: true, data: { is_pending: true } })
    expect(await optionNow('ServerAddress')).toBe('https://gateway.example')
    await confirm()
    expect(await optionNow('ServerAddress')).toBe('https://other.example')
  })

  test('of root does not confirm an option by saving what an administrator has set', async () => {
    const admin = await app.make.user({ role: 10 })
    await set('SMTPServer', 'mallory.example', admin)
    await set('SMTPServer', 'mallory.example', await tokenOf(app.root, 'option:write', 'user:credentials'))
    expect(await waitingKeys()).toEqual(['SMTPServer'])
  })

  test('of root changes none of the options that are root’s alone', async () => {
    const as = await tokenOf(app.root, 'option:write', 'user:credentials')
    expect((await set('AllowPrivateUpstreams', 'true', as)).message).toBe(en.option_needs_root.replace('{name}', 'AllowPrivateUpstreams'))
  })
})

test('no access token confirms or rejects what is pending super-admin approval', async () => {
  await set('ServerAddress', 'https://mallory.example', await app.make.user({ role: 10 }))
  const { revision } = await app.data(contract.option.waiting, {})
  for (const as of [await tokenOf(app.root, 'all', 'user:credentials'), await app.make.accessToken(app.root)]) {
    expect((await app.call(contract.option.confirm, { revision }, as)).message).toBe(en.session_required)
    expect((await app.call(contract.option.reject, { key: 'ServerAddress', revision }, as)).message).toBe(en.session_required)
  }
  expect(await waitingKeys()).toContain('ServerAddress')
})

test('the system access token of root sets what root may set', async () => {
  const as = await app.make.accessToken(app.root)
  expect(await set('SMTPServer', 'mail.example', as)).toMatchObject({ success: true, data: { waits: false } })
  expect(await set('ServerAddress', 'https://gateway.example', as)).toMatchObject({ success: true, data: { is_pending: false } })
})
