import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await testApp()
  await app.make.channel()
  key = (await app.make.token(await app.make.user())).key
})
afterAll(() => app.close())

const origin = 'https://page.example'

const routes = [
  ['POST', '/v1/chat/completions'],
  ['POST', '/v1/chat/completions/'],
  ['POST', '/v1/embeddings'],
  ['POST', '/v1/images/edits'],
  ['POST', '/v1/audio/transcriptions'],
  ['POST', '/v1/responses'],
  ['DELETE', '/v1/responses/resp_1'],
  ['GET', '/v1/models'],
  ['GET', '/v1/models/gpt-4o'],
  ['GET', '/dashboard/billing/usage'],
  ['GET', '/v1/no-such-route'],
] as const

function expectOpen({ headers }: Response): void {
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  expect(headers.get('x-request-id')).toMatch(/./)
  for (const name of ['x-request-id', 'x-attempts', 'x-should-retry', 'retry-after'])
    expect(headers.get('access-control-expose-headers')?.split(', ')).toContain(name)
}

for (const [method, path] of routes) {
  test(`A page of any site may call ${method} ${path}, and reads errors as well as successful responses`, async () => {
    const names = 'authorization, content-type, x-stainless-lang'
    const preflightHeaders = { origin, 'access-control-request-method': method, 'access-control-request-headers': names }
    const allowed = await app.request(path, { method: 'OPTIONS', headers: preflightHeaders })
    expectOpen(allowed)
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-methods')?.split(', ')).toContain(method)
    expect(allowed.headers.get('access-control-allow-headers')).toBe(names)
    const refused = await app.request(path, { method, headers: { origin } })
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expectOpen(refused)
  })
}

test('A response, a stream and a list allow any origin too', async () => {
  const headers = { origin, authorization: `Bearer ${key}` }
  for (const stream of [false, true]) {
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], stream })
    const response = await app.request('/v1/chat/completions', { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    expectOpen(response)
    await response.text()
  }
  expectOpen(await app.request('/v1/models', { headers }))
})

test('Malformed header names are not repeated', async () => {
  const preflightHeaders = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'a; b<script>' }
  const allowed = await app.request('/v1/models', { method: 'OPTIONS', headers: preflightHeaders })
  expect(allowed.headers.get('access-control-allow-headers')).toBe('*, authorization')
})

test('The management API allows no other origin', async () => {
  for (const method of ['OPTIONS', 'GET']) {
    const { headers } = await app.request('/api/status', { method, headers: { origin, 'access-control-request-method': 'GET' } })
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})
