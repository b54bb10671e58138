import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en, type InputOf } from '@sluice/contract'
import { nobody, type TestApp, type TestUser, testApp } from '../../test/app.ts'
import { setOptions } from '../../test/channel-scene.ts'
import { type FakeMailServer, startMailServer } from '../../test/fake-mail-server.ts'
import { type FakeService, fakePusher, fakeWechat } from '../../test/fake-services.ts'
import { startWebhookReceiver } from '../../test/webhook-receiver.ts'

// Addresses of services that administrators below root have entered, where private networks are closed.

const privateText = (service: string): string => en.service_address_private.replace('{service}', service)
const lookUp = async (host: string) => (host === 'inside.example' ? ['127.0.0.1'] : [])
let ms = 1_800_000_000_000
const clock = { nowMs: () => ms, monotonicMs: () => ms }
const hook: InputOf<typeof contract.notification.create> = {
  ...{ name: 'all', kind: 'channel', scope: 'all', threshold: 0, target: 'webhook', url: '' },
}

let pusher: FakeService
let wechat: FakeService
let mail: FakeMailServer
const receiver = startWebhookReceiver()
beforeAll(async () => {
  pusher = fakePusher('push-token')
  wechat = fakeWechat('wechat-token', { '123456': 'openid-1' })
  mail = await startMailServer({ isPlain: true })
})
afterAll(async () => {
  await Promise.all([pusher.close(), wechat.close(), mail.close(), receiver.close()])
})

const hostOf = (url: string): string => new URL(url).host

describe('with private networks closed', () => {
  let app: TestApp
  let admin: TestUser
  beforeAll(async () => {
    app = await testApp({ lookUp, clock, storedOptions: { AllowPrivateUpstreams: 'false' } })
    const user = await app.make.user({ role: 10 })
    admin = { ...user, ...(await app.make.accessToken(user)) }
    await app.app.store.db.updateTable('users').set({ email: 'ann@example.com' }).where('id', '=', admin.id).execute()
    await setOptions(app, { ServerAddress: 'https://gateway.example' })
    await setAs(admin, {
      ...{ MessagePusherAddress: pusher.url, MessagePusherToken: 'push-token' },
      ...{ WeChatServerAddress: wechat.url, WeChatServerToken: 'wechat-token', WeChatAuthEnabled: 'true' },
      ...{ OidcIssuer: `${wechat.url}/oidc`, OidcClientId: 'id', OidcClientSecret: 'a secret', OidcEnabled: 'true' },
      ...{ SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com' },
    })
  })
  afterAll(() => app.close())

  async function setAs(user: TestUser, values: Readonly<Record<string, string>>): Promise<void> {
    for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value }, user)
  }

  /** The messages of a call to each service; the last is a login page, for which the provider is called. */
  const callAll = async (): Promise<readonly string[]> => [
    (await app.call(contract.option.testPusher, {}, admin)).message,
    (await app.call(contract.oauth.wechat, { code: '123456' }, nobody)).message,
    (await app.call(contract.option.testMail, {}, admin)).message,
    (await app.call(contract.oauth.state, { pkce: 'S256', service: 'oidc' }, nobody)).message,
  ]

  test('no private address that another administrator has entered is called, and the error says what root can do', async () => {
    expect(await callAll()).toEqual(['the message pusher', 'WeChat', 'SMTP', 'OpenID Connect'].map(privateText))
    expect([pusher.received, wechat.received, mail.received].map(({ length }) => length)).toEqual([0, 0, 0])
    await setAs(admin, { MessagePusherAddress: `http://inside.example:${new URL(pusher.url).port}` })
    expect((await app.call(contract.option.testPusher, {}, admin)).message).toBe(privateText('the message pusher'))
    await setAs(admin, { MessagePusherAddress: pusher.url })
  })

  test('a webhook of an administrator is refused when it is saved, and when it is sent', async () => {
    const create = (url: string, user: TestUser = admin) => app.call(contract.notification.create, { ...hook, url }, user)
    const service = hostOf(receiver.url)
    expect(await create(receiver.url)).toMatchObject({ message: privateText(service), field: 'url' })
    await setOptions(app, { PrivateUpstreamHosts: service })
    const { id } = await app.data(contract.notification.create, { ...hook, url: receiver.url }, admin)
    expect((await app.data(contract.notification.test, { id }, admin)).error).toBe('')
    await setOptions(app, { PrivateUpstreamHosts: '' })
    // Idle connections are closed by then.
    ms += 61_000
    expect((await app.data(contract.notification.test, { id }, admin)).error).toBe(privateText(service))
    const { id: own } = await app.data(contract.notification.create, { ...hook, url: receiver.url })
    expect((await app.data(contract.notification.test, { id: own })).error).toBe('')
    expect(receiver.received.length).toBe(2)
  })

  test('hosts on the list of root are called', async () => {
    await setOptions(app, { PrivateUpstreamHosts: [pusher.url, wechat.url, `http://127.0.0.1:${mail.port}`].map(hostOf).join(',') })
    const [push, login, test] = await callAll()
    expect([push, login, test]).toEqual(['', '', ''])
    await setOptions(app, { PrivateUpstreamHosts: '' })
  })

  test('so is what root has confirmed', async () => {
    const { revision } = await app.data(contract.option.waiting, {})
    await app.data(contract.option.confirm, { revision })
    const [push, login, test, oidc] = await callAll()
    expect([push, login, test]).toEqual(['', '', ''])
    expect(oidc).not.toBe(privateText('OpenID Connect'))
  })
})

test('when private networks are closed, the hosts that administrators have entered for services are put on the list', async () => {
  const app = await testApp({ lookUp })
  const user = await app.make.user({ role: 10 })
  const admin = { ...user, ...(await app.make.accessToken(user)) }
  await app.data(contract.option.update, { key: 'MessagePusherAddress', value: pusher.url }, admin)
  await app.data(contract.option.update, { key: 'SMTPServer', value: 'inside.example' }, admin)
  await setOptions(app, { WeChatServerAddress: wechat.url })
  await app.data(contract.notification.create, { ...hook, url: receiver.url }, admin)
  await app.data(contract.user.manage, { username: (await app.make.user()).username, action: 'promote' })
  const list = (await app.data(contract.option.list, {})).find(({ key }) => key === 'PrivateUpstreamHosts')
  expect(list?.value).toBe([hostOf(pusher.url), hostOf(receiver.url), 'inside.example:587'].toSorted().join(','))
  await app.close()
})
