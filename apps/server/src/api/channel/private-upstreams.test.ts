import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { setOptions } from '../../../test/channel-scene.ts'
import { json } from '../../../test/fake-upstream.ts'
import { ann, apply, change, openPlaces, root, up } from '../../../test/import-place.ts'
import { startServer } from '../../../test/server-process.ts'

/** Addresses of names; others are not found. */
const names: Record<string, string> = {
  'vendor.example': '93.184.216.34',
  'inside.example': '10.1.2.3',
  'other-inside.example': '10.1.2.4',
  'metadata.example': '169.254.169.254',
  'moving.example': '93.184.216.34',
}
let ms = 1_800_000_000_000
const clock = { nowMs: () => ms, monotonicMs: () => ms }

const lookUp = async (host: string) => (names[host] === undefined ? [] : [names[host]])

const form = (base_url: string, more: object = {}) => ({
  ...{ name: 'a channel', type: 1, key: 'sk-of-the-channel', models: 'gpt-4o-mini', group: 'default', base_url },
  ...more,
})
const privateText = (host: string) => en.base_url_private.replace('{host}', host)

describe('with a second administrator', () => {
  let app: TestApp
  let admin: TestUser
  beforeAll(async () => {
    app = await testApp({ lookUp, clock })
    for (const base_url of ['http://inside.example:8000/v1', 'https://vendor.example', 'http://down.example', ''])
      await app.data(contract.channel.create, form(base_url))
    await app.data(contract.channel.create, form('https://vendor.example', { proxy: 'socks5://10.9.9.9:1080' }))
    await app.make.channel()
    admin = await app.make.user()
    await app.data(contract.user.manage, { username: admin.username, action: 'promote' })
  })
  afterAll(() => app.close())

  const ownHost = (): string => new URL(app.upstream.url).host
  const as = async (): Promise<TestUser> => ({ ...admin, ...(await app.make.accessToken(admin)) })

  test('the private hosts of all channels and of their proxies are put on the list, for root to see and to confirm', async () => {
    const hosts = `10.9.9.9:1080,${ownHost()},down.example:80,inside.example:8000`
    const values = new Map((await app.data(contract.option.list, {})).map(({ key, value }) => [key, value]))
    expect(values.get('AllowPrivateUpstreams')).toBe('false')
    expect(values.get('PrivateUpstreamHosts')).toBe(hosts)
    const { options, revision } = await app.data(contract.option.waiting, {})
    expect(options.map(({ key, value }) => [key, value])).toEqual([
      ['AllowPrivateUpstreams', 'false'],
      ['PrivateUpstreamHosts', hosts],
    ])
    const logs = await app.data(contract.log.list, { type: 3 })
    expect(logs.map(({ content }) => content).join()).toContain(
      `4 hosts of existing channels were added to the list: ${hosts.replaceAll(',', ', ')}`,
    )
    await app.data(contract.option.confirm, { revision })
    expect((await app.data(contract.option.waiting, {})).options).toEqual([])
  })

  test('channels that are there keep working', async () => {
    const { key } = await app.make.token(await app.make.user())
    app.upstream.script(
      json({ choices: [{ message: { role: 'assistant', content: 'hi' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
    )
    const body = JSON.stringify({ model: 'own-model', messages: [{ role: 'user', content: 'hi' }] })
    await app.data(contract.channel.update, { id: 6, models: 'own-model' })
    await setOptions(app, { UnpricedModelRatio: '1' })
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    expect((await app.request('/v1/chat/completions', { method: 'POST', headers, body })).status).toBe(200)
  })

  test('private addresses that are not on the list are refused when a channel is saved or tested, with what root can do', async () => {
    for (const [address, host] of [
      ['http://10.0.0.7:8000', '10.0.0.7:8000'],
      ['http://127.0.0.1:1', '127.0.0.1:1'],
      ['http://[::1]:1', '[::1]:1'],
      ['http://[fd00::1]', '[fd00::1]'],
      ['http://other-inside.example', 'other-inside.example'],
      ['http://inside.example:8001', 'inside.example:8001'],
    ] as const) {
      for (const user of [await as(), app.root])
        expect(await app.call(contract.channel.create, form(address), user)).toMatchObject({
          message: privateText(host),
          field: 'base_url',
        })
      expect((await app.call(contract.channel.testForm, { ...form(address), model: '' })).message).toBe(privateText(host))
      const source = { type: 1, key: 'sk-of-the-channel', base_url: address, config: '', other: '' }
      expect((await app.call(contract.channel.upstreamModelsOf, source)).message).toBe(privateText(host))
      const { rows } = await app.data(contract.channel.importFile, {
        file: { sluice: 'channels', version: 1, channels: [form(address)] },
        dry_run: true,
      })
      expect(rows).toMatchObject([{ state: 'invalid', reason: privateText(host) }])
    }
    const edited = await app.call(contract.channel.update, { id: 2, base_url: 'http://10.0.0.7:8000', key: 'sk-of-the-channel' })
    expect(edited).toMatchObject({ message: privateText('10.0.0.7:8000') })
    expect(await app.call(contract.channel.create, form('http://inside.example:8000/other'))).toMatchObject({ success: true })
    expect(await app.call(contract.channel.update, { id: 1, name: 'renamed', base_url: 'http://inside.example:8000/v1' })).toMatchObject({
      success: true,
    })
  })

  test('a proxy is checked likewise, and so is the target behind it, as far as its name shows', async () => {
    const through = (proxy: string, base_url = 'https://vendor.example') => app.call(contract.channel.create, form(base_url, { proxy }))
    expect(await through('http://10.0.0.7:3128')).toMatchObject({
      message: en.proxy_private.replace('{host}', '10.0.0.7:3128'),
      field: 'proxy',
    })
    const listed = 'socks5://10.9.9.9:1080'
    for (const address of ['http://10.0.0.7:80', 'http://localhost:1', 'http://printer', 'http://nas.local'])
      expect((await through(listed, address)).message).toBe(privateText(new URL(address).host))
    expect(await through(listed, 'https://inside-of-the-proxy.example')).toMatchObject({ success: true })
  })

  test('a name that moves to a private address is refused when a request connects', async () => {
    const id = await app.make.channel({ baseUrl: 'http://moving.example:9', models: 'moving-model' })
    names['moving.example'] = '10.1.2.3'
    ms += 31_000
    expect(await app.call(contract.channel.test, { id, model: 'moving-model' })).toMatchObject({ success: false })
    expect((await app.call(contract.channel.upstreamModels, { id })).message).toContain('private network')
  })

  test('only root changes the switch and the list, and what is on the list or switched on is allowed again', async () => {
    for (const [key, value] of [
      ['AllowPrivateUpstreams', 'true'],
      ['PrivateUpstreamHosts', '10.0.0.0/8'],
    ] as const)
      expect((await app.call(contract.option.update, { key, value }, await as())).message).toBe(en.option_needs_root.replace('{name}', key))
    await setOptions(app, { PrivateUpstreamHosts: '10.0.0.0/8,[fd00::1]' })
    for (const address of ['http://10.0.0.7:8000', 'http://[fd00::1]', 'http://other-inside.example'])
      expect(await app.call(contract.channel.create, form(address), await as())).toMatchObject({ success: true })
    expect(await app.call(contract.channel.create, form('http://[fd00::2]'), await as())).toMatchObject({ success: false })
    await setOptions(app, { AllowPrivateUpstreams: 'true' })
    expect(await app.call(contract.channel.create, form('http://[fd00::2]'), await as())).toMatchObject({ success: true })
    await setOptions(app, { AllowPrivateUpstreams: 'false', PrivateUpstreamHosts: '169.254.0.0/16,metadata.google.internal' })
    for (const address of ['http://169.254.169.254', 'http://metadata.google.internal', 'http://metadata.example'])
      expect((await app.call(contract.channel.create, form(address))).message).toBe(en.base_url_forbidden)
  })

  test('the list takes hosts, hosts with ports and ranges, and nothing else', async () => {
    const put = (value: string) => app.call(contract.option.update, { key: 'PrivateUpstreamHosts', value })
    for (const value of ['a.lan, 10.0.0.1:80, [::1], [::1]:9, 10.0.0.0/8, fd00::/8', ''])
      expect(await put(value)).toMatchObject({ success: true })
    for (const value of [
      ...['http://a.lan', 'a.lan:0', 'a.lan:65536', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/8/8', '::1', 'A.lan', '010.0.0.1', 'a b', 'a@b'],
      Array.from({ length: 1_001 }, (_, number) => `h${number}`).join(','),
    ])
      expect([value.slice(0, 20), (await put(value)).success]).toEqual([value.slice(0, 20), false])
  })
})

test('with a single administrator channels may be in private networks, and a start changes nothing', async () => {
  const app = await testApp({ lookUp })
  expect(await app.call(contract.channel.create, form('http://10.0.0.7:8000'))).toMatchObject({ success: true })
  expect((await app.data(contract.option.waiting, {})).options).toEqual([])
  await app.close()
})

test('what root has decided stays when a second administrator appears', async () => {
  const app = await testApp({ lookUp, storedOptions: { AllowPrivateUpstreams: 'true' } })
  const { username } = await app.make.user()
  await app.data(contract.user.manage, { username, action: 'promote' })
  expect(await app.call(contract.channel.create, form('http://10.0.0.7:8000'))).toMatchObject({ success: true })
  await app.close()
})

describe('a start', () => {
  const { place, close } = openPlaces()
  afterAll(close)

  /** The two options after a start with accounts of these roles, which an import has brought, as from a version without the list. */
  async function optionsAfterStart(role: number): Promise<readonly unknown[]> {
    const token = 'e'.repeat(32)
    const users = [
      { ...root, access_token: token },
      { ...ann, role },
    ]
    const at = await place('one-api-0.6.8', { users, channels: [up('http://10.0.0.7:8000'), { ...up('http://93.184.216.34'), id: 4 }] })
    expect((await apply(at, '--with-admins')).code).toBe(0)
    await change(at, async (db) => void (await db.deleteFrom('options').where('key', 'like', '%PrivateUpstream%').execute()))
    const server = await startServer(at.variables)
    const response = await fetch(`${server.url}/api/option/`, { headers: { authorization: token } })
    // Holds: the call returns these rows, or the expectation fails.
    const { data } = (await response.json()) as { readonly data: ReadonlyArray<{ readonly key: string; readonly value: string }> }
    server.signal('SIGTERM')
    await server.exited
    return ['AllowPrivateUpstreams', 'PrivateUpstreamHosts'].map((key) => data.find((option) => option.key === key)?.value)
  }

  test('with several administrators closes private networks, but for the hosts of the channels that are there', async () => {
    expect(await optionsAfterStart(10)).toEqual(['false', '10.0.0.7:8000'])
  })

  test('with one administrator leaves them open', async () => {
    expect(await optionsAfterStart(1)).toEqual(['true', ''])
  })
})
