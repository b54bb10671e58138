import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, type OptionKey, optionKeys, optionRow, reliantsOf } from '@sluice/contract'
import { nobody, type TestApp, type TestUser, testApp } from '../../../test/app.ts'

// An administrator of role 10 may write most options. None of them may lock root out, weaken what protects root, or show people another
// address of this server before root has agreed.

let app: TestApp
let mallory: TestUser
let other: TestUser
beforeAll(async () => {
  app = await testApp()
  mallory = await app.make.user({ role: 10 })
  other = await app.make.user({ role: 10 })
})
afterAll(() => app.close())
beforeEach(async () => {
  for (const [key, value] of Object.entries({
    ...{ ServerAddress: 'https://gateway.example', ChatLink: 'https://chat.example' },
    ...{ PasswordLoginEnabled: 'true', AdminSecondFactorRequired: 'false' },
  }))
    await app.data(contract.option.update, { key, value })
})

const put = (key: string, value: string, as = mallory) => app.call(contract.option.update, { key, value }, as)
const stored = async (key: string) => (await app.data(contract.option.list, {}, other)).find((row) => row.key === key)?.value
const detailsFor = async (key: string, as: TestUser) =>
  (await app.data(contract.option.details, {}, as)).options.find((row) => row.key === key)
const waiting = () => app.data(contract.option.waiting, {})

describe('a public address and a chat link of an administrator', () => {
  test('are shown to nobody but root and whoever proposed them, until root approves them', async () => {
    const response = await put('ServerAddress', 'https://mallory.example')
    expect(response).toMatchObject({ success: true, message: en.option_pending, data: { waits: true, is_pending: true } })
    await put('ChatLink', 'https://mallory.example/chat')
    expect(await app.data(contract.status.get, {}, nobody)).toMatchObject({
      server_address: 'https://gateway.example',
      chat_link: 'https://chat.example',
    })
    expect(await stored('ServerAddress')).toBe('https://gateway.example')
    for (const call of [contract.option.list, contract.option.details, contract.status.get] as const)
      expect(JSON.stringify(await app.data(call, {}, other))).not.toContain('mallory.example')
    const logs = await app.data(contract.log.list, {}, other)
    const history = await app.data(contract.option.history, { key: 'ServerAddress' }, other)
    expect(JSON.stringify([logs, history])).not.toContain('mallory.example')
    expect(logs[0]?.content).toContain('proposed a value of the option ChatLink')
    for (const user of [mallory, app.root])
      expect(await detailsFor('ServerAddress', user)).toMatchObject({ is_pending: true, pending_value: 'https://mallory.example' })
    expect(await detailsFor('ServerAddress', other)).toMatchObject({ is_pending: true, pending_value: '' })
    const { options, revision } = await waiting()
    expect(options).toEqual([
      { key: 'ServerAddress', value: 'https://mallory.example', is_secret: false, is_pending: true, in_force: 'https://gateway.example' },
      { key: 'ChatLink', value: 'https://mallory.example/chat', is_secret: false, is_pending: true, in_force: 'https://chat.example' },
    ])
    await app.data(contract.option.confirm, { revision })
    expect(await app.data(contract.status.get, {}, nobody)).toMatchObject({
      server_address: 'https://mallory.example',
      chat_link: 'https://mallory.example/chat',
    })
    expect(await detailsFor('ServerAddress', mallory)).toMatchObject({ waits: false, is_pending: false, pending_value: '' })
    const [change] = await app.data(contract.option.history, { key: 'ServerAddress' })
    expect(change).toMatchObject({ changed_by: app.root.username, after: { value: 'https://mallory.example' } })
  })

  test('are dropped when root rejects them', async () => {
    await put('ServerAddress', 'https://mallory.example')
    const { revision } = await waiting()
    expect((await app.call(contract.option.reject, { key: 'ServerAddress', revision }, mallory)).message).toBe(en.permission_denied)
    await app.data(contract.option.reject, { key: 'ServerAddress', revision })
    expect((await waiting()).options).toEqual([])
    expect(await stored('ServerAddress')).toBe('https://gateway.example')
    expect((await app.call(contract.option.reject, { key: 'ServerAddress', revision })).message).toBe(en.pending_options_changed)
    expect((await app.data(contract.log.list, {}))[0]?.content).toContain('rejected the proposed value of the option ServerAddress')
  })

  test('are approved and rejected only as they were shown', async () => {
    await put('ServerAddress', 'https://one.example')
    const { revision } = await waiting()
    await put('ServerAddress', 'https://two.example', other)
    for (const response of [
      await app.call(contract.option.confirm, { revision }),
      await app.call(contract.option.reject, { key: 'ServerAddress', revision }),
    ])
      expect(response.message).toBe(en.pending_options_changed)
    expect(await detailsFor('ServerAddress', mallory)).toMatchObject({ is_pending: true, pending_value: '' })
    expect(await stored('ServerAddress')).toBe('https://gateway.example')
  })

  test('no longer wait after root has set one, or after the present one is proposed', async () => {
    await put('ServerAddress', 'https://mallory.example')
    await put('ServerAddress', 'https://root.example', app.root)
    expect([await stored('ServerAddress'), (await waiting()).options]).toEqual(['https://root.example', []])
    await put('ServerAddress', 'https://mallory.example')
    expect(await put('ServerAddress', 'https://root.example')).toMatchObject({ success: true, data: { is_pending: false } })
    expect((await waiting()).options).toEqual([])
  })

  test('still wait after they were read from the database again, as another process does', async () => {
    await put('ChatLink', 'https://mallory.example')
    const row = app.app.store.db.selectFrom('options').selectAll().where('key', '=', 'ChatLink')
    expect(await row.executeTakeFirst()).toMatchObject({
      value: 'https://chat.example',
      pending: 'https://mallory.example',
      set_by_role: 100,
    })
  })
})

