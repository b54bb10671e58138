import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { nobody, type TestApp, type TestUser, testApp } from './app.ts'
import { chatResponse, json } from './fake-upstream.ts'
import { billingCalls, type FamilyCall, identityCalls, type Known, laterCalls, sessionCalls } from './family-calls.ts'
import { type OutsideServices, startOutsideServices } from './outside-services.ts'
import { alsoExpected, specified } from './surface.ts'

let app: TestApp
let services: OutsideServices
let ann: TestUser
const known: Record<string, unknown> = {}
let cookiesOfAnn: readonly string[] = []

beforeAll(async () => {
  services = await startOutsideServices()
  app = await testApp({ outsideAddresses: services.addresses, env: services.env })
  await services.setUp(app)
  ann = await app.make.user()
  Object.assign(known, { upstream: `${app.upstream.url}/`, ann: ann.id })
  app.upstream.fallback(({ path }) =>
    path.includes('/dashboard/billing/') ? json({ hard_limit_usd: 12.5, total_usage: 0 }) : json(chatResponse()),
  )
})
afterAll(async () => {
  await app.close()
  await services.close()
})

type Body = Readonly<Record<string, unknown>>

async function send({ call, at, as = 'root', body }: FamilyCall): Promise<Body> {
  const path = at.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(known[name])))
  const { headers } = { visitor: nobody, ann, root: app.root }[as]
  const cookie = [headers['cookie'], ...cookiesOfAnn].join('; ')
  const response = await app.request(`/api${path}`, {
    method: call.split(' ')[0] ?? 'GET',
    headers: { 'content-type': 'application/json', ...headers, ...(as === 'ann' && { cookie }) },
    redirect: 'error',
    ...(body === undefined ? {} : { body: JSON.stringify(body(known)) }),
  })
  // A browser sends the cookie of a state with the call that uses it.
  if (call.endsWith('/oauth/state')) cookiesOfAnn = response.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
  // Holds: every response of the management API is an object.
  return { status: response.status, ...((await response.json()) as object) }
}

/** Where a value lacks what an example has; `null`: nowhere. */
function lack(value: unknown, example: unknown, at = 'data'): string | null {
  if (Array.isArray(example)) {
    if (!Array.isArray(value)) return `${at} is no list`
    if (example.length === 0) return value.length === 0 ? null : `${at} is not empty`
    if (value.length === 0) return `${at} is empty`
    return value.map((item, index) => lack(item, example[0], `${at}[${index}]`)).find((difference) => difference !== null) ?? null
  }
  if (typeof example !== 'object' || example === null) return typeof value === typeof example ? null : `${at} is ${String(value)}`
  if (typeof value !== 'object' || value === null) return `${at} is no object`
  const members: Known = { ...value }
  return (
    Object.entries(example)
      .map(([name, member]) => lack(members[name], member, `${at}.${name}`))
      .find((difference) => difference !== null) ?? null
  )
}

function memberAt(data: unknown, path: string): unknown {
  return path === '' ? data : path.split('.').reduce<unknown>((value, name) => Object(value)[name], data)
}

function keep({ keeps = {} }: FamilyCall, { data }: Body): void {
  for (const [name, path] of Object.entries(keeps)) known[name] = memberAt(data, path)
}

/** Makes a call and expects what a console of the family reads of its response. */
async function expectResponse(call: FamilyCall): Promise<void> {
  const response = await send(call)
  const name = `${call.call} ${call.at}`
  expect([name, response['status'], response['success'], response['message']]).toEqual([name, 200, true, call.message ?? ''])
  const missing = call.data === undefined ? null : lack(response['data'], call.data)
  expect([name, missing]).toEqual([name, null])
  expect([name, lack(response, call.beside ?? {}, 'envelope')]).toEqual([name, null])
  keep(call, response)
}

const codeOf = async (number: number) => /\b\d{6}\b/.exec((await services.mail.mail(number)).text)?.[0] ?? ''

test('every call of the specification and of the family has a fixture', () => {
  const fixtures = new Set([...sessionCalls, ...laterCalls, ...identityCalls].map(({ call }) => call))
  expect([...specified, ...alsoExpected].filter((call) => !fixtures.has(call))).toEqual([])
})

test('the calls of a session work with the bodies of the family, in the order of a life', async () => {
  for (const call of sessionCalls) await expectResponse(call)
})

test('a program uses the token, and asks for its balance', async () => {
  const headers = { authorization: `Bearer sk-${known['key']}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello.' }] })
  expect((await app.request('/v1/chat/completions', { method: 'POST', headers, body })).status).toBe(200)
  for (const [path, example] of billingCalls) {
    for (const address of [path, `${path}/`]) {
      const response = await app.request(address, { headers, redirect: 'error' })
      expect([address, response.status, lack(await response.json(), example)]).toEqual([address, 200, null])
    }
  }
})

test('the calls about what happened work too', async () => {
  for (const call of laterCalls) await expectResponse(call)
})

test('the system access token is accepted bare and as a bearer', async () => {
  for (const authorization of [String(known['accessToken']), `Bearer ${known['accessToken']}`]) {
    const response = await app.request('/api/user/self', { headers: { authorization } })
    expect(await response.json()).toMatchObject({ success: true, data: { username: ann.username } })
  }
})

test('registration, reset and the logins of other services work with the calls of the family', async () => {
  await app.data(contract.option.update, { key: 'EmailVerificationEnabled', value: 'true' })
  Object.assign(services.wechatOwners, { 111111: 'wechat-new', 222222: 'wechat-ann' })
  const person = { id: '4711', login: 'ann', name: 'Ann' }
  known['githubCode'] = services.github.codeFor(person)
  known['larkCode'] = services.lark.codeFor(person)
  for (const call of identityCalls) {
    await expectResponse(call)
    if (call.call === 'GET /api/verification') known[call.as === 'ann' ? 'annCode' : 'mailCode'] = await codeOf(call.as === 'ann' ? 2 : 0)
    if (call.call === 'GET /api/reset_password')
      known['resetToken'] = new URL(/http\S+\/user\/reset\?\S+/.exec((await services.mail.mail(1)).text)?.[0] ?? '').searchParams.get(
        'token',
      )
  }
  expect(await app.inconsistencies()).toEqual([])
})
