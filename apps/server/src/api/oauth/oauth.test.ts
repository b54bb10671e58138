import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { nobody, type TestApp, testApp } from '../../../test/app.ts'
import { type FakeMailServer, startMailServer } from '../../../test/fake-mail-server.ts'
import {
  type FakePerson,
  type FakeProvider,
  type FakeService,
  fakeGithub,
  fakeLark,
  fakeTurnstile,
  fakeWechat,
} from '../../../test/fake-services.ts'
import type { Clock } from '../../lib/clock.ts'
import { clearBinding, findWaysIn } from './queries.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let app: TestApp
let mail: FakeMailServer
let turnstile: FakeService
let services: { readonly github: FakeProvider; readonly lark: FakeProvider }
let wechat: FakeService

const wechatOwners: Record<string, string> = {}

beforeAll(async () => {
  mail = await startMailServer({ isPlain: true })
  turnstile = fakeTurnstile()
  services = { github: fakeGithub({ id: 'gh-client', secret: 'gh-secret' }), lark: fakeLark({ id: 'lark-client', secret: 'lark-secret' }) }
  wechat = fakeWechat('wechat-token', wechatOwners)
  const { github, lark } = services
  app = await testApp({
    clock,
    env: { TRUSTED_PROXIES: '127.0.0.1', CONSOLE_ORIGINS: 'https://console.example' },
    outsideAddresses: { github: github.url, githubApi: github.url, lark: lark.url, larkPassport: lark.url, turnstile: turnstile.url },
  })
  await set({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'gateway@example.com',
    ServerAddress: 'https://gateway.example',
  })
})
afterAll(async () => {
  await app.close()
  for (const one of [mail, turnstile, services.github, services.lark, wechat]) await one.close()
})
/** Each test gets a new window of the rate limits. */
beforeEach(() => {
  ms += 700_000
})

async function set(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value })
}

/** The parts of a response that tests check. */
interface ApiResponse {
  readonly status: number
  readonly success: boolean
  readonly message: string
  readonly data: unknown
  readonly code_challenge?: string
}

/** Id of the account in the response to a login. */
const idOf = ({ data }: ApiResponse): number => (typeof data === 'object' && data !== null && 'id' in data ? Number(data.id) : 0)

const callbacks = { github: contract.oauth.github, lark: contract.oauth.lark }

let clients = 0
/** A browser with cookies and an address. */
function browser(address = `198.51.100.${++clients}`) {
  const jar = new Map<string, string>()
  async function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<ApiResponse> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await app.request(path, { headers: { cookie, 'x-forwarded-for': address, ...headers } })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    // Holds: every response of the management API is an envelope.
    const body = (await response.json()) as Omit<ApiResponse, 'status'>
    return { status: response.status, ...body }
  }
  return {
    jar,
    get,
    session: () => ({ headers: { cookie: `session=${jar.get('session')}` } }),
    async signIn(user: { readonly headers: Readonly<Record<string, string>> }) {
      const [name = '', value = ''] = (user.headers['cookie'] ?? '').split('=')
      jar.set(name, value)
    },
    state: async (): Promise<string> => String((await get(contract.oauth.state.path)).data),
    callback: (provider: 'github' | 'lark', code: string, state: string) =>
      get(`${callbacks[provider].path}?${new URLSearchParams({ code, state })}`),
  }
}

/** Runs a complete login: state, service, callback. */
async function logIn(provider: 'github' | 'lark', person: FakePerson, by = browser()) {
  const state = await by.state()
  return { by, response: await by.callback(provider, services[provider].codeFor(person), state) }
}

const userRow = (id: number) => app.app.store.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

interface Bound {
  readonly password_hash?: string
  readonly email?: string
  readonly github_id?: string
  readonly lark_id?: string
  readonly wechat_id?: string
}

const bindIdentity = ({ id }: { readonly id: number }, bound: Bound) =>
  app.app.store.db.updateTable('users').set(bound).where('id', '=', id).execute()

const octocat: FakePerson = { id: '583231', login: 'octocat', name: 'The Octocat' }

