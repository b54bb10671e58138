import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'
import { type FakeProxy, startHttpProxy } from '../../../test/proxies.ts'

// Addresses in the bodies of clients, which servers in the operator's network would fetch.

let app: TestApp
/** By which hosts of vendors lead to the double. */
let proxy: FakeProxy
let key: string
let custom: number
beforeAll(async () => {
  app = await testApp()
  proxy = await startHttpProxy({ port: Number(new URL(app.upstream.url).port) })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  key = (await app.make.token(await app.make.user({ quota: 100_000_000 }), { isUnlimited: true })).key
  custom = await app.make.channel({ type: 8, models: 'own' })
  await app.make.channel({ type: 1, models: 'own-as-openai' })
  const vendor = await app.make.channel({ type: 1, models: 'gpt-4o-mini', baseUrl: 'http://api.openai.com' })
  await app.data(contract.channel.update, { id: vendor, key: 'upstream-key', proxy: proxy.url })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  proxy.close()
  await app.close()
})

async function post(path: string, body: object) {
  app.upstream.script(json(chatResponse()))
  const before = app.upstream.received.length
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await app.request(path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text(), upstreamCount: app.upstream.received.length - before }
}

const chat = (part: object, model = 'own') => ({ model, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] })
const imageChat = (url: string, model?: string) => chat({ type: 'image_url', image_url: { url } }, model)

describe('an address that only the operator’s network knows', () => {
  const local = [
    ...['http://169.254.169.254/latest/meta-data/x.png', 'http://127.0.0.1:4100/x.png', 'http://10.0.0.1/x.png', 'http://0x0a000001/'],
    ...[
      'http://[::1]/',
      'http://[::ffff:10.0.0.1]/',
      'http://[fe80::1]/',
      'http://localhost/x',
      'http://vllm/x.png',
      'http://a.internal./',
    ],
    ...['http://168.63.129.16/', 'http://metadata.goog/', 'file:///etc/passwd', '/etc/hostname.png', 'http://a.example\\@10.0.0.1/'],
  ]
  test.each(local)('does not reach a server of one’s own: %j', async (url) => {
    const refused = await post('/v1/chat/completions', imageChat(url))
    expect([refused.status, refused.upstreamCount]).toEqual([400, 0])
    expect(refused.text).toContain('messages[0].content[1].image_url.url')
  })

  test('does not reach it by other calls, parts and protocols, or under the type of a vendor', async () => {
    const url = 'http://10.0.0.1/x.png'
    const image = { type: 'image', source: { type: 'url', url } }
    const requests: ReadonlyArray<readonly [string, object]> = [
      ['/v1/chat/completions', chat({ type: 'video_url', video_url: { url } })],
      ['/v1/chat/completions', chat({ type: 'audio_url', audio_url: { url: 'file:///etc/passwd' } })],
      ['/v1/chat/completions', imageChat(url, 'own-as-openai')],
      ['/v1/messages', { ...chat(image), max_tokens: 5 }],
      ['/v1/messages', { ...chat(image), max_tokens: 5, mcp_servers: [{ type: 'url', name: 'm', url }] }],
      ['/v1beta/models/own:generateContent', { contents: [{ parts: [{ fileData: { fileUri: url, mimeType: 'image/png' } }] }] }],
      ['/v1/responses', { model: 'own', input: 'Hi', tools: [{ type: 'mcp', server_label: 'm', server_url: url }] }],
      ['/v1/embeddings', { model: 'own', input: [{ image: url }] }],
    ]
    const responses = []
    for (const [path, body] of requests) responses.push(await post(path, body))
    expect(responses.map(({ status, upstreamCount }) => [status, upstreamCount])).toEqual(requests.map(() => [400, 0]))
  })

  test('reaches vendors, which have another network, and channels that root allows to read it', async () => {
    expect(await post('/v1/chat/completions', imageChat('http://10.0.0.1/x.png', 'gpt-4o-mini'))).toMatchObject({
      status: 200,
      upstreamCount: 1,
    })
    await app.data(contract.channel.update, { id: custom, allowed_members: 'local_addresses' })
    expect(await post('/v1/chat/completions', imageChat('http://10.0.0.1/x.png'))).toMatchObject({ status: 200, upstreamCount: 1 })
    await app.data(contract.channel.update, { id: custom, allowed_members: '' })
    expect(await post('/v1/chat/completions', imageChat('http://10.0.0.1/x.png'))).toMatchObject({ status: 400, upstreamCount: 0 })
  })

  test('is none in the internet, in bytes and in texts', async () => {
    for (const url of ['https://a.example/x.png', 'http://8.8.8.8/x.png', 'data:image/png;base64,iVBORw0KGgo='])
      expect(await post('/v1/chat/completions', imageChat(url))).toMatchObject({ status: 200, upstreamCount: 1 })
    const text = chat({ type: 'text', text: 'http://10.0.0.1 and file:///etc/passwd' })
    expect(await post('/v1/chat/completions', text)).toMatchObject({ status: 200, upstreamCount: 1 })
  })
})
