import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { contract } from '@sluice/contract'
import type { ServerWebSocket } from 'bun'
import { type TestApp, testApp } from './app.ts'
import { setOptions } from './channel-scene.ts'
import { wavFile } from './wav.ts'

// Transcripts of iFlytek, against a server that checks the signature and listens to the audio as its documentation says.

interface AudioMessage {
  readonly header: { readonly app_id: string; readonly status: number }
  readonly parameter?: { readonly iat: object }
  readonly payload: {
    readonly audio: { readonly audio: string; readonly seq: number; readonly encoding: string; readonly sample_rate: number }
  }
}

const messages: AudioMessage[] = []
/** What the vendor sends after it has received a message. */
let listen: (message: AudioMessage, say: (content: object) => void, socket: ServerWebSocket<unknown>) => void = () => {}
let left = Promise.withResolvers<void>()

/** Says why the signature is wrong; `null`: it is right. */
function wrongIn(request: Request): string | null {
  const { pathname, searchParams, host } = new URL(request.url)
  const date = searchParams.get('date') ?? ''
  const signature = createHmac('sha256', 'spark-secret-0001')
    .update(`host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`)
    .digest('base64')
  const words = `api_key="spark-key-0001", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`
  if (Buffer.from(searchParams.get('authorization') ?? '', 'base64').toString() !== words) return 'HMAC signature does not match'
  return pathname === '/v1' && searchParams.get('host') === host ? null : 'no such service'
}

