import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, type MessageKey } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { cookieBrowser } from '../../../test/cookie-browser.ts'
import { type FakePerson, type FakeProvider, fakeGithub } from '../../../test/fake-services.ts'
import { type OidcServer, startOidcServer } from '../../../test/oidc-server.ts'

const public_ = 'https://gateway.example'
const client = { id: 'sluice', secret: 'a-client-secret' }

/** What Google and the company's provider say about people, by their logins. */
const people: Record<string, Readonly<Record<string, unknown>>> = {}

let app: TestApp
let github: FakeProvider
let google: OidcServer
let oidc: OidcServer
beforeAll(async () => {
  const claimsOf = (login: string) => people[login] ?? {}
  github = fakeGithub(client)
  google = await startOidcServer({ ...client, redirect: `${public_}/oauth/google`, claimsOf })
  oidc = await startOidcServer({ ...client, redirect: `${public_}/oauth/oidc`, claimsOf, hasGroupsScope: true })
  app = await testApp({ outsideAddresses: { github: github.url, githubApi: github.url, google: google.issuer } })
  await set({
    ServerAddress: public_,
    ...{ GitHubClientId: client.id, GitHubClientSecret: client.secret, GitHubOAuthEnabled: 'true' },
    ...{ GoogleClientId: client.id, GoogleClientSecret: client.secret, GoogleOAuthEnabled: 'true' },
    ...{ OidcIssuer: oidc.issuer, OidcClientId: client.id, OidcClientSecret: client.secret, OidcEnabled: 'true' },
  })
})
afterAll(async () => {
  await app.close()
  for (const server of [github, google, oidc]) await server.close()
})

const noRules = {
  OAuthRegisterEnabled: 'true',
  OAuthMailDomains: '',
  GitHubOrganizations: '',
  GoogleHostedDomains: '',
  OidcGroups: '',
  OidcGroupsClaim: 'groups',
  EmailDomainRestrictionEnabled: 'false',
}
beforeEach(() => set(noRules))

async function set(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value })
}

let logins = 0

/** Logs in by a service, as somebody who has never been here unless a login is given. */
async function logIn(
  service: 'google' | 'oidc',
  claims: Readonly<Record<string, unknown>>,
  login = `person-${++logins}`,
  browser = cookieBrowser(app),
) {
  people[login] = claims
  const { authorize = '' } = await browser.call(contract.oauth.state, { pkce: 'S256', service })
  const scopes = new URL(authorize).searchParams.get('scope')
  const back = await (service === 'google' ? google : oidc).agree(authorize, login)
  const param = (name: string): string => back.searchParams.get(name) ?? ''
  const response = await browser.call(contract.oauth[service], { code: param('code'), state: param('state'), iss: param('iss') })
  return { response, scopes }
}

async function logInAtGithub(person: Partial<FakePerson>, browser = cookieBrowser(app)) {
  logins += 1
  const state = String((await browser.call(contract.oauth.state, { pkce: '', service: '' })).data)
  const code = github.codeFor({ id: `${70_000 + logins}`, login: `login-${logins}`, name: '', ...person })
  return await browser.call(contract.oauth.github, { code, state })
}

const refused = (key: MessageKey, service: string) => ({ success: false, message: en[key].replaceAll('{service}', service) })
const welcome = { success: true, data: { role: 1 } }
const verified = (email: string) => ({ email, email_verified: true })
const mailAtGithub = (email: string, isVerified = true) => ({
  mails: [
    { email: 'other@gmail.com', verified: true },
    { email, verified: isVerified },
  ],
})

test('without rules everybody may log in, and nothing but the name is requested', async () => {
  expect(await logInAtGithub({})).toMatchObject(welcome)
  for (const service of ['google', 'oidc'] as const) {
    const { response, scopes } = await logIn(service, {})
    expect(response).toMatchObject(welcome)
    expect(scopes).toBe('openid profile')
  }
  expect(github.received.map(({ path }) => path)).not.toContain('/user/emails')
  expect(await app.data(contract.status.get, {})).toMatchObject({ github_scopes: 'user:email' })
})

