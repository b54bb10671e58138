import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, optionKeys, optionRow, type Reliant, reliantsOf } from '@sluice/contract'
import { nobody, type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type FakeMailServer, startMailServer } from '../../../test/fake-mail-server.ts'
import { type FakeProvider, type FakeService, fakeGithub, fakeLark, fakeWechat } from '../../../test/fake-services.ts'
import type { Clock } from '../../lib/clock.ts'

// An administrator of role 10 may write every option. Options that prove an identity or carry its messages must not become a way to
// root or to other administrators.

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let app: TestApp
/** The mail server, whose mails the attacker reads once the options name it. */
let mail: FakeMailServer
let github: FakeProvider
let lark: FakeProvider
let wechat: FakeService
const wechatOwners: Record<string, string> = {}
/** The attacker: an administrator of role 10. */
let mallory: TestUser

beforeAll(async () => {
  mail = await startMailServer({ isPlain: true })
  github = fakeGithub({ id: 'gh-client', secret: 'gh-secret' })
  lark = fakeLark({ id: 'lark-client', secret: 'lark-secret' })
  wechat = fakeWechat('wechat-token', wechatOwners)
  app = await testApp({
    clock,
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    outsideAddresses: { github: github.url, githubApi: github.url, lark: lark.url, larkPassport: lark.url },
  })
})
afterAll(async () => {
  await app.close()
  for (const one of [mail, github, lark, wechat]) await one.close()
})
/** Root configures everything; each test gets a new window of the rate limits. */
beforeEach(async () => {
  ms += 700_000
  await set(app.root, {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'gateway@example.com',
    ServerAddress: 'https://gateway.example',
    GitHubClientId: 'gh-client',
    GitHubClientSecret: 'gh-secret',
    GitHubOAuthEnabled: 'true',
    LarkClientId: 'lark-client',
    LarkClientSecret: 'lark-secret',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: 'wechat-token',
    WeChatAuthEnabled: 'true',
  })
  await confirm()
  mallory = await app.make.user({ role: 10 })
})

async function set(as: Session, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value }, as)
}

/** The attacker's mail server: here the same one under another name. */
const listenerOfMallory = { SMTPServer: 'localhost' }

const waiting = () => app.data(contract.option.waiting, {})
const waitingKeys = async () => (await waiting()).options.map(({ key }) => key)

async function confirm(): Promise<void> {
  await app.data(contract.option.confirm, { revision: (await waiting()).revision })
}

async function withEmail(role: number): Promise<TestUser & { readonly email: string }> {
  const user = await app.make.user({ role })
  const email = `${user.username}@example.com`
  await columns(user, { email })
  return { ...user, email }
}

async function columns(user: TestUser, values: { readonly [column: string]: string | number }): Promise<void> {
  await app.app.store.db.updateTable('users').set(values).where('id', '=', user.id).execute()
}

const row = (user: TestUser) => app.app.store.db.selectFrom('users').selectAll().where('id', '=', user.id).executeTakeFirstOrThrow()

/** The link of the last reset mail to the address; `null` = none. A request for another address first shows that the outbox is empty. */
async function resetTokenFor(email: string): Promise<string | null> {
  ms += 700_000
  const before = mail.received.length
  await app.data(contract.verification.requestReset, { email }, nobody)
  const witness = await withEmail(1)
  await app.data(contract.verification.requestReset, { email: witness.email }, nobody)
  for (let index = before; ; index++) {
    const { to, text } = await mail.mail(index)
    if (to.includes(witness.email)) return null
    if (to.includes(email)) return /token=(\w+)/.exec(text)?.[1] ?? null
  }
}

async function codeFor(as: Session, email: string): Promise<string> {
  await app.data(contract.verification.sendCode, { email }, as)
  return /\b\d{6}\b/.exec(mail.received.findLast(({ to }) => to.includes(email))?.text ?? '')?.[0] ?? ''
}

/** Runs a complete login by a service. */
async function goThrough(way: 'github' | 'lark', id: string, as: Session = nobody) {
  const visitor = await app.request('/api/oauth/state', { headers: as.headers })
  const { data: state } = JSON.parse(await visitor.text())
  const cookies = [as.headers['cookie'], ...visitor.headers.getSetCookie().map((line) => line.split(';')[0])].filter(Boolean).join('; ')
  const code = (way === 'github' ? github : lark).codeFor({ id, login: `login-${id}`, name: '' })
  const response = await app.request(`/api/oauth/${way}?${new URLSearchParams({ code, state })}`, { headers: { cookie: cookies } })
  return JSON.parse(await response.text())
}

let wechatCodes = 0
function wechatCodeOf(id: string): string {
  const code = `code-${++wechatCodes}`
  wechatOwners[code] = id
  return code
}

