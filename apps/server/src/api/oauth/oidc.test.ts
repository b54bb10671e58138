import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { type CookieBrowser, cookieBrowser, loggedIn } from '../../../test/cookie-browser.ts'
import { type OidcServer, startOidcServer } from '../../../test/oidc-server.ts'

let app: TestApp
let provider: OidcServer
let google: OidcServer

const public_ = 'https://gateway.example'
const client = { id: 'sluice', secret: 'a-client-secret' }

beforeAll(async () => {
  provider = await startOidcServer({ ...client, redirect: `${public_}/oauth/oidc` })
  google = await startOidcServer({ ...client, redirect: `${public_}/oauth/google`, method: 'client_secret_post' })
  app = await testApp({ outsideAddresses: { google: google.issuer } })
  await set({
    ServerAddress: public_,
    ...{ OidcName: 'Company', OidcIssuer: provider.issuer, OidcClientId: client.id, OidcClientSecret: client.secret, OidcEnabled: 'true' },
    ...{ GoogleClientId: client.id, GoogleClientSecret: client.secret, GoogleOAuthEnabled: 'true' },
  })
})
afterAll(async () => {
  await app.close()
  await Promise.all([provider.close(), google.close()])
})

async function set(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value })
}

type Service = 'oidc' | 'google'

const serverOf = (service: Service): OidcServer => (service === 'oidc' ? provider : google)

async function begun(service: Service, browser: CookieBrowser) {
  const { authorize = '', data: state } = await browser.call(contract.oauth.state, { pkce: 'S256', service })
  return { authorize: new URL(authorize), state: String(state) }
}

/** What the provider puts into the address that it sends the browser back to. */
const callbackIn = (address: URL) => ({
  code: address.searchParams.get('code') ?? '',
  state: address.searchParams.get('state') ?? '',
  iss: address.searchParams.get('iss') ?? '',
})

async function logIn(service: Service, login: string, browser: CookieBrowser = cookieBrowser(app)) {
  const { authorize } = await begun(service, browser)
  const back = await serverOf(service).agree(authorize.href, login)
  return { browser, back, response: await browser.call(contract.oauth[service], callbackIn(back)) }
}

