import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { readEnv } from '../src/env.ts'
import { type ConsoleFiles, filesIn, loadConsole } from '../src/http/console-files.ts'
import { rootPassword, type TestApp, testApp } from './app.ts'
import { type FakeMailServer, startMailServer } from './fake-mail-server.ts'
import { chatResponse, json } from './fake-upstream.ts'

// A server that a proxy publishes at https://ai.example.com/sluice.

const html =
  '<!doctype html><html lang="en"><link rel="icon" href="/favicon.svg"><script>a()</script><script src="/static/js/a.js"></script></html>'
let folder: string
let consoleFiles: ConsoleFiles
let mail: FakeMailServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-below-'))
  writeFileSync(join(folder, 'index.html'), html)
  consoleFiles = await loadConsole(filesIn(folder))
  mail = await startMailServer({ isPlain: true })
})
afterAll(async () => {
  await mail.close()
  rmSync(folder, { recursive: true })
})

const trusted = { TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: 'ai.example.com' }
const fromProxy = { 'x-forwarded-host': 'ai.example.com', 'x-forwarded-proto': 'https' }

/** How a proxy may pass on a request for a path below /sluice. */
const proxies = [
  { name: 'a proxy that passes the path on', env: { ...trusted, BASE_PATH: '/sluice' }, prefix: '/sluice', headers: fromProxy },
  { name: 'a proxy that removes the path', env: { ...trusted, BASE_PATH: '/sluice/' }, prefix: '', headers: fromProxy },
  {
    name: 'a proxy that removes the path and names it',
    env: trusted,
    prefix: '',
    headers: { ...fromProxy, 'x-forwarded-prefix': '/sluice' },
  },
] as const

describe.each(proxies)('behind $name', ({ env, prefix, headers }) => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp({ env, consoleFiles })
  })
  afterAll(() => app.close())

  const request = (path: string, init: RequestInit = {}) =>
    app.request(`${prefix}${path}`, { ...init, headers: { ...headers, ...init.headers } })

  test('a page names its files and its path', async () => {
    for (const path of ['/', '/token', '/token/edit/1?a=b', '/index.html']) {
      const response = await request(path)
      expect(await response.text()).toBe(
        '<!doctype html><html data-base-path="/sluice" data-design="default" lang="en"><link rel="icon" href="/sluice/favicon.svg">' +
          '<script>a()</script><script src="/sluice/static/js/a.js"></script></html>',
      )
      expect(response.headers.get('content-security-policy')).toMatch(/script-src 'self' 'sha256-/)
    }
  })

  test('the cookie of a login is for this path, and counts at the next call', async () => {
    const login = await request('/api/user/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://ai.example.com', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ username: 'root', password: rootPassword }),
    })
    const cookie = login.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^__Secure-session=[^;]+; Path=\/sluice; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/)
    const own = (value: string) => request('/api/user/self', { headers: { cookie: value } })
    expect(await (await own(cookie.split(';')[0] ?? '')).json()).toMatchObject({ success: true, data: { username: 'root' } })
    expect((await own((cookie.split(';')[0] ?? '').replace('__Secure-', '__Host-'))).status).toBe(401)
    const logout = await request('/api/user/logout', { headers: { cookie: cookie.split(';')[0] ?? '' } })
    expect(logout.headers.get('set-cookie')).toStartWith('__Secure-session=; Path=/sluice; Max-Age=0')
  })

  test('clients find the calls of every protocol, whether a slash is at the end of their base address or not', async () => {
    await app.make.channel({ models: 'gpt-4o-mini' })
    const { key } = await app.make.token(await app.make.user({ quota: 1_000_000 }))
    const authorization = `Bearer ${key}`
    for (const path of ['/v1/models', '//v1/models', '/v1beta/models', '/openai/v1/models', '/models'])
      expect((await request(path, { headers: { authorization } })).status).toBe(200)
    app.upstream.script(json(chatResponse('Hello')))
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'hi' }] })
    const chat = await request('/chat/completions', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    })
    expect(await chat.json()).toMatchObject({ choices: [{ message: { content: 'Hello' } }] })
  })

  test('the documentation of the management API names the path', async () => {
    expect(await (await request('/api/openapi.json')).json()).toMatchObject({ servers: [{ url: '/sluice' }] })
    for (const path of ['/api/docs', '/api/docs/']) expect(await (await request(path)).text()).toContain('href="/sluice/api/openapi.json"')
  })

  test('clients learn the address with the path', async () => {
    expect(await (await request('/api/status')).json()).toMatchObject({ data: { server_address: 'https://ai.example.com/sluice' } })
  })

  test('health checks respond with and without the path', async () => {
    for (const path of ['/livez', '/readyz', '/healthz']) {
      expect((await request(path)).status).toBe(200)
      expect((await app.request(path)).status).toBe(200)
    }
  })
})