const unconfirmed = (service: string): string => en.login_method_unconfirmed.replace('{service}', service)

describe('the class of an option', () => {
  /** The options of each class by their names; all other options are in none. */
  const expected: ReadonlyArray<readonly [RegExp, readonly Reliant[]]> = [
    [/^SMTP/, ['mail']],
    [/^ServerAddress$/, ['mail', 'google', 'oidc', 'lark', 'sessions']],
    [/^GitHub/, ['github']],
    [/^Google/, ['google']],
    [/^Oidc(?!Name$)/, ['oidc']],
    [/^Lark/, ['lark']],
    [/^WeChat/, ['wechat']],
    [/^Turnstile/, ['mail', 'wechat']],
    [/^EmailDomain/, ['mail']],
    [/^MessagePusher/, ['news']],
    [/^ChatLink$/, ['chat']],
    [/^OAuthRegister/, ['github', 'google', 'oidc', 'lark', 'wechat']],
    [/^OAuthMail/, ['github', 'google', 'oidc']],
    [/PrivateUpstream/, ['upstreams']],
  ]

  for (const key of optionKeys) {
    const reliants = expected.find(([name]) => name.test(key))?.[1] ?? []
    test(`${key} is relied on by ${reliants.join(', ') || 'nothing'}`, () => expect(reliantsOf(key)).toEqual(reliants))
  }

  test('decides whether the option is pending super-admin approval after an administrator has saved it, whatever its value is', async () => {
    const fresh = await testApp()
    const admin = await fresh.make.user({ role: 10 })
    // Switches need it, and what an administrator proposes is not in force.
    await fresh.data(contract.option.update, { key: 'ServerAddress', value: 'https://gateway.example' })
    const values: Readonly<Record<string, string>> = {
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
      TopUpLink: 'https://a.example',
      ModelRatio: '{"x":1}',
      RetryTimes: '7',
    }
    const ordinary = ['SystemName', 'Notice', 'TopUpLink', 'ModelRatio', 'RetryTimes']
    const inClass = optionKeys.filter((key) => reliantsOf(key).length > 0 && optionRow(key).isRootOnly !== true)
    const isSwitch = (key: string) => key.endsWith('Enabled')
    for (const key of [...inClass.filter((name) => !isSwitch(name)), ...inClass.filter(isSwitch), ...ordinary]) {
      const { value: before } = (await fresh.data(contract.option.list, {})).find((option) => option.key === key) ?? { value: '' }
      const flipped = before === 'true' ? 'false' : before === 'false' ? 'true' : 'x'
      expect([key, await fresh.call(contract.option.update, { key, value: values[key] ?? flipped }, admin)]).toMatchObject([
        key,
        { success: true },
      ])
    }
    const { options } = await fresh.data(contract.option.waiting, {})
    expect(options.map(({ key }) => key).sort()).toEqual([...inClass].sort())
    expect(options.filter(({ is_secret, value }) => is_secret && value !== '')).toEqual([])
    await fresh.close()
  })
})

describe('an option that an administrator has set', () => {
  test('is pending approval by root, who sees it with its value and confirms it with one call', async () => {
    const { message } = await app.call(contract.option.update, { key: 'SMTPServer', value: 'localhost' }, mallory)
    expect(message).toBe(en.option_waits)
    const { options, revision } = await waiting()
    expect(options).toEqual([{ key: 'SMTPServer', value: 'localhost', is_secret: false, is_pending: false, in_force: 'localhost' }])
    await app.data(contract.option.confirm, { revision })
    expect((await waiting()).options).toEqual([])
  })

  test('no longer waits after root has saved it, and does not wait if an administrator saves it unchanged', async () => {
    await set(mallory, { ...listenerOfMallory, SMTPFrom: 'gateway@example.com' })
    expect(await waitingKeys()).toEqual(['SMTPServer'])
    await set(app.root, listenerOfMallory)
    expect(await waitingKeys()).toEqual([])
  })

  test('is confirmed only with the value that was shown', async () => {
    await set(mallory, listenerOfMallory)
    const { revision } = await waiting()
    await set(mallory, { SMTPServer: '127.0.0.2' })
    expect((await app.call(contract.option.confirm, { revision })).message).toBe(en.pending_options_changed)
    await set(mallory, { SMTPToken: 'one' })
    const pending = await waiting()
    await set(mallory, { SMTPToken: 'another' })
    expect((await app.call(contract.option.confirm, { revision: pending.revision })).message).toBe(en.pending_options_changed)
    expect(await waitingKeys()).toEqual(['SMTPServer', 'SMTPToken'])
  })

  test('can be neither listed nor confirmed below root', async () => {
    expect((await app.call(contract.option.waiting, {}, mallory)).message).toBe(en.permission_denied)
    expect((await app.call(contract.option.confirm, { revision: (await waiting()).revision }, mallory)).message).toBe(en.permission_denied)
  })

  test('still waits after a restart', async () => {
    await set(mallory, listenerOfMallory)
    const { set_by_role } = await app.app.store.db
      .selectFrom('options')
      .select('set_by_role')
      .where('key', '=', 'SMTPServer')
      .executeTakeFirstOrThrow()
    expect(set_by_role).toBe(10)
  })
})