describe('login by GitHub', () => {
  test('is refused until it is configured', async () => {
    const { response: body } = await logIn('github', octocat)
    expect(body).toMatchObject({ status: 200, success: false, message: en.oauth_disabled.replace('{service}', 'GitHub') })
    await set({ GitHubClientId: 'gh-client', GitHubClientSecret: 'gh-secret', GitHubOAuthEnabled: 'true' })
  })

  test('creates an account, finds it again by the permanent id (W10), and stores no unproven address (W38)', async () => {
    const first = await logIn('github', octocat)
    expect(first.response).toMatchObject({ success: true, message: '', data: { display_name: 'The Octocat', role: 1, status: 1 } })
    expect((await app.data(contract.account.self, {}, first.by.session())).id).toBe(idOf(first.response))
    expect(await userRow(idOf(first.response))).toMatchObject({ github_id: '583231', email: '', role: 1 })
    const renamed = await logIn('github', { ...octocat, login: 'renamed-cat' })
    expect(idOf(renamed.response)).toBe(idOf(first.response))
    const stranger = await logIn('github', { id: '999', login: 'octocat', name: '' })
    expect(idOf(stranger.response)).not.toBe(idOf(first.response))
  })

  test('finds no account by a login name, which a stranger may have taken over (W10)', async () => {
    const [named, digits] = [await app.make.user({ password: 'a good password' }), await app.make.user()]
    const { db } = app.app.store
    await db.updateTable('users').set({ github_id: 'old-name' }).where('id', '=', named.id).execute()
    await db.updateTable('users').set({ github_id: '424242' }).where('id', '=', digits.id).execute()
    const message = en.identity_not_linked.replaceAll('{service}', 'GitHub')
    const refused = await logIn('github', { id: '777', login: 'old-name', name: '' })
    expect([refused.response.message, refused.by.jar.has('session')]).toEqual([message, false])
    expect((await userRow(named.id)).github_id).toBe('old-name')
    expect(idOf((await logIn('github', { id: '779', login: '424242', name: '' })).response)).not.toBe(digits.id)
  })

  test('is linked to an imported account after a login by password, and then finds it by the permanent id', async () => {
    const imported = await app.make.user({ password: 'a good password' })
    await app.app.store.db.updateTable('users').set({ github_id: 'hubot' }).where('id', '=', imported.id).execute()
    const hubot: FakePerson = { id: '480938', login: 'hubot', name: 'Hubot' }
    const by = browser()
    const login = await app.request('/api/user/login', {
      method: 'POST',
      body: JSON.stringify({ username: imported.username, password: imported.password }),
    })
    await by.signIn({ headers: { cookie: login.headers.getSetCookie()[0]?.split(';')[0] ?? '' } })
    expect((await logIn('github', hubot, by)).response).toMatchObject({ success: true, message: 'bind' })
    expect((await userRow(imported.id)).github_id).toBe('480938')
    expect(idOf((await logIn('github', { ...hubot, login: 'renamed' })).response)).toBe(imported.id)
    expect(idOf((await logIn('github', { id: '9', login: 'hubot', name: '' })).response)).not.toBe(imported.id)
  })

  test('of one new person in two windows at once creates one account (W52)', async () => {
    const twin: FakePerson = { id: '31337', login: 'twin', name: 'Twin' }
    const both = await Promise.all([logIn('github', twin), logIn('github', twin), logIn('github', twin)])
    const rows = await app.app.store.db.selectFrom('users').select('id').where('github_id', '=', '31337').execute()
    expect(rows).toHaveLength(1)
    expect(new Set(both.map(({ response: body }) => idOf(body)))).toEqual(new Set(rows.map(({ id }) => id)))
  })

  test('is refused to a banned account, and to new people only if registration is closed', async () => {
    const { response: body } = await logIn('github', { id: '6001', login: 'soon-banned', name: '' })
    await app.app.store.db.updateTable('users').set({ status: 2 }).where('id', '=', idOf(body)).execute()
    expect((await logIn('github', { id: '6001', login: 'soon-banned', name: '' })).response.message).toBe(en.user_banned)
    await set({ RegisterEnabled: 'false' })
    expect((await logIn('github', { id: '6002', login: 'too-late', name: '' })).response.message).toBe(en.register_disabled)
    expect((await logIn('github', octocat)).response.success).toBe(true)
    await set({ RegisterEnabled: 'true' })
  })

  test('takes the identity from GitHub only (W2)', async () => {
    const by = browser()
    const claim = new URLSearchParams({ code: 'x', state: await by.state(), id: '583231', login: 'octocat', email: 'root@example.com' })
    expect((await by.get(`${contract.oauth.github.path}?${claim}`)).success).toBe(false)
    expect(by.jar.has('session')).toBe(false)
  })

  test('returns GitHub’s message about a bad code, and reports if GitHub is unreachable', async () => {
    const by = browser()
    const refused = await by.callback('github', 'no-code-of-ours', await by.state())
    expect(refused.message).toBe('GitHub rejected this login: The code passed is incorrect or expired.')
    expect((await by.callback('github', '', await by.state())).success).toBe(false)
    services.github.responseNext(() => new Response('<html>', { status: 200 }))
    expect((await logIn('github', octocat)).response.message).toBe(en.service_response_invalid.replace('{service}', 'GitHub'))
    services.github.responseNext(() => new Response('', { status: 302, headers: { location: 'http://127.0.0.1/' } }))
    expect((await logIn('github', octocat)).response.message).toBe(en.service_unreachable.replace('{service}', 'GitHub'))
    services.github.responseNext(() => Response.json({ access_token: 'x', padding: 'x'.repeat(300_000) }))
    expect((await logIn('github', octocat)).response.message).toBe(en.service_unreachable.replace('{service}', 'GitHub'))
  })

  test('with a challenge, only the server that created the state can use the code (PKCE)', async () => {
    const by = browser()
    const { data: state, code_challenge = '' } = await by.get(`${contract.oauth.state.path}?pkce=S256`)
    expect(code_challenge).toMatch(/^[\w-]{43}$/)
    expect((await by.callback('github', services.github.codeFor(octocat, code_challenge), String(state))).success).toBe(true)
    const thief = browser()
    const stolen = services.github.codeFor(octocat, code_challenge)
    expect((await thief.callback('github', stolen, await thief.state())).message).toContain('rejected this login')
  })
})

