import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { setOptions } from './channel-scene.ts'
import { type FakeClickHouse, startClickHouse } from './click-house.ts'
import { type FakeCollector, startFakeCollector } from './fake-collector.ts'
import { type FakeMailServer, startMailServer } from './fake-mail-server.ts'
import { type FakeProvider, type FakeService, fakeGithub, fakePusher, fakeReleases } from './fake-services.ts'
import { chatResponse, json } from './fake-upstream.ts'
import { type FakeProxy, startHttpProxy, startSocksProxy } from './proxies.ts'
import { until } from './server-process.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

// The proxies of the environment: what goes through them, and which rules for addresses still hold. The names below are known to nobody but
// this resolver, and the addresses are nobody's, so that what does not go through a proxy reaches nothing.

const resolver: Readonly<Record<string, readonly string[]>> = {
  'vendor.example': ['203.0.113.7'],
  'excepted.example': ['127.0.0.1'],
  'rebound.example': ['10.0.0.5'],
  'metadata.example': ['169.254.169.254'],
  'files.example': ['203.0.113.8'],
  'hooks.example': ['203.0.113.9'],
}

let proxy: FakeProxy
let own: FakeProxy
let mailProxy: FakeProxy
let app: TestApp
let user: TestUser
let key: string
let collector: FakeCollector
let clickHouse: FakeClickHouse
let mail: FakeMailServer
let github: FakeProvider
let pusher: FakeService
let releases: FakeService
const receiver = startWebhookReceiver()
let copyLog: () => Promise<unknown>

/** The servers behind the proxy, by the first name of the destination. */
const servers: Record<string, string> = {}

const portOf = (url: string): number => Number(new URL(url).port)

function portBehind(destination: string): number {
  const name = destination.split(/[.:]/)[0] ?? ''
  return portOf(servers[name] ?? app.upstream.url)
}

beforeAll(async () => {
  proxy = await startHttpProxy({ port: portBehind, login: 'ann:a word' })
  own = await startHttpProxy({ port: portBehind })
  mail = await startMailServer({ isPlain: true })
  mailProxy = await startSocksProxy({ port: mail.port })
  collector = await startFakeCollector()
  clickHouse = await startClickHouse()
  github = fakeGithub({ id: 'client', secret: 'secret' })
  pusher = fakePusher('push-token')
  releases = fakeReleases({ tag_name: 'v9', body: '' })
  Object.assign(servers, {
    ...{ '192': collector.url, '198': clickHouse.url, '203': receiver.url, hooks: receiver.url },
    ...{ github: github.url, pusher: pusher.url, releases: releases.url },
  })
  app = await testApp({
    env: {
      http_proxy: proxy.url.replace('//', '//ann:a%20word@'),
      HTTP_PROXY: 'http://127.0.0.1:9',
      HTTPS_PROXY: proxy.url.replace('//', '//ann:a%20word@'),
      ALL_PROXY: mailProxy.url,
      NO_PROXY: 'excepted.example',
      CLICKHOUSE_URL: clickHouse.url.replace(new URL(clickHouse.url).host, '198.51.100.1:8123'),
      RELEASES_URL: 'http://releases.example/repos/owner/repository/releases/latest',
    },
    outsideAddresses: { github: 'http://github.example', githubApi: 'http://github.example' },
    lookUp: async (host) => resolver[host] ?? [],
    schedule: (jobs) => {
      copyLog = () => jobs.find(({ name }) => name === 'copy-log')?.run() ?? Promise.reject(new Error('there is no such job'))
      return () => {}
    },
  })
  user = await app.make.user()
  key = (await app.make.token(user, { isUnlimited: true })).key
})
afterAll(async () => {
  await app.close()
  for (const one of [proxy, own, mailProxy, mail, collector, clickHouse, github, pusher, releases, receiver]) await one.close()
})

/** Destinations of the proxy of the environment since the test began. */
let before = 0
const destinations = (): readonly string[] => proxy.requests.slice(before).map(({ to }) => to)
beforeEach(() => {
  before = proxy.requests.length
})