const identityOf = (id: number) =>
  app.app.store.db
    .selectFrom('users')
    .select(['email', 'google_id', 'oidc_id', 'display_name', 'username'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

describe('login by an OpenID provider', () => {
  test('sends the browser to the page that discovery names, with state, nonce and challenge', async () => {
    const { authorize, state } = await begun('oidc', cookieBrowser(app))
    expect(authorize.origin).toBe(provider.issuer)
    expect(Object.fromEntries(authorize.searchParams)).toEqual({
      ...{ client_id: 'sluice', response_type: 'code', redirect_uri: `${public_}/oauth/oidc`, scope: 'openid profile', state },
      ...{ nonce: expect.stringMatching(/^[0-9a-f]{64}$/), code_challenge: expect.any(String), code_challenge_method: 'S256' },
    })
  })

  test('creates an account by issuer and subject, with the name of the provider and no address, and finds it again', async () => {
    const { response, browser, back } = await logIn('oidc', 'ann')
    expect(back.searchParams.get('iss')).toBe(provider.issuer)
    expect(response).toMatchObject({ success: true, data: { display_name: 'ann at the provider', role: 1 } })
    expect(await identityOf(response.data.id)).toMatchObject({ oidc_id: `${provider.issuer} ann`, google_id: '', email: '' })
    expect((await app.data(contract.account.self, {}, browser.session())).id).toBe(response.data.id)
    expect((await browser.call(contract.session.list, {})).data[0]).toMatchObject({ way: 'oidc' })
    expect((await logIn('oidc', 'ann')).response.data.id).toBe(response.data.id)
    expect((await logIn('oidc', 'bob')).response.data.id).not.toBe(response.data.id)
  })

  test('is another identity at Google, although the subject is the same', async () => {
    const [one, other] = [(await logIn('oidc', 'carl')).response, (await logIn('google', 'carl')).response]
    expect(other.data.id).not.toBe(one.data.id)
    expect(await identityOf(other.data.id)).toMatchObject({ google_id: 'carl', oidc_id: '' })
  })

  test('binds to a signed-in account, unbinds, and refuses an identity of another account', async () => {
    const user = await app.make.user()
    const bound = await logIn('oidc', 'dora', await loggedIn(app, user))
    expect(bound.response).toMatchObject({ success: true, message: 'bind', data: null })
    expect(await identityOf(user.id)).toMatchObject({ oidc_id: `${provider.issuer} dora` })
    const other = await app.make.user()
    expect((await logIn('oidc', 'dora', await loggedIn(app, other))).response).toMatchObject({ success: false, message: en.identity_taken })
    expect((await logIn('oidc', 'dora')).response.data.id).toBe(user.id)
    expect(await bound.browser.call(contract.oauth.unbind, { way: 'oidc' })).toMatchObject({ success: true })
    expect(await identityOf(user.id)).toMatchObject({ oidc_id: '' })
  })

  test('refuses a response for another browser, sent twice, or of another service', async () => {
    const browser = cookieBrowser(app)
    const { authorize } = await begun('oidc', browser)
    const callback = callbackIn(await provider.agree(authorize.href, 'eve'))
    const refused = { status: 403, success: false, message: en.oauth_state_invalid }
    expect(await cookieBrowser(app).call(contract.oauth.oidc, callback)).toMatchObject(refused)
    expect(await browser.call(contract.oauth.google, callback)).toMatchObject(refused)
    const again = await begun('oidc', browser)
    const second = callbackIn(await provider.agree(again.authorize.href, 'eve'))
    expect(await browser.call(contract.oauth.github, second)).toMatchObject(refused)
    const third = callbackIn(await provider.agree((await begun('oidc', browser)).authorize.href, 'eve'))
    expect(await browser.call(contract.oauth.oidc, third)).toMatchObject({ success: true })
    expect(await browser.call(contract.oauth.oidc, third)).toMatchObject(refused)
  })

  test('refuses the code of another login: its challenge and its nonce are of that one', async () => {
    const [victim, attacker] = [cookieBrowser(app), cookieBrowser(app)]
    const stolen = callbackIn(await provider.agree((await begun('oidc', victim)).authorize.href, 'victim'))
    const own = await begun('oidc', attacker)
    const response = await attacker.call(contract.oauth.oidc, { ...stolen, state: own.state })
    expect(response).toMatchObject({ success: false, message: expect.stringContaining('OpenID Connect rejected this login') })
    expect(attacker.cookies.has('session')).toBe(false)
  })

  test('refuses a response that names another issuer, or none where the provider names itself', async () => {
    for (const iss of ['https://evil.example', '']) {
      const browser = cookieBrowser(app)
      const callback = callbackIn(await provider.agree((await begun('oidc', browser)).authorize.href, 'mallory'))
      expect(await browser.call(contract.oauth.oidc, { ...callback, iss })).toMatchObject({ success: false })
      expect(browser.cookies.has('session')).toBe(false)
    }
  })

  test('refuses a wrong secret with the reason of the provider', async () => {
    const browser = cookieBrowser(app)
    const callback = callbackIn(await provider.agree((await begun('oidc', browser)).authorize.href, 'frank'))
    await set({ OidcClientSecret: 'a-wrong-secret' })
    expect(await browser.call(contract.oauth.oidc, callback)).toMatchObject({ success: false, message: expect.stringContaining('client') })
    await set({ OidcClientSecret: client.secret })
  })

  test('is off until it is configured', async () => {
    await set({ OidcEnabled: 'false' })
    expect(await cookieBrowser(app).call(contract.oauth.state, { pkce: 'S256', service: 'oidc' })).toMatchObject({
      success: false,
      message: en.oauth_disabled.replace('{service}', 'OpenID Connect'),
    })
    expect(await app.data(contract.status.get, {})).toMatchObject({ oidc_login: false, google_oauth: true, oidc_name: 'Company' })
    await set({ OidcEnabled: 'true' })
    expect(await app.call(contract.option.update, { key: 'OidcIssuer', value: '' })).toMatchObject({ success: false })
  })

  test('goes to no account of an administrator while one of its options is pending super-admin approval', async () => {
    const admin = await app.make.user({ role: 10 })
    await app.app.store.db
      .updateTable('users')
      .set({ oidc_id: `${provider.issuer} gina` })
      .where('id', '=', admin.id)
      .execute()
    await app.data(contract.option.update, { key: 'OidcIssuer', value: `${provider.issuer}/` }, admin)
    await app.data(contract.option.update, { key: 'OidcIssuer', value: provider.issuer }, admin)
    await app.data(contract.option.update, { key: 'OidcClientSecret', value: client.secret }, admin)
    const refused = en.login_method_unconfirmed.replace('{service}', 'OpenID Connect')
    expect((await logIn('oidc', 'gina')).response).toMatchObject({ success: false, message: refused })
    expect((await logIn('oidc', 'ann')).response).toMatchObject({ success: true })
    const { revision } = await app.data(contract.option.waiting, {})
    await app.data(contract.option.confirm, { revision })
    expect((await logIn('oidc', 'gina')).response).toMatchObject({ success: true, data: { id: admin.id } })
  })

  test('requires the second factor of an account that has one', async () => {
    const { response } = await logIn('oidc', 'henry')
    await app.app.store.db.insertInto('second_factors').values({ user_id: response.data.id, is_on: 1 }).execute()
    const second = await logIn('oidc', 'henry')
    expect(second.response).toMatchObject({ success: false, message: en.two_factor_login_required, second_step: 'code' })
    expect(second.browser.cookies.has('session')).toBe(false)
  })
})

/** A provider that responds as a test says. */
async function liar(responses: { readonly idToken?: (issuer: string) => string; readonly metadata?: object; readonly jwks?: string }) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request): Response {
      const { pathname, origin: issuer } = new URL(request.url)
      if (pathname === '/.well-known/openid-configuration') {
        const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` }
        const rest = {
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        }
        return Response.json({ issuer, ...endpoints, ...rest, ...responses.metadata })
      }
      if (pathname === '/jwks') return new Response(responses.jwks ?? '{"keys":[]}', { headers: { 'content-type': 'application/json' } })
      return Response.json({ access_token: 'x', token_type: 'Bearer', id_token: responses.idToken?.(issuer) ?? '' })
    },
  })
  return { issuer: `http://127.0.0.1:${server.port}`, close: () => server.stop(true) }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a provider that lies', () => {
  async function responseOf(server: { readonly issuer: string }, iss = '') {
    await set({ OidcIssuer: server.issuer, OidcClientSecret: client.secret })
    const browser = cookieBrowser(app)
    const begunThere = await browser.call(contract.oauth.state, { pkce: 'S256', service: 'oidc' })
    if (!begunThere.success) return begunThere
    return await browser.call(contract.oauth.oidc, { code: 'c', state: String(begunThere.data), iss })
  }

  const claims = (issuer: string, more: object = {}) => ({
    iss: issuer,
    sub: 'root',
    aud: client.id,
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 60,
    ...more,
  })

  for (const [what, responses] of [
    ['signs nothing', { idToken: (issuer: string) => `${part({ alg: 'none' })}.${part(claims(issuer))}.` }],
    [
      'signs with a key that it does not publish',
      { idToken: (issuer: string) => `${part({ alg: 'RS256', kid: 'x' })}.${part(claims(issuer))}.${part({})}` },
    ],
    ['signs with the secret as key', { idToken: (issuer: string) => `${part({ alg: 'HS256' })}.${part(claims(issuer))}.${part({})}` }],
    ['sends no token', { idToken: () => '' }],
    ['names another issuer', { metadata: { issuer: 'https://accounts.google.com' } }],
    ['has no address of a login page', { metadata: { authorization_endpoint: 'javascript:alert(1)' } }],
    [
      'sends keys without end',
      {
        jwks: `{"keys":[${' '.repeat(400_000)}]}`,
        idToken: (issuer: string) => `${part({ alg: 'RS256' })}.${part(claims(issuer))}.${part({})}`,
      },
    ],
    ['names the metadata service of a cloud', { metadata: { token_endpoint: 'http://169.254.169.254/token' } }],
  ] as const) {
    test(`logs nobody in if it ${what}`, async () => {
      const before = await app.app.store.db
        .selectFrom('users')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirst()
      const server = await liar(responses)
      try {
        const response = await responseOf(server)
        expect(response).toMatchObject({ success: false })
        expect([en.service_response_invalid, en.service_unreachable].map((text) => text.replace('{service}', 'OpenID Connect'))).toContain(
          response.message,
        )
      } finally {
        server.close()
      }
      expect(
        await app.app.store.db
          .selectFrom('users')
          .select(({ fn }) => fn.countAll().as('count'))
          .executeTakeFirst(),
      ).toEqual(before)
    })
  }

  test('is never called over http outside the own network', async () => {
    for (const value of [
      'http://accounts.example.com',
      'ftp://localhost',
      'https://a.example/?x=1',
      'https://user@a.example',
      'nonsense',
    ]) {
      expect([value, (await app.call(contract.option.update, { key: 'OidcIssuer', value })).success]).toEqual([value, false])
    }
    for (const value of ['https://login.example.com/realms/one', 'http://keycloak:8080/realms/one']) {
      expect([value, (await app.call(contract.option.update, { key: 'OidcIssuer', value })).success]).toEqual([value, true])
    }
  })
})