describe('a state', () => {
  const expectRefused = (body: { readonly status: number; readonly message: string }) =>
    expect([body.status, body.message]).toEqual([403, en.oauth_state_invalid])

  test('is long, random and stored as a hash (W12, W13)', async () => {
    const by = browser()
    const states = [await by.state(), await by.state()]
    for (const state of states) expect(state).toMatch(/^[0-9A-Za-z]{22}$/)
    expect(states[0]).not.toBe(states[1])
    expect(JSON.stringify(await app.app.store.db.selectFrom('codes').selectAll().execute())).not.toContain(states[0])
  })

  test('is valid once, for ten minutes, and in the browser that requested it (login CSRF)', async () => {
    const { github } = services
    const [by, other] = [browser(), browser()]
    const state = await by.state()
    await other.state()
    expectRefused(await other.callback('github', github.codeFor(octocat), state))
    expectRefused(await browser().callback('github', github.codeFor(octocat), state))
    expect((await by.callback('github', github.codeFor(octocat), state)).success).toBe(true)
    expectRefused(await by.callback('github', github.codeFor(octocat), state))
    expectRefused(await by.callback('github', github.codeFor(octocat), ''))
    const old = await by.state()
    ms += 601_000
    expectRefused(await by.callback('github', github.codeFor(octocat), old))
  })

  test('two windows of one browser do not affect each other', async () => {
    const by = browser()
    const [one, two] = [await by.state(), await by.state()]
    expect((await by.callback('github', services.github.codeFor(octocat), one)).success).toBe(true)
    expect((await by.callback('github', services.github.codeFor(octocat), two)).success).toBe(true)
  })

  test('of a login never binds, and one of a binding is valid only for the account that requested it', async () => {
    const [ann, bob] = [await app.make.user(), await app.make.user()]
    const by = browser()
    const loginState = await by.state()
    await by.signIn(ann)
    const loggedIn = await by.callback('github', services.github.codeFor({ id: '5001', login: 'x', name: '' }), loginState)
    expect(loggedIn.message).toBe('')
    expect((await userRow(ann.id)).github_id).toBe('')
    const shared = browser()
    await shared.signIn(await app.make.user())
    const bindState = await shared.state()
    await shared.signIn(bob)
    expectRefused(await shared.callback('github', services.github.codeFor({ id: '5002', login: 'y', name: '' }), bindState))
    expect((await userRow(bob.id)).github_id).toBe('')
  })

  test('is neither sent to a page of another site nor accepted from one', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await browser().get('/api/oauth/state', headers)).status).toBe(403)
    expect((await browser().get('/api/oauth/github?code=x&state=y', headers)).status).toBe(403)
    expect((await browser().get('/api/oauth/wechat?code=x', headers)).status).toBe(403)
  })
})

