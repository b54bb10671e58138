import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { opcode } from '@sluice/http1/web-socket-frames'
import { type FaultScenes, startFaultScenes } from '../../../test/fault-scene.ts'
import { type FakeProxy, startHttpProxy, startSocksProxy } from '../../../test/proxies.ts'
import { accepted, goodbyeIn, type RawVendor, startRawVendor } from '../../../test/realtime-vendor.ts'
import { prepare, processPassword, startServer, until } from '../../../test/server-process.ts'

// The vendor's side of a session byte by byte, and the route to it.

const model = 'gpt-realtime'
let scenes: FaultScenes
let key: string
let vendor: RawVendor
let channel = 0
beforeAll(async () => {
  scenes = await startFaultScenes()
  const { app } = scenes
  key = (await app.make.token(await app.make.user({ quota: 10_000_000 }), { isUnlimited: true })).key
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => scenes.app.close())
afterEach(async () => {
  vendor.close()
  if (channel !== 0) await scenes.app.data(contract.channel.remove, { id: channel })
  channel = 0
  await until(async () => (await scenes.expectConsistent()).length === 0)
})

async function startWith(responseTo?: (key: string) => string, settings: { readonly proxy?: string; readonly baseUrl?: string } = {}) {
  vendor = await startRawVendor(responseTo)
  channel = await scenes.app.make.channel({ models: model, baseUrl: settings.baseUrl ?? vendor.url })
  if (settings.proxy !== undefined)
    await scenes.app.data(contract.channel.update, { id: channel, key: 'upstream-key', proxy: settings.proxy })
}

interface Client {
  readonly messages: (string | Buffer)[]
  readonly socket: WebSocket
  readonly ended: Promise<number>
}

async function connect(url = scenes.app.url, as = key): Promise<Client> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?model=${model}`, ['realtime', `openai-insecure-api-key.${as}`])
  socket.binaryType = 'arraybuffer'
  const messages: (string | Buffer)[] = []
  const ended = Promise.withResolvers<number>()
  socket.onmessage = ({ data }) => void messages.push(typeof data === 'string' ? data : Buffer.from(data))
  socket.onclose = ({ code }) => ended.resolve(code)
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve()
    socket.onerror = (event) => reject(new Error(String('message' in event ? event.message : 'refused')))
  })
  return { messages, socket, ended: ended.promise }
}

const rows = () => scenes.app.data(contract.log.list, { type: 2 })

async function rowAfter(count: number) {
  await until(async () => (await rows()).length > count)
  return (await rows())[0]
}

const done = JSON.stringify({ type: 'response.done', response: { id: 'r', usage: { input_tokens: 100, output_tokens: 50 } } })

describe('a silent vendor', () => {
  test('gets pings, and is disconnected if it sends no pong; its output is charged (F59)', async () => {
    await startWith()
    const before = (await rows()).length
    const client = await connect()
    await vendor.send(opcode.text, done)
    await until(async () => client.messages.length === 1)
    const silent = vendor.received().length
    scenes.clock.pass(31_000)
    await until(async () => vendor.received().length > silent)
    // Two bytes and a mask: a ping without payload.
    expect((vendor.received()[silent] ?? 0) & 0x0f).toBe(opcode.ping)
    scenes.clock.pass(31_000)
    expect(await client.ended).toBe(1011)
    expect(await rowAfter(before)).toMatchObject({ end_reason: 'upstream_cut', prompt_tokens: 100, completion_tokens: 50 })
    await until(async () => goodbyeIn(vendor.received()) === 1011)
    // It does not close either, so the connection is destroyed.
    scenes.clock.pass(3_000)
    await vendor.closed()
  })

  test('stays connected as long as it responds to pings', async () => {
    await startWith()
    const client = await connect()
    for (let minute = 0; minute < 3; minute += 1) {
      const silent = vendor.received().length
      scenes.clock.pass(31_000)
      await until(async () => vendor.received().length > silent)
      await vendor.send(opcode.pong, '')
    }
    await vendor.send(opcode.text, done)
    await until(async () => client.messages.length === 1)
    client.socket.close()
    await until(async () => goodbyeIn(vendor.received()) === 1000)
  })
})

describe('messages of a vendor', () => {
  test('are complete, however their bytes are split, fragmented, and between pings, which get a pong', async () => {
    await startWith()
    const client = await connect()
    await vendor.send(opcode.text, '{"type":"ä"}', 1)
    await vendor.send(opcode.binary, Buffer.alloc(70_000, 7), 1_000)
    // A text message in two fragments, with a ping between them.
    vendor.sendBytes(Buffer.from([opcode.text, 2, 0x7b, 0x22]))
    const silent = vendor.received().length
    await vendor.send(opcode.ping, 'are you there?')
    vendor.sendBytes(Buffer.from([0x80, 2, 0x22, 0x7d]))
    await until(async () => client.messages.length === 3 && vendor.received().length > silent)
    expect(client.messages).toEqual(['{"type":"ä"}', Buffer.alloc(70_000, 7), '{""}'])
    expect((vendor.received()[silent] ?? 0) & 0x0f).toBe(opcode.pong)
    client.socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: 'x'.repeat(100_000) }))
    await until(async () => vendor.received().length > 100_000)
    client.socket.close()
    await client.ended
  })

  test.each([
    ['masked', Buffer.from([0x81, 0x81, 1, 2, 3, 4, 5]), 1002],
    ['by an extension that nobody agreed on', Buffer.from([0xc1, 1, 0x61]), 1002],
    ['longer than any may be', Buffer.from([0x82, 127, 0, 0, 0, 0, 2, 0, 0, 0]), 1009],
  ])('that are %s end the session', async (_, bytes, code) => {
    await startWith()
    const before = (await rows()).length
    const client = await connect()
    vendor.sendBytes(bytes)
    expect(await client.ended).toBe(1011)
    expect(await rowAfter(before)).toMatchObject({ end_reason: 'upstream_cut', quota: 0 })
    await until(async () => goodbyeIn(vendor.received()) === code)
  })

  test('end with its close frame, which gets a close frame in return', async () => {
    await startWith()
    const client = await connect()
    await vendor.send(opcode.close, Buffer.from([0x03, 0xe8]))
    expect(await client.ended).toBe(1011)
    await until(async () => goodbyeIn(vendor.received()) === 1000)
  })
})

describe('a handshake', () => {
  test.each([
    ['is not to ours', () => accepted('another key')],
    ['is no HTTP', () => '220 mail.example ESMTP\r\n\r\n'],
    ['is a page', () => 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'],
  ])('whose response %s opens no session, and costs nothing', async (_, response) => {
    await startWith(response)
    const before = (await rows()).length
    expect(String(await connect().catch((error: unknown) => error))).toContain('502')
    expect(await rowAfter(before)).toMatchObject({ quota: 0, end_reason: 'failed' })
  })

  test('without a response ends with a timeout', async () => {
    await startWith(() => '')
    const refused = connect().catch((error: unknown) => error)
    await until(async () => vendor.received().includes('\r\n\r\n'))
    scenes.clock.pass(16_000)
    expect(String(await refused)).toContain('502')
    await vendor.closed()
  })
})

describe('a session through the proxy of its channel', () => {
  const ways: Readonly<Record<string, (port: number) => Promise<FakeProxy>>> = {
    http: (port) => startHttpProxy({ port, login: 'ann:secret' }),
    socks5: (port) => startSocksProxy({ port, login: 'ann:secret' }),
  }
  test.each(Object.keys(ways))('%s is the same', async (scheme) => {
    const target = await startRawVendor()
    const proxy = await ways[scheme]?.(Number(new URL(target.url).port))
    await startWith(undefined, { baseUrl: 'http://vendor.test:8080', proxy: (proxy?.url ?? '').replace('//', '//ann:secret@') })
    const client = await connect()
    expect(proxy?.requests).toEqual([{ to: 'vendor.test:8080', login: 'ann:secret' }])
    await target.send(opcode.text, done)
    await until(async () => client.messages.length === 1)
    client.socket.close()
    await until(async () => goodbyeIn(target.received()) === 1000)
    proxy?.close()
    target.close()
  })
})

test('a session over TLS is connected to the checked address, with a certificate for its name', async () => {
  vendor = await startRawVendor()
  const fixtures = join(import.meta.dir, '../../../test/fixtures')
  const received: string[] = []
  const secure = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: Bun.file(join(fixtures, 'localhost-certificate.pem')), key: Bun.file(join(fixtures, 'localhost-key.pem')) },
    fetch: (request, server) => (server.upgrade(request) ? undefined : new Response('no')),
    websocket: {
      open: (socket) => void socket.send(done),
      message: (_socket, message) => void received.push(String(message)),
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'sluice-realtime-'))
  const root = 'realtime'.padEnd(40, 'x')
  const server = await startServer({
    DATA_DIR: folder,
    INITIAL_ROOT_PASSWORD: processPassword,
    INITIAL_ROOT_ACCESS_TOKEN: root,
    NODE_EXTRA_CA_CERTS: join(fixtures, 'localhost-certificate.pem'),
  })
  const { authorization = '' } = await prepare(server, { url: 'http://127.0.0.1:9' })
  const change = { id: 1, key: 'upstream-key', models: model, base_url: `https://localhost:${secure.port}` }
  await fetch(`${server.url}/api/channel/`, { method: 'PUT', headers: { authorization: root }, body: JSON.stringify(change) })
  const client = await connect(server.url, authorization.slice('Bearer '.length))
  await until(async () => client.messages.length === 1)
  client.socket.send('{"type":"response.create"}')
  await until(async () => received[0] === '{"type":"response.create"}')
  client.socket.close()
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
  await secure.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

describe('a vendor that reads nothing', () => {
  test('pauses its client, and gets everything when it reads again', async () => {
    await startWith()
    const client = await connect()
    vendor.hold(true)
    const message = JSON.stringify({ type: 'input_audio_buffer.append', audio: 'x'.repeat(1024 * 1024) })
    const count = 24
    for (let turn = 0; turn < count; turn += 1) client.socket.send(message)
    // Messages that gateway and network do not accept remain in the client's buffer.
    for (let before = -1; before !== client.socket.bufferedAmount; await Bun.sleep(300)) before = client.socket.bufferedAmount
    expect(client.socket.bufferedAmount).toBeGreaterThan(4 * message.length)
    expect(client.socket.readyState).toBe(WebSocket.OPEN)
    vendor.hold(false)
    await until(async () => vendor.received().length > count * message.length)
    client.socket.close()
  })
})