const vendor = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request, server) {
    const wrong = wrongIn(request)
    if (wrong !== null) return Response.json({ message: wrong }, { status: 401 })
    return server.upgrade(request) ? undefined : new Response('', { status: 400 })
  },
  websocket: {
    message(socket, text) {
      const message: AudioMessage = JSON.parse(String(text))
      messages.push(message)
      listen(message, (content) => socket.send(JSON.stringify(content)), socket)
    },
    close: () => left.resolve(),
  },
})

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await setOptions(app, { PriceRules: JSON.stringify({ 'spark-iat': { second: 0.001 } }) })
})
afterAll(async () => {
  await app.close()
  await vendor.stop(true)
})
afterEach(async () => {
  messages.length = 0
  left = Promise.withResolvers()
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

/** A piece of text; the vendor names candidates of each word. */
function transcriptChunk(number: number, words: readonly string[], status = 1): object {
  const text = {
    sn: number,
    ls: status === 2,
    bg: 0,
    ed: 0,
    ws: words.map((w) => ({
      bg: 0,
      cw: [
        { sc: 0, w },
        { sc: 0, w: 'other' },
      ],
    })),
  }
  const result = {
    compress: 'raw',
    encoding: 'utf8',
    format: 'json',
    seq: number,
    status,
    text: Buffer.from(JSON.stringify(text)).toString('base64'),
  }
  return { header: { code: 0, message: 'success', sid: 'ase@1', status }, payload: { result } }
}

const failed = (code: number, message: string): object => ({ header: { code, message, sid: 'ase@1', status: 2 } })

/** A server that sends its transcript when the audio is over, the second chunk first. */
const whole: typeof listen = ({ header }, say, socket) => {
  if (header.status !== 2) return
  say(transcriptChunk(2, ['world', '.']))
  say(transcriptChunk(1, ['Hello', ', ']))
  say(transcriptChunk(3, [], 2))
  socket.close()
}

async function scene() {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups })
  const { key } = await app.make.token(user)
  const vendorKey = 'app0001|spark-secret-0001|spark-key-0001'
  const channel = await app.make.channel({
    groups,
    type: 18,
    models: 'spark-iat',
    key: vendorKey,
    baseUrl: `http://127.0.0.1:${vendor.port}`,
  })
  return {
    channel,
    send(file: File, fields: Readonly<Record<string, string>> = {}, signal: AbortSignal | null = null): Promise<Response> {
      const form = new FormData()
      for (const [name, value] of Object.entries({ model: 'spark-iat', ...fields })) form.append(name, value)
      form.append('file', file)
      return app.request('/v1/audio/transcriptions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form, signal })
    },
    async lastRow() {
      await app.app.ledger.drain()
      return (await app.data(contract.log.list, { username: user.username }))[0]
    },
  }
}

/** Frames of MPEG-2, layer III, one channel, 32 kbit/s, 16,000 samples a second. @param head bytes of the first frame's head */
function mp3File(frames: number, { tag = 0, head = [0xff, 0xf3, 0x48, 0xc0] } = {}): File {
  const frame = new Uint8Array(144)
  frame.set(head)
  const before = tag === 0 ? [] : [Uint8Array.of(0x49, 0x44, 0x33, 4, 0, 0, 0, 0, tag >> 7, tag & 0x7f), new Uint8Array(tag).fill(0xff)]
  return new File([...before, ...Array.from({ length: frames }, () => frame)], 'a.mp3', { type: 'audio/mpeg' })
}

const receivedAudio = (): Buffer => Buffer.concat(messages.map(({ payload }) => Buffer.from(payload.audio.audio, 'base64')))

test('the samples of a file are sent piece by piece, and the text is put together by its numbers and charged by the second', async () => {
  listen = whole
  const { send, lastRow } = await scene()
  const response = await send(wavFile(1), { language: 'en' })
  expect([response.status, await response.json()]).toEqual([200, { text: 'Hello, world.' }])
  expect(messages).toHaveLength(26)
  expect(messages[0]).toEqual({
    header: { app_id: 'app0001', status: 0 },
    parameter: {
      iat: {
        ...{ domain: 'slm', language: 'zh_cn', accent: 'mandarin', eos: 10_000 },
        result: { encoding: 'utf8', compress: 'raw', format: 'json' },
      },
    },
    payload: {
      audio: {
        ...{ encoding: 'raw', sample_rate: 16_000, channels: 1, bit_depth: 16, seq: 1, status: 0 },
        audio: Buffer.alloc(1_280).toString('base64'),
      },
    },
  } as AudioMessage)
  expect(messages.map(({ header, payload }) => [header.status, payload.audio.seq])).toEqual([
    [0, 1],
    ...Array.from({ length: 24 }, (_, index) => [1, index + 2]),
    [2, 26],
  ])
  expect(receivedAudio()).toHaveLength(32_000)
  expect(await lastRow()).toMatchObject({ quota: 500, upstream_model: 'spark-iat' })
})

test('an MP3 file is sent as it is, without what is written before the audio', async () => {
  listen = whole
  const { send } = await scene()
  const response = await send(mp3File(20, { tag: 300 }), { response_format: 'text' })
  expect([response.headers.get('content-type'), await response.text()]).toEqual(['text/plain; charset=utf-8', 'Hello, world.'])
  expect(messages[0]?.payload.audio).toMatchObject({ encoding: 'lame', sample_rate: 16_000 })
  expect(receivedAudio()).toEqual(Buffer.from(await mp3File(20).arrayBuffer()))
})

test('a file without a word has an empty transcript', async () => {
  listen = ({ header }, say, socket) => {
    if (header.status !== 2) return
    say({ header: { code: 0, message: 'success', sid: 's', status: 2 } })
    socket.close()
  }
  const { send } = await scene()
  expect(await (await send(wavFile(1))).json()).toEqual({ text: '' })
})

test('a vendor that responds when it has received everything is not too late', async () => {
  listen = whole
  const { send, channel } = await scene()
  await app.data(contract.channel.update, { id: channel, first_byte_seconds: 1 })
  expect((await send(wavFile(2))).status).toBe(200)
})

test('no more is sent once the client has gone', async () => {
  const { send, lastRow } = await scene()
  const client = new AbortController()
  listen = () => {
    if (messages.length === 3) client.abort()
  }
  const sending = send(wavFile(20), {}, client.signal)
  expect(await sending.catch(() => 'gone')).toBe('gone')
  await left.promise
  expect(messages.length).toBeLessThan(500)
  expect(messages.some(({ header }) => header.status === 2)).toBe(false)
  expect(await lastRow()).toMatchObject({ end_reason: 'client_gone' })
})

test.each([
  ['an error in the middle of the sound', 5, (say: (content: object) => void) => say(failed(10_163, 'param validate error'))],
  ['an error that names the key', 1, (say: (content: object) => void) => say(failed(11_200, 'spark-secret-0001 is not allowed'))],
  ['an end before the text is over', 26, (say: (content: object) => void) => say(transcriptChunk(1, ['Hello']))],
  ['something else', 26, (say: (content: object) => void) => say(['<html>'])],
] as const)('%s is an error, ends what is sent, and costs nothing', async (_what, at, response) => {
  listen = (_message, say, socket) => {
    if (messages.length < at) return
    response(say)
    socket.close()
  }
  const { send, lastRow } = await scene()
  const got = await send(wavFile(1))
  expect(got.status).toBeGreaterThanOrEqual(400)
  expect(await got.text()).not.toContain('spark-secret-0001')
  expect(messages.length).toBeLessThan(at + 26)
  expect((await lastRow())?.quota ?? 0).toBe(0)
})

const otherSamples = new File([Buffer.from(await wavFile(1).arrayBuffer()).fill(Buffer.from([0x44, 0xac]), 24, 26)], 'a.wav')

test.each([
  ['file', wavFile(61), {}],
  ['file', otherSamples, {}],
  ['file', mp3File(20, { head: [0xff, 0xfb, 0x90, 0xc0] }), {}],
  ['file', mp3File(20, { head: [0xff, 0xf3, 0x48, 0x40] }), {}],
  ['file', mp3File(1_700), {}],
  ['file', new File(['OggS'], 'a.ogg'), {}],
  ['file', new File(['RIFF0000WAVE'], 'a.wav'), {}],
  ['file', new File([], 'a.wav'), {}],
  ['language', wavFile(1), { language: 'fr' }],
  ['prompt', wavFile(1), { prompt: 'names' }],
  ['response_format', wavFile(1), { response_format: 'srt' }],
  ['timestamp_granularities', wavFile(1), { 'timestamp_granularities[]': 'word' }],
] as const)('a request with a %s that the vendor does not take is refused before anything is sent', async (name, file, fields) => {
  listen = whole
  const { send, lastRow } = await scene()
  const response = await send(file, fields)
  expect([response.status, ((await response.json()) as { readonly error: { readonly param: unknown } }).error.param]).toEqual([400, name])
  expect(messages).toHaveLength(0)
  expect((await lastRow())?.quota ?? 0).toBe(0)
})