describe('binding', () => {
  test('GitHub and Lark responds with the message `bind`, once for each identity', async () => {
    await set({ LarkClientId: 'lark-client', LarkClientSecret: 'lark-secret' })
    const [ann, bob] = [await app.make.user(), await app.make.user()]
    for (const provider of ['github', 'lark'] as const) {
      const person: FakePerson = { id: provider === 'github' ? '4001' : 'ou_4001', login: 'ann-there', name: 'Ann' }
      const by = browser()
      await by.signIn(ann)
      expect((await logIn(provider, person, by)).response).toMatchObject({ success: true, message: 'bind', data: null })
      expect((await userRow(ann.id))[`${provider}_id`]).toBe(person.id)
      const other = browser()
      await other.signIn(bob)
      expect((await logIn(provider, person, other)).response).toMatchObject({ success: false, message: en.identity_taken })
      expect(idOf((await logIn(provider, person)).response)).toBe(ann.id)
    }
  })

  test('an e-mail address needs the code that was mailed to it for this account', async () => {
    const [ann, bob] = [await app.make.user(), await app.make.user()]
    const [annsBrowser, bobsBrowser] = [browser(), browser()]
    await annsBrowser.signIn(ann)
    await bobsBrowser.signIn(bob)
    const requestCode = async (by: ReturnType<typeof browser>, email: string): Promise<string> => {
      expect((await by.get(`/api/verification?email=${email}`)).success).toBe(true)
      return /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? '')?.[0] ?? ''
    }
    const code = await requestCode(annsBrowser, 'Ann.Bound@example.com')
    const bindEmail = (by: ReturnType<typeof browser>, email: string, secret: string) =>
      by.get(`${contract.oauth.bindEmail.path}?${new URLSearchParams({ email, code: secret })}`)
    expect((await bindEmail(bobsBrowser, 'ann.bound@example.com', code)).message).toBe(en.email_code_wrong)
    expect((await bindEmail(annsBrowser, 'someone.else@example.com', code)).message).toBe(en.email_code_wrong)
    expect(await bindEmail(annsBrowser, 'ann.bound@example.com', code)).toMatchObject({ success: true, message: '' })
    expect((await app.data(contract.account.self, {}, ann)).email).toBe('ann.bound@example.com')
    expect((await bindEmail(annsBrowser, 'ann.bound@example.com', code)).message).toBe(en.email_code_wrong)
  })

  test('needs a session, because a script that binds an address could get a new password', async () => {
    const ann = await app.make.user()
    const script = await app.make.accessToken(ann)
    const mailed = { email: 'script@example.com', turnstile: '' }
    expect((await app.call(contract.verification.sendCode, mailed, script)).message).toBe(en.session_required)
    await app.data(contract.verification.sendCode, mailed, ann)
    const code = /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? '')?.[0] ?? ''
    expect((await app.call(contract.oauth.bindEmail, { email: 'script@example.com', code }, script)).message).toBe(en.session_required)
    expect((await app.call(contract.oauth.bindWechat, { code: 'x', turnstile: '' }, script)).message).toBe(en.session_required)
    expect((await app.data(contract.account.self, {}, ann)).email).toBe('')
  })

  test('needs a login of the last ten minutes, so that an abandoned session does not give permanent access', async () => {
    const ann = await app.make.user()
    const by = browser()
    await by.signIn(ann)
    ms += 601_000
    await by.get('/api/verification?email=late@example.com')
    const code = /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? '')?.[0] ?? ''
    expect((await by.get(`/api/oauth/email/bind?email=late@example.com&code=${code}`)).message).toBe(en.reauthentication_required)
    expect((await logIn('github', { id: '4100', login: 'late', name: '' }, by)).response.message).toBe(en.reauthentication_required)
    expect(await userRow(ann.id)).toMatchObject({ email: '', github_id: '' })
  })

  test('an address that another account has taken since the code was sent is refused (W16)', async () => {
    const [ann, bob] = [await app.make.user(), await app.make.user()]
    const by = browser()
    await by.signIn(ann)
    await by.get('/api/verification?email=contested@example.com')
    const code = /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? '')?.[0] ?? ''
    await app.app.store.db.updateTable('users').set({ email: 'contested@example.com' }).where('id', '=', bob.id).execute()
    expect((await by.get(`/api/oauth/email/bind?email=contested@example.com&code=${code}`)).message).toBe(en.email_taken)
  })

  test('a code can be tried five times, also concurrently', async () => {
    const ann = await app.make.user()
    const by = browser()
    await by.signIn(ann)
    await by.get('/api/verification?email=guessed@example.com')
    const code = /\b\d{6}\b/.exec(mail.received.at(-1)?.text ?? '')?.[0] ?? ''
    const wrong = code === '000000' ? '111111' : '000000'
    await Promise.all(Array.from({ length: 5 }, () => by.get(`/api/oauth/email/bind?email=guessed@example.com&code=${wrong}`)))
    expect((await by.get(`/api/oauth/email/bind?email=guessed@example.com&code=${code}`)).message).toBe(en.email_code_wrong)
  })
})

