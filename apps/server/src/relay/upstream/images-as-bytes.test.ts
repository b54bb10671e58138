import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { json, type Script } from '../../../test/fake-upstream.ts'

// Vendors that respond with addresses of images.

let app: TestApp
let user: TestUser
let key: string
const channelIds: number[] = []
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 10_000_000 })
  key = (await app.make.token(user, { isUnlimited: true })).key
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})
beforeEach(async () => {
  for (const id of channelIds.splice(0)) await app.data(contract.channel.remove, { id })
})

const dot = Buffer.from([0x89, 0x50, 0x4e, 0x47])
const behind = (type: string, status = 200): Script => [
  { do: 'head', status, headers: { 'content-type': type } },
  { do: 'send', bytes: dot },
]
const addressed = (...names: readonly string[]) =>
  json({ created: 1, data: names.map((name) => ({ url: `${app.upstream.url}/${name}.png` })) })

async function draw(type: number, more: object, ...scripts: readonly Script[]) {
  channelIds.push(await app.make.channel({ type, baseUrl: app.upstream.url, models: 'painter' }))
  const before = app.upstream.received.length
  app.upstream.script(...scripts)
  const response = await app.request('/v1/images/generations', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'painter', prompt: 'A dot', ...more }),
  })
  // Holds: the server sends JSON.
  const body = (await response.json()) as { readonly data?: unknown; readonly error?: unknown }
  return { status: response.status, body, upstreamRequests: app.upstream.received.slice(before) }
}

describe('an image that came as an address', () => {
  test('is fetched where the client wants its bytes, without the key of the channel', async () => {
    const { status, body, upstreamRequests } = await draw(
      8,
      { response_format: 'b64_json' },
      addressed('a', 'b'),
      behind('image/png'),
      behind('application/octet-stream'),
    )
    expect(status).toBe(200)
    expect(body.data).toEqual([{ b64_json: dot.toString('base64') }, { b64_json: dot.toString('base64') }])
    expect(upstreamRequests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/images/generations',
      'GET /a.png',
      'GET /b.png',
    ])
    expect(upstreamRequests.slice(1).map(({ headers }) => headers['authorization'])).toEqual([undefined, undefined])
  })

  test('stays one where the client wants that, or says nothing', async () => {
    for (const more of [{}, { response_format: 'url' }]) {
      const { body, upstreamRequests } = await draw(8, more, addressed('a'))
      expect(body.data).toEqual([{ url: `${app.upstream.url}/a.png` }])
      expect(upstreamRequests).toHaveLength(1)
      for (const id of channelIds.splice(0)) await app.data(contract.channel.remove, { id })
    }
  })

  test('is no response if it cannot be fetched, so nothing is charged', async () => {
    const before = await app.data(contract.user.get, { id: user.id })
    for (const [type, status] of [
      ['text/html', 200],
      ['image/png', 404],
    ] as const) {
      const generated = await draw(8, { response_format: 'b64_json' }, addressed('a'), behind(type, status))
      expect(generated.status).toBe(502)
      for (const id of channelIds.splice(0)) await app.data(contract.channel.remove, { id })
    }
    expect((await app.data(contract.user.get, { id: user.id })).quota).toBe(before.quota)
  })

  test('becomes bytes for vendors that only return addresses, which are not sent `response_format`', async () => {
    const zhipu = await draw(16, { response_format: 'b64_json' }, addressed('a'), behind('image/png'))
    expect(zhipu.body.data).toEqual([{ b64_json: dot.toString('base64') }])
    expect(zhipu.upstreamRequests[0]?.body).not.toContain('response_format')
    for (const id of channelIds.splice(0)) await app.data(contract.channel.remove, { id })
    const content = [{ image: `${app.upstream.url}/b.png` }]
    const response = json({ output: { choices: [{ message: { role: 'assistant', content } }] }, usage: { image_count: 1 } })
    const alibaba = await draw(17, { response_format: 'b64_json' }, response, behind('image/jpeg'))
    expect(alibaba.body.data).toEqual([{ b64_json: dot.toString('base64') }])
  })
})