let models = 0

interface ChatOptions {
  readonly content?: unknown
  readonly ownProxy?: string
  readonly type?: number
}

/** Asks a new channel at an address. @returns the status of the response */
async function chatAt(baseUrl: string, { content = 'Hi', ownProxy = '', type = 1 }: ChatOptions = {}): Promise<number> {
  const model = `model-${++models}`
  await setOptions(app, { UnpricedModelRatio: '1' })
  const id = await app.make.channel({ models: model, baseUrl, type })
  if (ownProxy !== '') await app.data(contract.channel.update, { id, key: 'upstream-key', proxy: ownProxy })
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
  })
  await response.text()
  return response.status
}

describe('requests to vendors', () => {
  test('go through the proxy of the environment with its credentials, by name; the variable in small letters wins', async () => {
    app.upstream.script(json(chatResponse()))
    expect(await chatAt('http://vendor.example')).toBe(200)
    expect(proxy.requests.slice(before)).toEqual([{ to: 'vendor.example:80', login: 'ann:a word' }])
  })

  test('by TLS go through the one for it', async () => {
    // The server behind the proxy speaks no TLS.
    expect(await chatAt('https://vendor.example')).toBe(502)
    expect(destinations()).toContain('vendor.example:443')
  })

  test('whose names are known only to the proxy reach it by name', async () => {
    app.upstream.script(json(chatResponse()))
    expect(await chatAt('http://unknown-here.example')).toBe(200)
    expect(destinations()).toEqual(['unknown-here.example:80'])
  })

  test('go through the own proxy of the channel instead', async () => {
    app.upstream.script(json(chatResponse()))
    expect(await chatAt('http://vendor.example', { ownProxy: own.url })).toBe(200)
    expect(destinations()).toEqual([])
    expect(own.requests.map(({ to }) => to)).toEqual(['vendor.example:80'])
  })

  test('that NO_PROXY names go straight, and so do those to this machine', async () => {
    for (const host of ['excepted.example', '127.0.0.1']) {
      app.upstream.script(json(chatResponse()))
      expect(await chatAt(`http://${host}:${portOf(app.upstream.url)}`)).toBe(200)
    }
    expect(destinations()).toEqual([])
  })

  test('for realtime sessions go through it too', async () => {
    const model = 'gpt-realtime'
    await app.make.channel({ models: model, baseUrl: 'http://vendor.example' })
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/v1/realtime?model=${model}`, [
      'realtime',
      `openai-insecure-api-key.${key}`,
    ])
    await new Promise((resolve) => {
      socket.onopen = resolve
      socket.onerror = resolve
    })
    socket.close()
    expect(destinations()).toContain('vendor.example:80')
  })
})

describe('the rules for addresses', () => {
  /** Tests a channel at an address, as if its name had had another one when it was saved. */
  async function testAt(address: string): Promise<boolean> {
    const id = await app.make.channel({ models: `model-${++models}`, baseUrl: 'http://vendor.example' })
    await app.app.store.db.updateTable('channels').set({ base_url: address }).where('id', '=', id).execute()
    return (await app.call(contract.channel.test, { id })).success
  }

  test('forbid metadata services before the proxy is called', async () => {
    for (const address of ['http://metadata.example', 'http://169.254.169.254'])
      expect([address, await testAt(address)]).toEqual([address, false])
    expect(destinations()).toEqual([])
  })

  test('forbid private networks where these are closed: by address, by name, and by names that only local networks have', async () => {
    await setOptions(app, { AllowPrivateUpstreams: 'false' })
    for (const address of ['http://10.0.0.5', 'http://rebound.example', 'http://box.internal'])
      expect([address, await testAt(address)]).toEqual([address, false])
    await setOptions(app, { AllowPrivateUpstreams: 'true' })
    expect(destinations()).toEqual([])
  })

  /** Shows an image to a vendor that takes no addresses. @returns the status of the response */
  const show = (url: string) => chatAt(app.upstream.url, { content: [{ type: 'image_url', image_url: { url } }], type: 25 })

  test('send the checked address of an image to the proxy, so that the name cannot mean another one there', async () => {
    await show('http://files.example/a.png')
    expect(destinations()).toContain('203.0.113.8:80')
    expect(destinations()).not.toContain('files.example:80')
  })

  test('forbid images in private networks, and those whose name is not found here', async () => {
    for (const url of ['http://rebound.example/a.png', 'http://10.0.0.5/a.png', 'http://unknown-here.example/a.png'])
      expect([url, await show(url)]).not.toEqual([url, 200])
    expect(destinations()).toEqual([])
  })
})

describe('the proxy of the environment is used', () => {
  test('by logins', async () => {
    await setOptions(app, { ServerAddress: app.url, GitHubClientId: 'client', GitHubClientSecret: 'secret', GitHubOAuthEnabled: 'true' })
    const begun = await app.request('/api/oauth/state')
    // Holds: the management API responds in its envelope.
    const { data: state } = (await begun.json()) as { readonly data: string }
    const code = github.codeFor({ id: '7', login: 'octocat', name: 'Octo' })
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? ''
    await app.request(`/api/oauth/github?${new URLSearchParams({ code, state })}`, { headers: { cookie } })
    expect(destinations()).toContain('github.example:80')
  })

  test('by the message pusher and the update check', async () => {
    await setOptions(app, { MessagePusherAddress: 'http://pusher.example/push', MessagePusherToken: 'push-token' })
    expect((await app.call(contract.option.testPusher, {})).message).toBe('')
    expect((await app.call(contract.option.release, {})).message).toBe('')
    expect(destinations()).toEqual(['pusher.example:80', 'releases.example:80'])
  })

  test('by webhooks, with the checked address for those of people who are no administrators', async () => {
    const rule = {
      name: 'low',
      kind: 'balance',
      scope: 'own',
      threshold: 100,
      target: 'webhook',
      url: 'http://hooks.example/secret',
    } as const
    for (const as of [user, app.root]) {
      const { id } = await app.data(contract.notification.create, rule, as)
      expect((await app.data(contract.notification.test, { id }, as)).error).toBe('')
    }
    expect(destinations()).toEqual(['203.0.113.9:80', 'hooks.example:80'])
  })

  test('by traces', async () => {
    const traced = await testApp({
      env: { HTTP_PROXY: proxy.url.replace('//', '//ann:a%20word@'), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://192.0.2.1:4318' },
    })
    const { key: traceKey } = await traced.make.token(await traced.make.user())
    await traced.make.channel({ models: 'gpt-4o-mini' })
    traced.upstream.script(json(chatResponse()))
    const headers = { authorization: `Bearer ${traceKey}` }
    await traced.request('/v1/chat/completions', {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] }),
    })
    // It sends the rest of them when it stops.
    await traced.close()
    expect(destinations()).toContain('192.0.2.1:4318')
    expect(collector.spans.length).toBeGreaterThan(0)
  })

  test('by the copy of the log in ClickHouse', async () => {
    app.upstream.script(json(chatResponse()))
    await chatAt(app.upstream.url)
    await until(async () => {
      await copyLog()
      return clickHouse.inserts.length > 0
    })
    expect(destinations()).toContain('198.51.100.1:8123')
  })
})

test('mail goes through ALL_PROXY, and not through those for HTTP', async () => {
  await setOptions(app, { SMTPServer: 'mail.example', SMTPPort: '587', SMTPFrom: 'gateway@example.com' })
  expect((await app.call(contract.verification.sendCode, { email: 'ann@example.com' })).message).toBe('')
  expect(mailProxy.requests.map(({ to }) => to)).toEqual(['mail.example:587'])
  expect(mail.received.at(-1)?.to).toEqual(['ann@example.com'])
  expect(destinations()).toEqual([])
})