describe('a mail server that an administrator has set to their own', () => {
  for (const [option, value] of [
    ['SMTPServer', 'localhost'],
    ['SMTPFrom', 'mallory@example.com'],
    ['SMTPToken', 'a token'],
    ['TurnstileSiteKey', 'a key'],
    ['EmailDomainWhitelist', 'example.com,mallory.example'],
  ] as const) {
    test(`sends no reset mails of administrators while ${option} waits, but those of users`, async () => {
      const [root, admin, user] = [await withEmail(100), await withEmail(10), await withEmail(1)]
      await set(mallory, { [option]: value })
      expect(await resetTokenFor(root.email)).toBeNull()
      expect(await resetTokenFor(admin.email)).toBeNull()
      expect(await resetTokenFor(user.email)).toMatch(/^\w{20,}$/)
      await confirm()
      expect(await resetTokenFor(admin.email)).toMatch(/^\w{20,}$/)
    })
  }

  test('does not change the response to a request for a reset, and the account’s log says that no mail was sent', async () => {
    const admin = await withEmail(10)
    await set(mallory, listenerOfMallory)
    const response = await app.call(contract.verification.requestReset, { email: admin.email }, nobody)
    expect(response).toEqual(await app.call(contract.verification.requestReset, { email: 'unknown@example.com' }, nobody))
    const logs = await app.data(contract.log.list, { username: admin.username })
    expect(logs.map(({ content }) => content)).toContain(en.log_reset_held)
  })

  test('gets links that are invalid after a promotion of the account, even if root confirms later', async () => {
    const user = await withEmail(1)
    await set(mallory, listenerOfMallory)
    const token = (await resetTokenFor(user.email)) ?? ''
    await app.data(contract.user.manage, { username: user.username, action: 'promote' })
    const { password_hash } = await row(user)
    expect((await app.call(contract.verification.reset, { email: user.email, token }, nobody)).message).toBe(unconfirmed('email'))
    const again = await withEmail(1)
    const second = (await resetTokenFor(again.email)) ?? ''
    await confirm()
    await app.data(contract.user.manage, { username: again.username, action: 'promote' })
    expect((await app.call(contract.verification.reset, { email: again.email, token: second }, nobody)).message).toBe(unconfirmed('email'))
    expect((await row(user)).password_hash).toBe(password_hash)
  })

  test('makes earlier links of administrators invalid', async () => {
    const admin = await withEmail(10)
    const token = (await resetTokenFor(admin.email)) ?? ''
    await set(mallory, listenerOfMallory)
    expect((await app.call(contract.verification.reset, { email: admin.email, token }, nobody)).message).toBe(unconfirmed('email'))
  })

  test('binds no address to accounts of administrators, and gets no codes for them', async () => {
    const admin = await app.make.user({ role: 10 })
    const code = await codeFor(admin, 'before@example.com')
    await set(mallory, listenerOfMallory)
    expect((await app.call(contract.verification.sendCode, { email: 'after@example.com' }, admin)).message).toBe(unconfirmed('email'))
    expect((await app.call(contract.oauth.bindEmail, { email: 'before@example.com', code }, admin)).message).toBe(unconfirmed('email'))
    const user = await app.make.user()
    const held = await codeFor(user, 'promoted@example.com')
    await confirm()
    await columns(user, { role: 10 })
    expect((await app.call(contract.oauth.bindEmail, { email: 'promoted@example.com', code: held }, user)).message).toBe(
      unconfirmed('email'),
    )
    expect([(await row(admin)).email, (await row(user)).email]).toEqual(['', ''])
  })

  test('cannot be used to set the first password of an administrator', async () => {
    const admin = await withEmail(10)
    await columns(admin, { password_hash: '' })
    const verification_code = await codeFor(admin, admin.email)
    await set(mallory, listenerOfMallory)
    const names = { username: admin.username, display_name: '' }
    expect((await app.call(contract.account.updateSelf, { ...names, password: 'a new password', verification_code }, admin)).message).toBe(
      unconfirmed('email'),
    )
  })

  test('cannot be used to register with the address of an administrator, or to create administrators by invitation', async () => {
    const admin = await withEmail(10)
    await app.data(contract.option.update, { key: 'EmailVerificationEnabled', value: 'true' })
    await set(mallory, listenerOfMallory)
    await app.data(contract.verification.sendCode, { email: admin.email }, nobody)
    const mailText = mail.received.findLast(({ to }) => to.includes(admin.email))?.text ?? ''
    expect(/\b\d{6}\b/.test(mailText)).toBe(false)
    const aff_code = await app.data(contract.account.inviteCode, {}, app.root)
    ms += 700_000
    const email = 'fresh@example.com'
    const verification_code = await codeFor(nobody, email)
    const form = { username: 'fresh', password: 'a good password', email, verification_code, aff_code }
    await app.data(contract.account.register, { ...form, role: 100, group: 'svip' } as typeof form, nobody)
    const user = await app.app.store.db.selectFrom('users').selectAll().where('username', '=', 'fresh').executeTakeFirstOrThrow()
    expect([user.role, user.groups]).toEqual([1, 'default'])
    await app.data(contract.option.update, { key: 'EmailVerificationEnabled', value: 'false' })
  })
})