describe('addresses that the server writes', () => {
  test.each([
    ['https://ai.example.com', 'https://ai.example.com/sluice/user/reset?'],
    ['https://ai.example.com/outer', 'https://ai.example.com/outer/user/reset?'],
  ])('begin with ServerAddress %s and the path', async (address, link) => {
    const app = await testApp({ env: { BASE_PATH: '/sluice' } })
    try {
      const options = { SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com', ServerAddress: address }
      for (const [key, value] of Object.entries(options)) await app.data(contract.option.update, { key, value })
      const user = await app.make.user()
      const email = `${user.username}@example.com`
      await app.app.store.db.updateTable('users').set({ email }).where('id', '=', user.id).execute()
      const before = mail.received.length
      expect(await (await app.request(`/api/reset_password?email=${email}`)).json()).toMatchObject({ success: true })
      expect((await mail.mail(before)).text).toContain(link)
    } finally {
      await app.close()
    }
  })

  test('of the first login have the path', async () => {
    const app = await testApp({ env: { BASE_PATH: '/sluice', INITIAL_ROOT_PASSWORD: '' } })
    expect(app.app.startLines.join('\n')).toContain(`${app.url}/sluice/setup#`)
    await app.close()
  })
})

describe('a path in X-Forwarded-Prefix', () => {
  const pageOf = async (app: TestApp, prefix: string) => {
    const response = await app.request('/token', { headers: { 'x-forwarded-prefix': prefix } })
    return /data-base-path="([^"]*)"/.exec(await response.text())?.[1] ?? ''
  }

  test('counts only from a trusted proxy, and only if it is one', async () => {
    const [open, behind, both] = await Promise.all([
      testApp({ consoleFiles }),
      testApp({ env: trusted, consoleFiles }),
      testApp({ env: { ...trusted, BASE_PATH: '/own' }, consoleFiles }),
    ])
    expect(await pageOf(open, '/sluice')).toBe('')
    expect(await pageOf(behind, '/sluice/')).toBe('/sluice')
    expect(await pageOf(behind, '/sluice, /inner')).toBe('/sluice')
    expect(await pageOf(both, '/sluice')).toBe('/sluice')
    expect(await pageOf(both, '')).toBe('/own')
    for (const prefix of ['//evil.example', '/..', '/a"b', '/<b>', 'https://evil.example', `/${'a'.repeat(300)}`]) {
      expect(await pageOf(behind, prefix)).toBe('')
      expect(await pageOf(both, prefix)).toBe('/own')
    }
    for (let count = 0; count < 50; count += 1) expect(await pageOf(behind, `/p${count}`)).toBe(`/p${count}`)
    await Promise.all([open, behind, both].map((app) => app.close()))
  })

  test('does not change for which path the request is, so that rules of a proxy for paths hold', async () => {
    const app = await testApp({ env: trusted, consoleFiles })
    const { headers } = app.root
    const hidden = await app.request('/public/api/user/self', { headers: { ...headers, 'x-forwarded-prefix': '/public' } })
    expect(hidden.headers.get('content-type')).toStartWith('text/html')
    await app.close()
  })
})

test.each(['sluice', '/a/../b', '//x', '/a b', '/api', '/v1/x', '/static', '/chat', '/metrics', '/models', `/${'a'.repeat(300)}`])(
  'BASE_PATH=%s is refused at the start',
  (path) => expect(() => readEnv({ BASE_PATH: path })).toThrow('BASE_PATH must'),
)

test('BASE_PATH is the root if it is missing or a slash', () => {
  expect(readEnv({}).basePath).toBe('')
  expect(readEnv({ BASE_PATH: '/' }).basePath).toBe('')
  expect(readEnv({ BASE_PATH: '/tools/sluice/' }).basePath).toBe('/tools/sluice')
})