describe('unbinding', () => {
  test('removes one binding, which then logs nobody in, and is in the log', async () => {
    const ann = await app.make.user()
    await bindIdentity(ann, { github_id: '4711', email: 'ann-unbinds@example.com' })
    await app.data(contract.oauth.unbind, { way: 'github' }, ann)
    expect(await userRow(ann.id)).toMatchObject({ github_id: '', email: 'ann-unbinds@example.com' })
    const { response: body } = await logIn('github', { id: '4711', login: 'ann', name: 'Ann' })
    expect(idOf(body)).not.toBe(ann.id)
    const rows = await app.data(contract.log.listSelf, {}, ann)
    expect(rows.map(({ content }) => content)).toContain(`${ann.username} unlinked github from ${ann.username}`)
    // Again, and without a binding, it does nothing.
    await app.data(contract.oauth.unbind, { way: 'github' }, ann)
    await app.data(contract.oauth.unbind, { way: 'email' }, ann)
    expect((await userRow(ann.id)).email).toBe('')
  })

  test('keeps the last way to log in that works today', async () => {
    const ann = await app.make.user()
    await bindIdentity(ann, { password_hash: '', github_id: '4712', wechat_id: 'ann-4712' })
    const refused = { success: false, message: en.last_login_method }
    // WeChat is bound, but the server does not offer it.
    await set({ WeChatAuthEnabled: 'false' })
    expect(await app.call(contract.oauth.unbind, { way: 'github' }, ann)).toMatchObject(refused)
    await bindIdentity(ann, { email: 'ann-4712@example.com' })
    // A mail can bring a new password, but only if passwords log in.
    await set({ PasswordLoginEnabled: 'false' })
    expect(await app.call(contract.oauth.unbind, { way: 'github' }, ann)).toMatchObject(refused)
    await set({ PasswordLoginEnabled: 'true' })
    await app.data(contract.oauth.unbind, { way: 'github' }, ann)
    expect(await app.call(contract.oauth.unbind, { way: 'email' }, ann)).toMatchObject(refused)
    await app.data(contract.oauth.unbind, { way: 'wechat' }, ann)
  })

  test('of two at once leaves one of them', async () => {
    const ann = await app.make.user()
    await bindIdentity(ann, { password_hash: '', github_id: '4713', lark_id: 'ann-4713' })
    await set({ LarkClientId: 'lark-client', LarkClientSecret: 'lark-secret' })
    const both = await Promise.all((['github', 'lark'] as const).map((way) => app.call(contract.oauth.unbind, { way }, ann)))
    expect(both.filter(({ success }) => success)).toHaveLength(1)
    const { github_id, lark_id } = await userRow(ann.id)
    expect([github_id, lark_id].filter((id) => id !== '')).toHaveLength(1)
  })

  test('is not carried out if a way to log in was changed since they were checked', async () => {
    const ann = await app.make.user()
    await bindIdentity(ann, { github_id: '4716', lark_id: 'ann-4716' })
    const { db } = app.app.store
    const ways = await findWaysIn(db, ann.id)
    if (ways === undefined) throw new Error('the account is missing')
    await bindIdentity(ann, { lark_id: '' })
    expect(await clearBinding(db, ann.id, { column: 'github_id', ways })).toBe(false)
    expect((await userRow(ann.id)).github_id).toBe('4716')
  })

  test('needs a session with a login of the last ten minutes', async () => {
    const ann = await app.make.user()
    await bindIdentity(ann, { github_id: '4714' })
    expect(await app.data(contract.account.self, {}, ann)).toMatchObject({ recent_login: true })
    ms += 601_000
    expect(await app.call(contract.oauth.unbind, { way: 'github' }, ann)).toMatchObject({
      success: false,
      message: en.reauthentication_required,
    })
    expect(await app.data(contract.account.self, {}, ann)).toMatchObject({ recent_login: false })
    const script = await app.make.accessToken(ann)
    expect(await app.call(contract.oauth.unbind, { way: 'github' }, script)).toMatchObject({ success: false, message: en.session_required })
    expect((await userRow(ann.id)).github_id).toBe('4714')
  })

  test('by an administrator clears what its owner has lost, also the last one, but not of administrators', async () => {
    const boss = await app.make.user({ role: 10 })
    const ann = await app.make.user()
    await bindIdentity(ann, { password_hash: '', wechat_id: 'ann-4715' })
    await app.data(contract.user.unbind, { id: ann.id, way: 'wechat' }, boss)
    expect((await userRow(ann.id)).wechat_id).toBe('')
    const other = await app.make.user({ role: 10 })
    await bindIdentity(other, { github_id: '4715' })
    expect(await app.call(contract.user.unbind, { id: other.id, way: 'github' }, boss)).toMatchObject({ success: false })
    expect((await userRow(other.id)).github_id).toBe('4715')
    const rows = await app.data(contract.log.listSelf, {}, ann)
    expect(rows.map(({ content }) => content)).toContain(`${boss.username} unlinked wechat from ${ann.username}`)
  })
})