describe('allowed mail domains', () => {
  beforeEach(() => set({ OAuthMailDomains: 'example.com,example.org' }))

  test('let in who has a verified address of one of them', async () => {
    for (const [service, name] of [
      ['google', 'Google'],
      ['oidc', 'OpenID Connect'],
    ] as const) {
      const { response, scopes } = await logIn(service, verified('ann@Example.org'))
      expect(response).toMatchObject(welcome)
      expect(scopes).toBe('openid profile email')
      for (const claims of [
        {},
        verified('ann@gmail.com'),
        { email: 'ann@example.org' },
        { email: 'ann@example.org', email_verified: false },
      ])
        expect((await logIn(service, claims)).response).toMatchObject(refused('oauth_mail_not_allowed', name))
      for (const email of ['ann@evil-example.org', 'ann@example.org.evil.net', '"ann@example.org"@evil.net'])
        expect((await logIn(service, verified(email))).response).toMatchObject(refused('oauth_mail_not_allowed', name))
    }
    expect(await logInAtGithub(mailAtGithub('bob@example.com'))).toMatchObject(welcome)
    for (const person of [{}, mailAtGithub('bob@example.com', false), mailAtGithub('bob@sub.example.com')])
      expect(await logInAtGithub(person)).toMatchObject(refused('oauth_mail_not_allowed', 'GitHub'))
  })

  test('apply to accounts that are there already, at each login', async () => {
    await set({ OAuthMailDomains: '' })
    expect((await logIn('google', verified('carl@gmail.com'), 'carl')).response).toMatchObject(welcome)
    await set({ OAuthMailDomains: 'example.com' })
    expect((await logIn('google', verified('carl@gmail.com'), 'carl')).response).toMatchObject(refused('oauth_mail_not_allowed', 'Google'))
    expect((await logIn('google', verified('carl@example.com'), 'carl')).response).toMatchObject(welcome)
  })

  test('apply when a login is bound to an account', async () => {
    const user = await app.make.user()
    const state = async () => {
      const response = await app.request('/api/oauth/state', { headers: user.headers })
      const cookie = [user.headers['cookie'], ...response.headers.getSetCookie().map((line) => line.split(';')[0])].join('; ')
      return { state: JSON.parse(await response.text()).data, cookie }
    }
    const bind = async (person: Partial<FakePerson>) => {
      const begun = await state()
      const code = github.codeFor({ id: '80001', login: 'dora', name: '', ...person })
      return await (
        await app.request(`/api/oauth/github?${new URLSearchParams({ code, state: begun.state })}`, { headers: { cookie: begun.cookie } })
      ).json()
    }
    expect(await bind(mailAtGithub('dora@gmail.com'))).toMatchObject(refused('oauth_mail_not_allowed', 'GitHub'))
    expect(await bind(mailAtGithub('dora@example.com'))).toMatchObject({ success: true, message: 'bind' })
  })
})

test('Google accounts can be limited to Workspace domains', async () => {
  await set({ GoogleHostedDomains: 'example.com' })
  expect((await logIn('google', { hd: 'example.com' })).response).toMatchObject(welcome)
  for (const claims of [{}, { hd: 'example.org' }, verified('eve@example.com'), { hd: ['example.com'] }])
    expect((await logIn('google', claims)).response).toMatchObject(refused('oauth_domain_not_allowed', 'Google'))
  expect((await logIn('oidc', {})).response).toMatchObject(welcome)
})

test('GitHub accounts can be limited to organisations, also to the last of many', async () => {
  await set({ GitHubOrganizations: 'Acme,other' })
  expect(await app.data(contract.status.get, {})).toMatchObject({ github_scopes: 'user:email read:org' })
  const many = Array.from({ length: 250 }, (_, number) => `org-${number}`)
  expect(await logInAtGithub({ organizations: ['acme'] })).toMatchObject(welcome)
  expect(await logInAtGithub({ organizations: [...many, 'other'] })).toMatchObject(welcome)
  for (const organizations of [[], many, ['acme-evil']])
    expect(await logInAtGithub({ organizations })).toMatchObject(refused('oauth_organization_not_allowed', 'GitHub'))
  // Without the scope.
  expect(await logInAtGithub({})).toMatchObject({ success: false })
})

test('OpenID accounts can be limited to groups, in a claim of any name', async () => {
  await set({ OidcGroups: '/staff,admins' })
  const allowed = await logIn('oidc', { groups: ['users', '/staff'] })
  expect(allowed.response).toMatchObject(welcome)
  expect(allowed.scopes).toBe('openid profile groups')
  for (const claims of [{}, { groups: [] }, { groups: ['Admins'] }, { groups: { admins: true } }, { roles: ['admins'] }])
    expect((await logIn('oidc', claims)).response).toMatchObject(refused('oauth_group_not_allowed', 'OpenID Connect'))
  await set({ OidcGroupsClaim: 'roles' })
  expect((await logIn('oidc', { roles: 'admins' })).response).toMatchObject(welcome)
  expect((await logIn('google', {})).response).toMatchObject(welcome)
})

test('all rules of a service must hold', async () => {
  await set({ OidcGroups: 'admins', OAuthMailDomains: 'example.com' })
  expect((await logIn('oidc', { groups: ['admins'], ...verified('a@example.com') })).response).toMatchObject(welcome)
  expect((await logIn('oidc', { groups: ['admins'] })).response).toMatchObject({ success: false })
  expect((await logIn('oidc', verified('a@example.com'))).response).toMatchObject({ success: false })
})

test('login services can be kept from creating accounts', async () => {
  expect((await logIn('oidc', {}, 'fred')).response).toMatchObject(welcome)
  await set({ OAuthRegisterEnabled: 'false' })
  expect((await logIn('oidc', {}, 'fred')).response).toMatchObject(welcome)
  expect((await logIn('oidc', {})).response).toMatchObject(refused('oauth_register_disabled', 'OpenID Connect'))
  expect(await logInAtGithub({})).toMatchObject(refused('oauth_register_disabled', 'GitHub'))
})

test('the mail domains of registrations apply to login services that provide verified addresses, to new accounts only', async () => {
  expect((await logIn('google', verified('gina@gmail.com'), 'gina')).response).toMatchObject(welcome)
  await set({ EmailDomainWhitelist: 'example.com', EmailDomainRestrictionEnabled: 'true' })
  expect((await logIn('google', verified('gina@gmail.com'), 'gina')).response).toMatchObject(welcome)
  expect((await logIn('google', verified('hugo@gmail.com'))).response).toMatchObject(refused('oauth_mail_not_allowed', 'Google'))
  expect((await logIn('google', verified('hugo@example.com'))).response).toMatchObject(welcome)
  expect(await logInAtGithub(mailAtGithub('hugo@example.com'))).toMatchObject(welcome)
})