test('login by password stays on until root has approved that it goes off, so root can always log in', async () => {
  await put('PasswordLoginEnabled', 'false')
  const root = { username: app.root.username, password: app.root.password }
  expect(await app.call(contract.account.login, root, nobody)).toMatchObject({ success: true })
  const { revision } = await waiting()
  await app.data(contract.option.confirm, { revision })
  expect((await app.call(contract.account.login, root, nobody)).message).toBe(en.login_disabled)
  // What is left to log in by is root's then.
  expect((await put('OidcClientId', 'another')).message).toBe(en.option_needs_root.replace('{name}', 'OidcClientId'))
  expect(await put('PasswordLoginEnabled', 'true')).toMatchObject({ success: true })
  expect(await app.call(contract.account.login, root, nobody)).toMatchObject({ success: true })
})

test('the second factor of administrators stays required until root has approved that it is not', async () => {
  await put('AdminSecondFactorRequired', 'true', app.root)
  await app.app.store.db.insertInto('second_factors').values({ user_id: mallory.id, is_on: 1 }).execute()
  await app.app.store.db.insertInto('second_factors').values({ user_id: app.root.id, is_on: 1 }).execute()
  expect(await put('AdminSecondFactorRequired', 'false')).toMatchObject({ success: true, message: en.option_pending })
  expect((await app.call(contract.option.list, {}, other)).message).toBe(en.second_factor_required)
  const { revision } = await waiting()
  await app.data(contract.option.confirm, { revision })
  expect(await app.call(contract.option.list, {}, other)).toMatchObject({ success: true })
})

test('the second factor of administrators is switched on by root, or by an administrator who has one', async () => {
  const admin = await app.make.user({ role: 10 })
  const key = 'AdminSecondFactorRequired'
  for (const as of [admin, await app.make.accessToken(admin)])
    expect((await put(key, 'true', { ...admin, ...as })).message).toBe(en.option_needs_own_factor.replace('{name}', key))
  expect(await stored(key)).toBe('false')
  await app.app.store.db.insertInto('second_factors').values({ user_id: admin.id, is_on: 1 }).execute()
  expect(await put(key, 'true', admin)).toMatchObject({ success: true })
  expect((await app.call(contract.option.list, {}, other)).message).toBe(en.second_factor_required)
})

/**
 * What happens when an administrator of role 10 changes an option that matters for security:
 * - `root only`: it is refused
 * - `approval`: the former value stays in force until root approves the new one
 * - `approval to switch off`: the same, but it can be switched on at once
 * - `confirmation`: it is in force at once for users; nobody of role 10 or higher can log in or be recovered by what relies on it
 */
type SetterRule = 'root only' | 'approval' | 'approval to switch off' | 'confirmation'