describe('login by Lark', () => {
  test('works as with GitHub, sends its redirect address, and accepts no response without an id (W44)', async () => {
    const person: FakePerson = { id: 'ou_1', login: '', name: '' }
    const first = await logIn('lark', person)
    expect(first.response).toMatchObject({ success: true, data: { display_name: 'Lark User' } })
    const tokenRequest = services.lark.received.find(({ path }) => path.endsWith('/token'))
    expect(JSON.parse(tokenRequest?.body ?? '{}').redirect_uri).toBe('https://gateway.example/oauth/lark')
    expect(idOf((await logIn('lark', person)).response)).toBe(idOf(first.response))
    expect((await logIn('lark', { ...person, id: '' })).response.message).toBe(en.service_response_invalid.replace('{service}', 'Lark'))
    const by = browser()
    expect((await by.callback('lark', 'wrong', await by.state())).message).toContain('The authorization code is invalid.')
  })

  test('names the page of a console on another site, to which it sent the browser back', async () => {
    const by = browser()
    const fromConsole = { origin: 'https://console.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }
    const state = String((await by.get(contract.oauth.state.path, fromConsole)).data)
    const code = services.lark.codeFor({ id: 'ou_2', login: '', name: '' })
    const body = await by.get(`${callbacks.lark.path}?${new URLSearchParams({ code, state })}`, fromConsole)
    expect(body).toMatchObject({ success: true })
    expect([...by.jar.keys()]).toEqual(['__Host-console-visitor', '__Host-console-session'])
    const tokenRequest = services.lark.received.findLast(({ path }) => path.endsWith('/token'))
    expect(JSON.parse(tokenRequest?.body ?? '{}').redirect_uri).toBe('https://console.example/oauth/lark')
  })

  test('is refused if it is not configured (W44)', async () => {
    await set({ LarkClientId: '' })
    expect((await logIn('lark', { id: 'ou_1', login: '', name: '' })).response.message).toBe(en.oauth_disabled.replace('{service}', 'Lark'))
    await set({ LarkClientId: 'lark-client' })
  })
})

describe('login by WeChat', () => {
  const wechatLogin = (code: string, by = browser(), token = '') =>
    by.get(`${contract.oauth.wechat.path}?${new URLSearchParams({ code, turnstile: token })}`)

  test('logs in the owner of the code, and binds the signed-in account', async () => {
    expect((await wechatLogin('123456')).message).toBe(en.oauth_disabled.replace('{service}', 'WeChat'))
    await set({ WeChatServerAddress: `${wechat.url}/`, WeChatServerToken: 'wechat-token', WeChatAuthEnabled: 'true' })
    Object.assign(wechatOwners, { '123456': 'openid-1', '234567': 'openid-2' })
    const first = await wechatLogin('123456')
    expect(first).toMatchObject({ success: true, message: '', data: { display_name: 'WeChat User' } })
    expect((await userRow(idOf(first))).wechat_id).toBe('openid-1')
    const ann = await app.make.user()
    const by = browser()
    await by.signIn(ann)
    expect((await by.get(`${contract.oauth.bindWechat.path}?code=123456`)).message).toBe(en.identity_taken)
    expect(await by.get(`${contract.oauth.bindWechat.path}?code=234567`)).toMatchObject({ success: true, message: '' })
    expect(idOf(await wechatLogin('234567'))).toBe(ann.id)
  })

  test('of somebody without an id is refused', async () => {
    Object.assign(wechatOwners, { '345678': ' ' })
    expect((await wechatLogin('345678')).success).toBe(false)
  })

  test('sends the code as one value of the query, whatever characters it has (W36)', async () => {
    await wechatLogin('1&code=123456#/../x')
    expect(wechat.received.at(-1)?.path).toBe('/api/wechat/user')
    expect(wechat.received.at(-1)?.query.getAll('code')).toEqual(['1&code=123456#/../x'])
  })

  test('of an unknown code is refused, five times a minute, and after three tries it needs the bot check', async () => {
    await set({ TurnstileSiteKey: 'site', TurnstileSecretKey: 'secret', TurnstileCheckEnabled: 'true' })
    const guesser = browser()
    const responses: string[] = []
    for (let tries = 0; tries < 4; tries++) responses.push((await wechatLogin('000000', guesser)).message)
    expect(responses.map((message) => message === en.turnstile_missing)).toEqual([false, false, false, true])
    expect((await wechatLogin('123456', guesser, 'good-wechat')).success).toBe(true)
    expect((await wechatLogin('123456', guesser, 'good-again')).status).toBe(429)
    expect((await wechatLogin('123456')).success).toBe(true)
    await set({ TurnstileCheckEnabled: 'false' })
  })

  test('all clients together have sixty tries a minute', async () => {
    const tries = await Promise.all(Array.from({ length: 64 }, () => wechatLogin('000000')))
    expect(tries.filter(({ status }) => status === 429)).toHaveLength(4)
  })

  test('a server on a forbidden address is not called', async () => {
    const mine = new URL(app.url).port
    for (const address of ['http://169.254.169.254', `http://127.0.0.1:${mine}`, 'http://[fe80::1]']) {
      await set({ WeChatServerAddress: address })
      expect((await wechatLogin('123456')).message).toBe(en.service_unreachable.replace('{service}', 'WeChat'))
    }
    await set({ WeChatServerAddress: wechat.url })
  })
})

describe('a service that hangs', () => {
  test('has a timeout of five seconds, and after five failures a pause of half a minute; login by password still works (F58)', async () => {
    const gate = Promise.withResolvers<Response>()
    ms += 60_000
    const calls = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    for (const { resolve } of calls)
      services.github.responseNext(() => {
        resolve()
        return gate.promise
      })
    const ann = await app.make.user()
    const waiting = Promise.all(Array.from({ length: 5 }, () => logIn('github', octocat)))
    expect((await app.call(contract.account.login, { username: ann.username, password: ann.password }, nobody)).success).toBe(true)
    await Promise.all(calls.map(({ promise }) => promise))
    ms += 5_001
    for (const { response: body } of await waiting) expect(body.message).toBe(en.service_unreachable.replace('{service}', 'GitHub'))
    const before = services.github.received.length
    expect((await logIn('github', octocat)).response.message).toBe(en.service_unreachable.replace('{service}', 'GitHub'))
    expect(services.github.received.length).toBe(before)
    gate.resolve(new Response('too late'))
    ms += 31_000
    expect((await logIn('github', octocat)).response.success).toBe(true)
  }, 20_000)
})