describe('a login service that an administrator has set to their own', () => {
  const turned = {
    github: { options: { GitHubClientSecret: 'gh-secret' }, service: 'GitHub', column: 'github_id' },
    lark: { options: { LarkClientId: 'lark-client', LarkClientSecret: 'lark-secret' }, service: 'Lark', column: 'lark_id' },
  } as const

  for (const way of ['github', 'lark'] as const) {
    const { options, service, column } = turned[way]
    test(`${service} neither logs in nor binds administrators until root has confirmed, but users`, async () => {
      const [root, admin, user, unbound] = [
        await app.make.user({ role: 100 }),
        await app.make.user({ role: 10 }),
        await app.make.user(),
        await app.make.user({ role: 10 }),
      ]
      for (const one of [root, admin, user]) await columns(one, { [column]: `${9_000_000 + one.id}` })
      await set(mallory, options)
      for (const one of [root, admin]) {
        expect(await goThrough(way, `${9_000_000 + one.id}`)).toMatchObject({ success: false, message: unconfirmed(service) })
      }
      expect(await goThrough(way, `${9_000_000 + user.id}`)).toMatchObject({ success: true, data: { id: user.id } })
      expect(await goThrough(way, '123', unbound)).toMatchObject({ success: false, message: unconfirmed(service) })
      expect((await row(unbound))[column]).toBe('')
      // An account that has been promoted meanwhile can no longer log in.
      await columns(user, { role: 10 })
      expect((await goThrough(way, `${9_000_000 + user.id}`)).message).toBe(unconfirmed(service))
      await confirm()
      expect(await goThrough(way, `${9_000_000 + admin.id}`)).toMatchObject({ success: true, data: { id: admin.id } })
    })
  }

  test('a WeChat server that accepts any code neither logs in nor binds administrators', async () => {
    const [admin, other] = [await app.make.user({ role: 10 }), await app.make.user({ role: 10 })]
    await columns(admin, { wechat_id: 'wx-admin' })
    await set(app.root, { PrivateUpstreamHosts: new URL(wechat.url).host })
    await set(mallory, { WeChatServerAddress: `${wechat.url}/` })
    await set(app.root, { WeChatServerToken: 'wechat-token' })
    await set(mallory, { WeChatServerToken: 'wechat-token' })
    const logIn = () => app.call(contract.oauth.wechat, { code: wechatCodeOf('wx-admin') }, nobody)
    expect((await logIn()).message).toBe(unconfirmed('WeChat'))
    expect((await app.call(contract.oauth.bindWechat, { code: wechatCodeOf('wx-mallory') }, other)).message).toBe(unconfirmed('WeChat'))
    expect((await row(other)).wechat_id).toBe('')
    await confirm()
    expect(await logIn()).toMatchObject({ success: true, data: { id: admin.id } })
  })

  test('switching the bot check off affects WeChat too, whose codes could be guessed without it', async () => {
    const admin = await app.make.user({ role: 10 })
    await columns(admin, { wechat_id: 'wx-guessed' })
    await set(app.root, { TurnstileSiteKey: 'site', TurnstileSecretKey: 'secret', TurnstileCheckEnabled: 'true' })
    await set(mallory, { TurnstileCheckEnabled: 'false' })
    expect((await app.call(contract.oauth.wechat, { code: wechatCodeOf('wx-guessed') }, nobody)).message).toBe(unconfirmed('WeChat'))
  })
})

test('pages of a public address that an administrator has set cannot use sessions until root has confirmed it', async () => {
  await set(mallory, { ServerAddress: 'https://mallory.example' })
  const from = (origin: string) => app.request('/api/user/self', { headers: { ...app.root.headers, origin } })
  expect((await from('https://mallory.example')).status).toBe(403)
  await confirm()
  expect((await from('https://mallory.example')).status).toBe(200)
})
