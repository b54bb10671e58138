import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { nobody, type TestApp, testApp } from './app.ts'
import { type FakeMailServer, startMailServer } from './fake-mail-server.ts'
import { type FakeProvider, fakeGithub } from './fake-services.ts'
import { until } from './server-process.ts'
import { createReadyDatabase, type TestDatabase } from './stores.ts'

// A login may begin on one node and end on another one: what belongs to it is in the database.

let database: TestDatabase
let mail: FakeMailServer
let github: FakeProvider
let first: TestApp
let second: TestApp
beforeAll(async () => {
  database = await createReadyDatabase('postgres')
  mail = await startMailServer({ isPlain: true })
  github = fakeGithub({ id: 'gh-client', secret: 'gh-secret' })
  const open = (node: string): Promise<TestApp> =>
    testApp({
      env: { DATABASE_URL: database.url, NODE_ID: node, TRUSTED_PROXIES: '127.0.0.1' },
      outsideAddresses: { github: github.url, githubApi: github.url },
    })
  first = await open('first')
  second = await open('second')
  const values = {
    ...{ SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com', ServerAddress: 'https://gateway.example' },
    ...{ GitHubClientId: 'gh-client', GitHubClientSecret: 'gh-secret', GitHubOAuthEnabled: 'true', EmailVerificationEnabled: 'true' },
  }
  for (const [key, value] of Object.entries(values)) await first.data(contract.option.update, { key, value })
  await until(async () =>
    (await second.data(contract.option.list, {})).some(({ key, value }) => key === 'EmailVerificationEnabled' && value === 'true'),
  )
}, 60_000)
afterAll(async () => {
  await first.close()
  await second.close()
  await Promise.all([mail.close(), github.close()])
  await database.drop()
}, 60_000)

const cookieOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

/** Whom a node takes for logged in. */
async function whoIs(node: TestApp, cookie: string): Promise<string> {
  const self = await node.call(contract.account.self, {}, { headers: { cookie } })
  return self.success ? self.data.username : ''
}

test('a login at a service that was begun on one node ends on another one, and its session counts on both until one ends it', async () => {
  const state = await first.request(contract.oauth.state.path)
  // Holds: every response of the management API is an envelope.
  const { data } = (await state.json()) as { readonly data: string }
  const code = github.codeFor({ id: '583231', login: 'octocat', name: 'The Octocat' })
  const path = `${contract.oauth.github.path}?${new URLSearchParams({ code, state: data })}`
  const login = await second.request(path, { headers: { cookie: cookieOf(state) } })
  expect(await login.json()).toMatchObject({ success: true })
  const cookie = cookieOf(login)
  const names = await Promise.all([first, second].map((node) => whoIs(node, cookie)))
  expect(names[0]).not.toBe('')
  expect(names[1]).toBe(names[0] ?? '')
  // A state is used once, on whichever node.
  expect((await first.request(path, { headers: { cookie: cookieOf(state) } })).status).toBe(403)
  await first.call(contract.account.logout, {}, { headers: { cookie } })
  expect(await Promise.all([first, second].map((node) => whoIs(node, cookie)))).toEqual(['', ''])
})

test('a code that one node has mailed is taken by another one, once', async () => {
  const email = 'ann@example.com'
  const before = mail.received.length
  expect(await first.call(contract.verification.sendCode, { email, turnstile: '' }, nobody)).toMatchObject({ success: true })
  const code = /\b\d{6}\b/.exec((await mail.mail(before)).text)?.[0] ?? ''
  const register = (username: string) => ({ username, password: 'a good password', email, verification_code: code })
  const tries = [
    second.call(contract.account.register, register('ann'), nobody),
    first.call(contract.account.register, register('bob'), nobody),
  ]
  expect((await Promise.all(tries)).filter(({ success }) => success)).toHaveLength(1)
})