/** All other options are in force at once: they are about prices, limits, texts, and who may register an ordinary account. */
const setterRules: ReadonlyArray<readonly [OptionKey | RegExp, SetterRule]> = [
  ['AllowPrivateUpstreams', 'root only'],
  ['PrivateUpstreamHosts', 'root only'],
  ['ServerAddress', 'approval'],
  ['ChatLink', 'approval'],
  ['PasswordLoginEnabled', 'approval to switch off'],
  ['AdminSecondFactorRequired', 'approval to switch off'],
  ['GitHubOAuthEnabled', 'approval to switch off'],
  ['GoogleOAuthEnabled', 'approval to switch off'],
  ['OidcEnabled', 'approval to switch off'],
  ['WeChatAuthEnabled', 'approval to switch off'],
  // Ways to log in, to recover an account, and messages to root. A changed one cannot lock root out while root has a password.
  [/^(?:GitHub(?:ClientId|ClientSecret|Organizations)|Google(?:ClientId|ClientSecret|HostedDomains))$/, 'confirmation'],
  [/^Oidc(?:Issuer|ClientId|ClientSecret|Groups|GroupsClaim)$|^Lark|^WeChat(?!AuthEnabled)|^OAuth/, 'confirmation'],
  [/^SMTP|^EmailDomain|^MessagePusher/, 'confirmation'],
  // Login by password never asks for the bot check, so a broken one locks nobody out.
  [/^Turnstile/, 'confirmation'],
]

const samples: Readonly<Record<string, string>> = {
  SMTPPort: '2525',
  SMTPFrom: 'a@example.com',
  ServerAddress: 'https://a.example',
  OidcIssuer: 'https://a.example',
  WeChatServerAddress: 'https://a.example',
  WeChatAccountQRCodeImageURL: 'https://a.example/qr.png',
  MessagePusherAddress: 'https://a.example',
  ChatLink: 'https://a.example',
  EmailDomainWhitelist: 'a.example',
  OAuthMailDomains: 'a.example',
  GoogleHostedDomains: 'a.example',
  PrivateUpstreamHosts: '10.0.0.1',
}

const ruleFor = (key: OptionKey) => setterRules.find(([name]) => (typeof name === 'string' ? name === key : name.test(key)))?.[1]

test('every other option is marked as one of no such rule', () => {
  const marked = optionKeys.filter(
    (key) => reliantsOf(key).length > 0 || optionRow(key).approval !== undefined || optionRow(key).isRootOnly === true,
  )
  expect(marked.toSorted()).toEqual(optionKeys.filter((key) => ruleFor(key) !== undefined).toSorted())
})

describe('an administrator of role 10 who changes', () => {
  let fresh: TestApp
  let admin: TestUser
  beforeAll(async () => {
    fresh = await testApp({ storedOptions: { GitHubClientId: 'a', GoogleClientId: 'a', OidcClientId: 'a' } })
    admin = await fresh.make.user({ role: 10 })
    // One of the switches asks for them.
    for (const { id } of [admin, fresh.root])
      await fresh.app.store.db.insertInto('second_factors').values({ user_id: id, is_on: 1 }).execute()
    for (const [key, value] of Object.entries(samples)) await set(key, value, fresh.root)
    for (const key of ['GitHubClientSecret', 'GoogleClientSecret', 'OidcClientSecret', 'TurnstileSecretKey', 'TurnstileSiteKey'])
      await set(key, 'a', fresh.root)
  })
  afterAll(() => fresh.close())

  const set = (key: string, value: string, as: TestUser) => fresh.call(contract.option.update, { key, value }, as)
  const valueNow = async (key: OptionKey) => (await fresh.data(contract.option.list, {})).find((row) => row.key === key)?.value

  /** `null` = it is in force at once, whatever relies on it. */
  async function ruleOf(key: OptionKey, value: string): Promise<SetterRule | null> {
    const before = await valueNow(key)
    const response = await set(key, value, admin)
    if (!response.success) {
      expect([key, response.message]).toEqual([key, en.option_needs_root.replace('{name}', key)])
      return 'root only'
    }
    if (!response.data.is_pending) return response.data.waits ? 'confirmation' : null
    expect([key, await valueNow(key)]).toEqual([key, before])
    return 'approval'
  }

  async function ruleOfSwitch(key: OptionKey): Promise<SetterRule | null> {
    await set(key, 'true', fresh.root)
    const off = await ruleOf(key, 'false')
    await set(key, 'false', fresh.root)
    const on = await ruleOf(key, 'true')
    await set(key, optionRow(key).fallback, fresh.root)
    return off === 'approval' && on !== 'approval' ? 'approval to switch off' : off
  }

  for (const key of optionKeys) {
    const rule = ruleFor(key)
    if (rule === undefined) continue
    const { control } = optionRow(key)
    const value = (samples[key] ?? 'b').replace('a.example', 'b.example').replace('a@', 'b@').replace('2525', '2526')
    test(`${key}: ${rule}`, async () => expect(await (control === 'switch' ? ruleOfSwitch(key) : ruleOf(key, value))).toBe(rule))
  }
})
