import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'
import { isLocalAddress } from '../../lib/public-address.ts'

// A vendor that takes images only as data.

/** The images are at the fake upstream, which stands for a host of the internet. A name leads to a local network. */
const publicHost = '127.0.0.1'
const lookUp = async (host: string): Promise<readonly string[]> => (host === 'pictures.example.com' ? ['::ffff:127.0.0.1', '10.0.0.1'] : [])

let app: TestApp
let key: string
let channel: number
beforeAll(async () => {
  app = await testApp({ lookUp, isLocal: (address) => address !== publicHost && isLocalAddress(address) })
  key = (await app.make.token(await app.make.user({ quota: 10_000_000 }), { isUnlimited: true })).key
})
afterAll(() => app.close())
beforeEach(async () => {
  if (channel !== undefined) await app.data(contract.channel.remove, { id: channel })
  channel = await app.make.channel({ type: 25, baseUrl: app.upstream.url, models: 'kimi-k3,kimi-k2.7-code' })
})

const dot = Buffer.from([0x89, 0x50, 0x4e, 0x47])
const image: Script = [
  { do: 'head', status: 200, headers: { 'content-type': 'image/png' } },
  { do: 'send', bytes: dot },
]

/** Requests a chat with an image at this address. @returns the status, the text, and what was sent upstream */
async function show(url: string, more: object, ...scripts: readonly Script[]) {
  const requestsBefore = app.upstream.received.length
  app.upstream.script(...scripts)
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image_url', image_url: { url } },
  ]
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'kimi-k3', messages: [{ role: 'user', content }], ...more }),
  })
  const text = await response.text()
  return { status: response.status, text, upstreamRequests: app.upstream.received.slice(requestsBefore) }
}

describe('an image behind an address', () => {
  test('is fetched, and sent as data', async () => {
    const { status, upstreamRequests } = await show(`${app.upstream.url}/dot.png`, {}, image, json(chatResponse()))
    expect(status).toBe(200)
    expect(upstreamRequests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /dot.png', 'POST /v1/chat/completions'])
    expect(upstreamRequests[0]?.headers['authorization']).toBeUndefined()
    expect(upstreamRequests[1]?.body).toContain(`data:image/png;base64,${dot.toString('base64')}`)
    const [row] = await app.data(contract.log.list, { size: 1 })
    expect(row?.rewrites).toEqual([{ kind: 'files', what: 'url -> data' }])
  })

  test('is sent as it came to a channel that takes files as they are', async () => {
    await app.data(contract.channel.update, { id: channel, rewrites_off: 'files' })
    const { status, upstreamRequests } = await show('http://pictures.example.com/dot.png', {}, json(chatResponse()))
    expect([status, upstreamRequests.length]).toEqual([200, 1])
    expect(upstreamRequests[0]?.body).toContain('http://pictures.example.com/dot.png')
  })

  test('that is no image is refused, and nothing is sent to the vendor', async () => {
    const page: Script = [
      { do: 'head', status: 200, headers: { 'content-type': 'text/html' } },
      { do: 'send', bytes: '<html>' },
    ]
    const { status, upstreamRequests } = await show(`${app.upstream.url}/dot.png`, {}, page)
    expect(status).toBe(400)
    expect(upstreamRequests).toHaveLength(1)
  })

  test('of more than ten megabytes is refused, and so is one whose address leads to a metadata service', async () => {
    const large: Script = [
      { do: 'head', status: 200, headers: { 'content-type': 'image/png' } },
      { do: 'send', bytes: new Uint8Array(10 * 1024 * 1024 + 1) },
    ]
    const tooLarge = await show(`${app.upstream.url}/large.png`, {}, large)
    expect([tooLarge.status, tooLarge.upstreamRequests.length]).toEqual([400, 1])
    for (const url of ['http://169.254.169.254/latest/meta-data/a.png', `${app.url}/favicon.ico`]) {
      const { status, text, upstreamRequests } = await show(url, {})
      expect([status, upstreamRequests.length]).toEqual([400, 0])
      expect(text).toContain('image_fetch_failed')
    }
  })

  test('of a local network is refused, whether it is named by number, by name or by a redirect, and none is connected to', async () => {
    const { port } = new URL(app.upstream.url)
    const local = ['10.0.0.1', '192.168.1.1', '[::1]', '[fd00::1]', '2130706434', '0x7f.2', 'pictures.example.com'] as const
    for (const host of local) {
      const { status, text, upstreamRequests } = await show(`http://${host}:${port}/dot.png`, {})
      expect([host, status, upstreamRequests.length]).toEqual([host, 400, 0])
      expect(text).toContain('unreachable')
    }
    const redirect: Script = [{ do: 'head', status: 302, headers: { location: `http://10.0.0.1:${port}/dot.png` } }]
    const { status, upstreamRequests } = await show(`${app.upstream.url}/moved.png`, {}, redirect)
    expect([status, upstreamRequests.map(({ path }) => path)]).toEqual([400, ['/moved.png']])
  })

  test('is refused if all of them together are too large, and what was counted of images is released', async () => {
    const nine: Script = [
      { do: 'head', status: 200, headers: { 'content-type': 'image/png' } },
      { do: 'send', bytes: new Uint8Array(9 * 1024 * 1024) },
    ]
    const images = (count: number) => [
      {
        role: 'user',
        content: Array.from({ length: count }, (_, at) => ({ type: 'image_url', image_url: { url: `${app.upstream.url}/${at}.png` } })),
      },
    ]
    const { status, text } = await show('', { messages: images(4) }, nine, nine, nine, nine)
    expect(status).toBe(400)
    expect(text).toContain('all images together exceed 32 MB')
    for (let round = 0; round < 4; round += 1)
      expect((await show('', { messages: images(3) }, nine, nine, nine, json(chatResponse()))).status).toBe(200)
  })

  test('is refused with more than nineteen others, and nothing is fetched; one that is there twice counts once', async () => {
    const images = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ type: 'image_url', image_url: { url: `${app.upstream.url}/${at}.png` } }))
    const many = await show('', { messages: [{ role: 'user', content: images(21) }] })
    expect([many.status, many.upstreamRequests.length]).toEqual([400, 0])
    const twice = [{ role: 'user', content: [...images(2), ...images(2)] }]
    const { status, upstreamRequests } = await show('', { messages: twice }, image, image, json(chatResponse()))
    expect([status, upstreamRequests.length]).toEqual([200, 3])
  })
})

describe('an image that came as data', () => {
  test('is sent as it is', async () => {
    const url = `data:image/png;base64,${dot.toString('base64')}`
    const { status, upstreamRequests } = await show(url, {}, json(chatResponse()))
    expect({ status, upstreamCount: upstreamRequests.length }).toEqual({ status: 200, upstreamCount: 1 })
    expect(upstreamRequests[0]?.body).toContain(url)
  })

  test('with a parameter that the vendor cannot fulfil is refused with its name', async () => {
    const { status, text, upstreamRequests } = await show('data:image/png;base64,AAAA', {
      model: 'kimi-k2.7-code',
      tool_choice: 'required',
    })
    expect({ status, upstreamCount: upstreamRequests.length }).toEqual({ status: 400, upstreamCount: 0 })
    expect(text).toContain('tool_choice')
  })
})
