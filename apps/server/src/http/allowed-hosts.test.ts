import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { nobody, rootPassword, type TestApp, testApp } from '../../test/app.ts'
import { connectStore } from '../db/connect-store.ts'
import { storePlace } from '../db/store-place.ts'

const metrics = 'a-token-for-metrics'
const consoleFiles = {
  scriptHashes: [],
  inDesign: () => consoleFiles,
  serve: async () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
}
let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { ALLOWED_HOSTS: 'ai.example.com, bücher.example', METRICS_TOKEN: metrics }, consoleFiles })
})
afterAll(() => app.close())

const at = (host: string, path = '/api/status', headers: Readonly<Record<string, string>> = {}, to = app) =>
  to.request(path, { headers: { host, ...headers } })
const statusAt = async (host: string, path?: string, headers?: Readonly<Record<string, string>>) => (await at(host, path, headers)).status

describe('a host name that is not the server’s', () => {
  test('gets 421 and an error that names the variable', async () => {
    const response = await at('evil.example')
    expect(response.status).toBe(421)
    const body = await response.json()
    expect(body).toEqual({ success: false, message: expect.stringContaining('ALLOWED_HOSTS') })
    expect(body).toEqual({ success: false, message: expect.stringContaining('"evil.example"') })
    for (const path of ['/api/docs', '/api/openapi.json']) expect([path, await statusAt('evil.example', path)]).toEqual([path, 421])
    expect((await at('evil.example', '/api/status', { 'accept-language': 'zh' })).text()).resolves.toContain('主机名“evil.example”')
  })

  test('gets no page of the console, but a text that says why', async () => {
    for (const path of ['/', '/login', '/assets/index.js']) {
      const response = await at('evil.example', path)
      expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 421, 'text/plain; charset=utf-8'])
      expect(await response.text()).toContain('ALLOWED_HOSTS')
    }
  })

  test('is accepted where no cookie counts: by the relay, health and metrics', async () => {
    const { key } = await app.make.token(app.root)
    for (const path of ['/v1/models', '/v1beta/models'])
      expect([path, await statusAt('evil.example', path, { authorization: `Bearer ${key}` })]).toEqual([path, 200])
    for (const path of ['/healthz', '/livez', '/readyz']) expect([path, await statusAt('evil.example', path)]).toEqual([path, 200])
    expect(await statusAt('evil.example', '/metrics', { authorization: `Bearer ${metrics}` })).toBe(200)
  })

  test('does not hinder a call with an access token and without a cookie', async () => {
    const { headers } = await app.make.accessToken(await app.make.user())
    expect(await statusAt('evil.example', '/api/user/self', headers)).toBe(200)
    expect(await statusAt('evil.example', '/api/status', headers)).toBe(200)
    expect(await statusAt('evil.example', '/api/user/self', { ...headers, ...app.root.headers })).toBe(421)
    expect(await statusAt('evil.example', '/api/user/self', app.root.headers)).toBe(421)
  })

  test('logs nobody in, also with an invented access token', async () => {
    for (const path of ['/api/user/login', '/api/user/setup', '/api/user/register']) {
      const response = await app.request(path, {
        method: 'POST',
        headers: { host: 'evil.example', authorization: 'Bearer invented' },
        body: JSON.stringify({ username: 'root', password: rootPassword }),
      })
      expect([path, response.status, response.headers.get('set-cookie')]).toEqual([path, 421, null])
    }
  })
})

test('the server responds at addresses, localhost and its names, however they are spelt', async () => {
  for (const host of [
    '127.0.0.1',
    '[::1]:3000',
    '203.0.113.4:80',
    'localhost',
    'ai.example.com',
    'AI.EXAMPLE.COM.:8443',
    'xn--bcher-kva.example',
  ])
    expect([host, await statusAt(host)]).toEqual([host, 200])
  for (const host of [
    'ai.example.com.evil.example',
    'ai.example.com:',
    'ai.example.com..',
    'localhost.evil.example',
    '2130706433',
    '127.1',
  ])
    expect([host, await statusAt(host)]).toEqual([host, 421])
})

test('the name in X-Forwarded-Host counts if it comes from a trusted proxy', async () => {
  expect(await statusAt('evil.example', '/api/status', { 'x-forwarded-host': 'ai.example.com' })).toBe(421)
  const behind = await testApp({ env: { ALLOWED_HOSTS: 'ai.example.com', TRUSTED_PROXIES: '127.0.0.1' } })
  try {
    expect((await at('sluice:3000', '/api/status', { 'x-forwarded-host': 'ai.example.com' }, behind)).status).toBe(200)
    expect((await at('ai.example.com', '/api/status', { 'x-forwarded-host': 'evil.example' }, behind)).status).toBe(421)
  } finally {
    await behind.close()
  }
})

test('a new ServerAddress takes the place of the old one at once', async () => {
  const own = await testApp()
  try {
    const status = async (host: string) => (await at(host, '/api/status', {}, own)).status
    expect(await status('one.example')).toBe(421)
    await own.data(contract.option.update, { key: 'ServerAddress', value: 'https://one.example' })
    expect([await status('one.example'), await status('two.example')]).toEqual([200, 421])
    await own.data(contract.option.update, { key: 'ServerAddress', value: 'https://two.example' })
    expect([await status('one.example'), await status('two.example'), await status('127.0.0.1')]).toEqual([421, 200, 200])
    expect((await own.data(contract.option.waiting, {})).answers_any_host).toBe(false)
  } finally {
    await own.close()
  }
})

test('an older installation responds at every name until one is configured, and root sees it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-hosts-'))
  const store = await connectStore(storePlace({ databaseUrl: '', dataDir }), { report: () => {} })
  await store.db.insertInto('installation_marks').values({ name: 'older than host names' }).execute()
  await store.close()
  const old = await testApp({ engine: 'sqlite', env: { DATA_DIR: dataDir }, storedOptions: { SystemName: 'Old' } })
  try {
    expect((await at('any.example', '/api/status', {}, old)).status).toBe(200)
    expect((await old.data(contract.option.waiting, {})).answers_any_host).toBe(true)
    expect(
      await old.call(contract.account.login, { username: 'root', password: rootPassword }, { headers: { host: 'any.example' } }),
    ).toMatchObject({ success: true })
    await old.data(contract.option.update, { key: 'ServerAddress', value: 'https://ai.example.com' })
    expect((await at('any.example', '/api/status', {}, old)).status).toBe(421)
    expect((await old.data(contract.option.waiting, {})).answers_any_host).toBe(false)
    expect((await old.call(contract.status.get, {}, nobody)).success).toBe(true)
  } finally {
    await old.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
