import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { en } from '@sluice/contract'
import { nobody, type TestApp, testApp } from './app.ts'
import { endpoints, sendRaw, stored } from './endpoints.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

type Headers = Readonly<Record<string, string>>

/** Headers that a browser sends with a request caused by a page of another site. */
const fromElsewhere: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', origin: 'https://evil.example' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', origin: 'https://other.example' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { referer: 'https://evil.example/page' },
]

/** Headers of a link, the address bar, an image and a frame: even from our own page these may change nothing. */
const asPageOrImage: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
]

/** GET addresses of the specification that change state: each must be marked in the contract. */
const sideEffectGets = /\/(?:logout|user\/token|user\/aff|oauth\/[a-z]+|bind|verification|reset_password|channel\/test|update_balance)\b/

describe('a page of another site (W20)', () => {
  for (const [name, endpoint] of endpoints) {
    test(`cannot change anything through a signed-in browser by ${name}`, async () => {
      const root = await app.make.user({ role: 100 })
      const before = await stored(app, ['sessions'])
      for (const headers of endpoint.sideEffect ? [...fromElsewhere, ...asPageOrImage] : fromElsewhere) {
        const response = await sendRaw(app, endpoint, { as: root, headers })
        expect([headers, response.status, await response.json()]).toEqual([
          headers,
          403,
          { success: false, message: en.cross_site_request },
        ])
      }
      expect(await stored(app, ['sessions'])).toBe(before)
    })
  }

  test('cannot send JSON with the content type of a form either', async () => {
    const posts = endpoints.filter(([, { method }]) => method === 'POST' || method === 'PUT')
    for (const [name, endpoint] of posts) {
      const headers = { 'content-type': 'text/plain', origin: app.url }
      expect([name, (await sendRaw(app, endpoint, { as: app.root, headers })).status]).toEqual([name, 403])
    }
  })

  test('is distinguished from scripts, which send none of these headers', async () => {
    const response = await app.request('/api/user/self', { ...(await app.make.accessToken(app.root)) })
    expect(await response.json()).toMatchObject({ success: true })
  })
})

describe('side effects', () => {
  test('are marked on every call that writes, also if its method is GET', () => {
    const unmarked = endpoints.filter(([, { method, path, sideEffect }]) => !sideEffect && (method !== 'GET' || sideEffectGets.test(path)))
    expect(unmarked.map(([name]) => name)).toEqual([])
  })

  for (const [name, endpoint] of endpoints.filter(([, { sideEffect }]) => !sideEffect)) {
    test(`${name} writes nothing, as its row says`, async () => {
      const root = await app.make.user({ role: 100 })
      const before = await stored(app, ['sessions'])
      await (await sendRaw(app, endpoint, { as: root })).arrayBuffer()
      expect(await stored(app, ['sessions'])).toBe(before)
    })
  }
})

describe('headers under /api', () => {
  const always = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
  }

  for (const [name, endpoint] of endpoints) {
    test(`${name} forbids caching, framing, sniffing, indexing and reading by other sites, whether it succeeds or not`, async () => {
      for (const as of [nobody, await app.make.user(), await app.make.user({ role: 100 })]) {
        const response = await sendRaw(app, endpoint, { as, headers: { origin: app.url } })
        await response.arrayBuffer()
        const isFile = endpoint.isFile && response.headers.has('content-disposition')
        const type = isFile ? { 'content-type': 'text/csv; charset=utf-8' } : {}
        expect(Object.fromEntries(response.headers)).toMatchObject({ ...always, ...type })
        expect([...response.headers.keys()].filter((header) => header.startsWith('access-control-'))).toEqual([])
      }
      const preflight = await app.request(endpoint.path.split('?')[0] ?? '', {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': endpoint.method },
      })
      await preflight.arrayBuffer()
      expect([...preflight.headers.keys()].filter((header) => header.startsWith('access-control-'))).toEqual([])
    })
  }

  test('are also on responses for unknown paths: a 404 is never cached (W54)', async () => {
    for (const path of ['/api', '/api/', '/api/nonsense', '/api/channel/1/2/3', '/api/static/x.js']) {
      const response = await app.request(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(Object.fromEntries(response.headers)).toMatchObject(always)
      await response.arrayBuffer()
    }
  })
})
