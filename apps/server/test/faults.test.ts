import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract, optionKeys, options } from '@sluice/contract'
import { vendors } from '@sluice/vendors/list'
import { type TestApp, testApp } from './app.ts'
import { startServer } from './server-process.ts'

// Faults of gateways of this family that belong to no noun of ours. Those of a noun are tested beside it.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

describe('no door stands beside the doors', () => {
  test('no address lets a token choose its channel and pass everything on to it (W8)', async () => {
    await app.make.channel()
    const { key } = await app.make.token(app.root)
    const headers = { authorization: `Bearer ${key}`, cookie: 'session=x' }
    for (const path of ['/v1/oneapi/proxy/1/v1/chat/completions', '/v1/proxy/1/x', '/v1/oneapi/proxy/1/']) {
      const response = await app.request(path, { method: 'POST', headers, body: '{"model":"gpt-4o-mini","messages":[]}' })
      expect([path, response.status]).toEqual([path, 404])
      await response.text()
    }
    // A channel behind the key is for administrators only, and even theirs passes nothing on but what the relay knows.
    const { key: ofUser } = await app.make.token(await app.make.user())
    for (const suffix of ['-1', '-999']) {
      const authorization = `Bearer ${ofUser}${suffix}`
      const response = await app.request('/v1/models', { headers: { authorization } })
      expect([suffix, response.status]).toEqual([suffix, 403])
      await response.text()
    }
    expect(app.upstream.received).toEqual([])
  })

  test('no address tells visitors about the inside: how it is, and nothing else (W50)', async () => {
    for (const path of ['/api/monitor/health', '/api/metrics', '/metrics', '/debug/pprof', '/api/debug', '/api/test/smtp'])
      expect([path, (await app.request(path)).status]).toEqual([path, 404])
    expect(await (await app.request('/healthz')).json()).toEqual({ status: 'ok' })
    expect(await (await app.request('/readyz')).json()).toEqual({ status: 'ready' })
  })
})

describe('nothing is there before somebody has put it there', () => {
  test('no secret comes with the program (W34)', () => {
    expect(optionKeys.filter((key) => options[key].secret && options[key].fallback !== '')).toEqual([])
  })

  test('a second root is not made because the first was renamed (W43)', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sluice-root-'))
    const authorization = 'an access token for the tests of roots'
    const variables = { DATA_DIR: dataDir, INITIAL_ROOT_ACCESS_TOKEN: authorization }
    try {
      const first = await startServer(variables)
      const body = JSON.stringify({ username: 'somebody' })
      expect(await (await fetch(`${first.url}/api/user/self`, { method: 'PUT', headers: { authorization }, body })).json()).toMatchObject({
        success: true,
      })
      first.signal('SIGTERM')
      await first.exited
      const second = await startServer(variables)
      const login = await fetch(`${second.url}/api/user/login`, {
        method: 'POST',
        body: JSON.stringify({ username: 'root', password: '123456' }),
      })
      expect(await login.json()).toMatchObject({ success: false })
      const users = await (await fetch(`${second.url}/api/user/`, { headers: { authorization } })).text()
      expect(JSON.parse(users).data).toMatchObject([{ username: 'somebody', role: 100 }])
      second.signal('SIGTERM')
      await second.exited
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  test('groups without a channel have no models, not one without a name (W48)', async () => {
    const lonely = await app.make.user({ groups: 'nobody-serves-this' })
    expect(await app.data(contract.account.availableModels, {}, lonely)).toEqual([])
  })
})

test('a channel of any type can be asked for its balance, also where there is none to ask: no number is too large (W30)', async () => {
  const types = vendors.map(({ type }) => type)
  for (const type of types) {
    const id = await app.make.channel({ type })
    const answer = await app.call(contract.channel.updateBalance, { id })
    expect([type, typeof answer.message]).toEqual([type, 'string'])
  }
  for (const type of [0, -1, 51, 2 ** 31]) {
    const answer = await app.call(contract.channel.create, { name: 'n', key: 'k', type, models: 'm' })
    expect([type, answer.success]).toEqual([type, false])
  }
})
