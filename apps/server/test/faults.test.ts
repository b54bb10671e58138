import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, optionKeys, options } from '@sluice/contract'
import { vendors } from '@sluice/vendors/registry/list'
import { type TestApp, testApp } from './app.ts'
import { processPassword, startServer } from './server-process.ts'

// Known faults of other gateways of the family that belong to no single noun. Those of a noun are tested in its folder.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

describe('there is no hidden access', () => {
  test('no address lets a token choose its channel and forward any request to it (W8)', async () => {
    await app.make.channel()
    const { key } = await app.make.token(app.root)
    const headers = { authorization: `Bearer ${key}`, cookie: 'session=x' }
    for (const path of ['/v1/oneapi/proxy/1/v1/chat/completions', '/v1/proxy/1/x', '/v1/oneapi/proxy/1/']) {
      const response = await app.request(path, { method: 'POST', headers, body: '{"model":"gpt-4o-mini","messages":[]}' })
      expect([path, response.status]).toEqual([path, 404])
      await response.text()
    }
    // Only administrators may name a channel behind the key, and even then only known calls are forwarded.
    const { key: ofUser } = await app.make.token(await app.make.user())
    for (const suffix of ['-1', '-999']) {
      const authorization = `Bearer ${ofUser}${suffix}`
      const response = await app.request('/v1/models', { headers: { authorization } })
      expect([suffix, response.status]).toEqual([suffix, 403])
      await response.text()
    }
    expect(app.upstream.received).toEqual([])
  })

  test('no address reveals more about the server to visitors than its health (W50)', async () => {
    for (const path of ['/api/monitor/health', '/api/metrics', '/metrics', '/debug/pprof', '/api/debug', '/api/test/smtp'])
      expect([path, (await app.request(path)).status]).toEqual([path, 404])
    expect(await (await app.request('/healthz')).json()).toEqual({ status: 'ok' })
    expect(await (await app.request('/readyz')).json()).toEqual({ status: 'ready' })
  })
})

describe('there are no built-in secrets, roots or models', () => {
  test('the program contains no secret (W34)', () => {
    expect(optionKeys.filter((key) => options[key].secret && options[key].fallback !== '')).toEqual([])
  })

  test('no second root is created after the first was renamed (W43)', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sluice-root-'))
    const authorization = 'an access token for the tests of roots'
    const variables = { DATA_DIR: dataDir, INITIAL_ROOT_ACCESS_TOKEN: authorization, INITIAL_ROOT_PASSWORD: processPassword }
    try {
      const first = await startServer(variables)
      const login = { method: 'POST', body: JSON.stringify({ username: 'root', password: processPassword }) }
      const cookie = (await fetch(`${first.url}/api/user/login`, login)).headers.getSetCookie().join('; ')
      const body = JSON.stringify({ username: 'somebody' })
      expect(await (await fetch(`${first.url}/api/user/self`, { method: 'PUT', headers: { cookie }, body })).json()).toMatchObject({
        success: true,
      })
      first.signal('SIGTERM')
      await first.exited
      const second = await startServer(variables)
      expect(await (await fetch(`${second.url}/api/user/login`, login)).json()).toMatchObject({ success: false })
      const users = await (await fetch(`${second.url}/api/user/`, { headers: { authorization } })).text()
      expect(JSON.parse(users).data).toMatchObject([{ username: 'somebody', role: 100 }])
      second.signal('SIGTERM')
      await second.exited
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  test('groups without a channel have no models, not even one with an empty name (W48)', async () => {
    const lonely = await app.make.user({ groups: 'nobody-serves-this' })
    expect(await app.data(contract.account.availableModels, {}, lonely)).toEqual([])
  })
})

test('the balance of a channel of any type can be queried, and no channel of an unknown type can be created (W30)', async () => {
  /** Keys of every shape that a type may require. */
  const keys = [
    'upstream-key',
    `fastgpt-key-${'0'.repeat(24)}`,
    'a|b',
    'a|b|c',
    'ak|sk|us-east-1',
    'id.secret',
    'us-east1|project|{"client_email":"a","private_key":"b"}',
  ]
  for (const {
    type,
    key: { isValid },
  } of vendors) {
    const key = keys.find((one) => isValid?.(one) !== false)
    const id = await app.make.channel({ type, other: 'v1', ...(key === undefined ? {} : { key }) })
    const response = await app.call(contract.channel.updateBalance, { id })
    expect([type, typeof response.message]).toEqual([type, 'string'])
  }
  for (const type of [0, -1, 51, 2 ** 31]) {
    const response = await app.call(contract.channel.create, { name: 'n', key: 'k', type, models: 'm' })
    expect([type, response.success]).toEqual([type, false])
  }
})
