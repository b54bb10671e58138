import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { connect as connectSocket } from 'node:net'
import { contract, type LogRow } from '@sluice/contract'
import type { ServerWebSocket } from 'bun'
import { type TestApp, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { refusalsMax } from './realtime-session.ts'

/** The vendor's side of a session. */
interface Session {
  readonly url: string
  readonly headers: Headers
  readonly socket: ServerWebSocket<undefined>
  readonly received: string[]
}

const model = 'gpt-realtime'
let app: TestApp
let key: string
let sessions: Session[] = []
let refusals: number[] = []
let closed: number[] = []

const vendor = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request, server) {
    const status = refusals.shift()
    if (status !== undefined) return new Response('{}', { status })
    // Holds: `open` below reads this data back.
    server.upgrade(request, { data: { url: request.url, headers: new Headers(request.headers) } as never })
    return undefined
  },
  websocket: {
    maxPayloadLength: 64 * 1024 * 1024,
    open(socket: ServerWebSocket<undefined>) {
      // Holds: the upgrade set it.
      const { url, headers } = socket.data as unknown as Pick<Session, 'url' | 'headers'>
      sessions.push({ url, headers, socket, received: [] })
      socket.send(JSON.stringify({ type: 'session.created' }))
    },
    message(socket, message) {
      sessions.find((session) => session.socket === socket)?.received.push(String(message))
    },
    close: (_socket, code) => void closed.push(code),
  },
})

beforeAll(async () => {
  app = await testApp({ env: { ABANDONED_MS: '1000' } })
  key = (await app.make.token(await app.make.user({ quota: 1_000_000 }), { isUnlimited: true })).key
  await app.make.channel({
    models: `${model},whisper-1,writer`,
    baseUrl: `http://127.0.0.1:${vendor.port}`,
    key: 'vendor-key',
    mapping: { [model]: 'upstream-model', writer: 'whisper-1' },
  })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(async () => {
  await app.close()
  await vendor.stop(true)
})
beforeEach(() => {
  sessions = []
  refusals = []
  closed = []
})

interface Client {
  readonly messages: string[]
  readonly socket: WebSocket
  /** The close code. */
  readonly ended: Promise<number>
}

async function connect(as = key, query = `model=${model}`, { url } = app): Promise<Client> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/realtime?${query}`, ['realtime', `openai-insecure-api-key.${as}`])
  const messages: string[] = []
  const ended = Promise.withResolvers<number>()
  socket.onmessage = ({ data }) => void messages.push(String(data))
  socket.onclose = ({ code }) => ended.resolve(code)
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve()
    socket.onerror = (event) => reject(new Error(String('message' in event ? event.message : 'refused')))
  })
  return { messages, socket, ended: ended.promise }
}

/** Repeats the check after every event of the server. */
async function eventually<T>(look: () => T | undefined): Promise<T> {
  const value = await until(
    async () => {
      await app.request('/healthz')
      return look()
    },
    (value) => value !== undefined,
  )
  if (value === undefined) throw new Error('it never came to be so')
  return value
}

const session = () => eventually(() => sessions[0])

const untilCount = (list: readonly string[], count: number) => eventually(() => (list.length >= count ? true : undefined))

const newestRows = async () => await app.data(contract.log.list, { type: 2 })

/** The log row after the one with this id. */
async function rowAfter(id: number) {
  const rows = await until(newestRows, ([newest]) => newest !== undefined && newest.id > id)
  return rows[0]
}

/** The id of the newest log row. */
const lastRow = async () => (await newestRows())[0]?.id ?? 0

const done = (usage: unknown) => JSON.stringify({ type: 'response.done', response: { id: 'resp_1', usage } })
const usage = {
  input_tokens: 100,
  output_tokens: 50,
  input_token_details: {
    text_tokens: 20,
    audio_tokens: 80,
    cached_tokens: 10,
    cached_tokens_details: { text_tokens: 10, audio_tokens: 0 },
  },
  output_token_details: { text_tokens: 10, audio_tokens: 40 },
}

describe('a realtime session', () => {
  test('forwards messages in both directions with the mapped model, and charges all its responses in one row', async () => {
    const before = await lastRow()
    const client = await connect()
    expect(client.socket.protocol).toBe('realtime')
    const { url, headers, socket, received } = await session()
    expect(new URL(url).search).toBe('?model=upstream-model')
    expect([headers.get('authorization'), headers.get('sec-websocket-protocol')]).toEqual(['Bearer vendor-key', null])
    client.socket.send('{"type":"response.create"}')
    await untilCount(received, 1)
    socket.send(done(usage))
    socket.send(done(usage))
    await untilCount(client.messages, 3)
    expect(client.messages).toEqual(['{"type":"session.created"}', done(usage), done(usage)])
    expect(received).toEqual(['{"type":"response.create"}'])
    client.socket.close()
    expect(await rowAfter(before)).toMatchObject({
      model_name: model,
      upstream_model: 'upstream-model',
      prompt_tokens: 200,
      completion_tokens: 100,
      cached_tokens: 20,
      end_reason: 'complete',
      estimated: false,
      is_stream: true,
    })
    expect((await newestRows()).filter(({ id }) => id > before)).toHaveLength(1)
  })

  test('has the factors of its channel’s type and of its model in its price', async () => {
    const quotaOfOne = async (): Promise<number> => {
      const before = await lastRow()
      const client = await connect()
      const { socket } = await session()
      socket.send(done(usage))
      await untilCount(client.messages, 2)
      client.socket.close()
      const row = await rowAfter(before)
      sessions = []
      return row?.quota ?? 0
    }
    const plain = await quotaOfOne()
    await app.data(contract.option.update, { key: 'ChannelTypeRatio', value: '{"1": 1.5, "3": 9}' })
    await app.data(contract.option.update, { key: 'RetailRatio', value: `{"${model}": 2}` })
    expect([plain > 0, await quotaOfOne()]).toEqual([true, plain * 3])
    await app.data(contract.option.update, { key: 'ChannelTypeRatio', value: '{}' })
    await app.data(contract.option.update, { key: 'RetailRatio', value: '{}' })
  })

  test('that its vendor cuts off ends with an error for the client, and counts the text of the running response', async () => {
    const before = await lastRow()
    const client = await connect()
    const { socket } = await session()
    socket.send(JSON.stringify({ type: 'response.output_audio_transcript.delta', delta: 'Hello there' }))
    await untilCount(client.messages, 2)
    socket.terminate()
    expect(await client.ended).toBe(1011)
    expect(await rowAfter(before)).toMatchObject({ end_reason: 'upstream_cut', estimated: true, completion_tokens: 3 })
  })

  test('is counted by us if the usage of one of its responses is impossible (F19)', async () => {
    const before = await lastRow()
    const client = await connect()
    const { socket } = await session()
    socket.send(done(usage))
    socket.send(JSON.stringify({ type: 'response.output_audio_transcript.delta', delta: 'Hello there' }))
    socket.send(done({ ...usage, output_tokens: -1 }))
    await untilCount(client.messages, 4)
    client.socket.close()
    const row = await rowAfter(before)
    // The second response has read the input and the output of the first.
    expect(row).toMatchObject({ prompt_tokens: 250, cached_tokens: 160, completion_tokens: 53, estimated: true, usage_suspect: true })
  })

  test('that was never used costs nothing', async () => {
    const before = await lastRow()
    const client = await connect()
    await session()
    client.socket.close()
    expect(await rowAfter(before)).toMatchObject({ quota: 0 })
  })

  /** So many seconds of silent audio: 16 bits at 24 kHz. */
  const audio = (seconds: number): string => Buffer.alloc(seconds * 48_000).toString('base64')
  const speak = (seconds: number) => JSON.stringify({ type: 'input_audio_buffer.append', audio: audio(seconds) })
  const spoken = (seconds: number) => JSON.stringify({ type: 'response.output_audio.delta', delta: audio(seconds) })

  test('whose client disconnects in the middle of a response is charged what the vendor reports at its end', async () => {
    const before = await lastRow()
    const client = await connect()
    const { socket } = await session()
    for (const event of [{ type: 'response.created' }, { type: 'response.output_text.delta', delta: 'END' }])
      socket.send(JSON.stringify(event))
    await untilCount(client.messages, 3)
    client.socket.close()
    await client.ended
    const usage = { input_tokens: 20, output_tokens: 30_010, total_tokens: 30_030 }
    socket.send(
      JSON.stringify({ type: 'response.done', response: { usage: { ...usage, output_token_details: { reasoning_tokens: 30_000 } } } }),
    )
    expect(await rowAfter(before)).toMatchObject({ prompt_tokens: 20, completion_tokens: 30_010, estimated: false })
    expect(closed).toEqual([1000])
  })

  test('counts items that come whole, once, and what servers bring as input of the next response', async () => {
    const before = await lastRow()
    const client = await connect()
    const { socket } = await session()
    const words = 'one two three '.repeat(200)
    const item = { id: 'i', type: 'mcp_call', arguments: words, output: 'page '.repeat(20_000) }
    const events = [
      ...[{ type: 'response.created' }, { type: 'response.mcp_call_arguments.done', item_id: 'i', arguments: words }],
      ...[
        { type: 'response.output_item.done', item },
        { type: 'conversation.item.done', item },
      ],
      ...[{ type: 'response.done', response: { usage: null } }, { type: 'response.created' }],
    ]
    for (const event of events) socket.send(JSON.stringify(event))
    await untilCount(client.messages, 7)
    client.socket.close()
    const row = await rowAfter(before)
    expect(row?.completion_tokens).toBeWithin(590, 720)
    expect(row?.prompt_tokens).toBeWithin(20_000, 30_000)
  })

  test('whose client disconnects in the middle of a response is charged for input and output', async () => {
    const before = await lastRow()
    const client = await connect()
    const { socket, received } = await session()
    client.socket.send(speak(10))
    client.socket.send('{"type":"input_audio_buffer.commit"}')
    await untilCount(received, 2)
    for (const event of ['input_audio_buffer.committed', 'response.created']) socket.send(JSON.stringify({ type: event }))
    for (let second = 0; second < 10; second++) socket.send(spoken(1))
    await untilCount(client.messages, 13)
    client.socket.close()
    // Ten tokens per second of input audio, twenty of output audio.
    expect(await rowAfter(before)).toMatchObject({
      end_reason: 'client_gone',
      estimated: true,
      quota: 100 * 16 + 200 * 32,
      charges: [
        { unit: 'audioInput', count: 100, price: 16 },
        { unit: 'audioOutput', count: 200, price: 32 },
      ],
    })
  })

  test('whose vendor reports neither the start of a response nor the committed audio is counted anyway', async () => {
    const before = await lastRow()
    const client = await connect()
    const { socket, received } = await session()
    client.socket.send(speak(10))
    await untilCount(received, 1)
    socket.send(spoken(10))
    await untilCount(client.messages, 2)
    client.socket.close()
    expect(await rowAfter(before)).toMatchObject({ quota: 100 * 16 + 200 * 32 })
  })

  test('is charged by the vendor’s count instead of our estimate', async () => {
    const before = await lastRow()
    const client = await connect()
    const { socket, received } = await session()
    client.socket.send(speak(10))
    await untilCount(received, 1)
    for (const event of ['input_audio_buffer.committed', 'response.created']) socket.send(JSON.stringify({ type: event }))
    socket.send(spoken(10))
    socket.send(done(usage))
    await untilCount(client.messages, 5)
    client.socket.close()
    expect(await rowAfter(before)).toMatchObject({ prompt_tokens: 100, completion_tokens: 50, estimated: false, end_reason: 'complete' })
  })

  test('that only listens costs nothing, and has its input reserved', async () => {
    const before = await lastRow()
    const listener = await app.make.user({ quota: 22_000 })
    const client = await connect((await app.make.token(listener, { isUnlimited: true })).key)
    const { received } = await session()
    client.socket.send(speak(60))
    await untilCount(received, 1)
    // A minute is 600 tokens at 16 quota; the balance does not cover a third one.
    client.socket.send(speak(60))
    client.socket.send(speak(60))
    expect(await client.ended).toBe(1008)
    expect(received).toHaveLength(2)
    expect(await rowAfter(before)).toMatchObject({ quota: 0, end_reason: 'out_of_quota' })
  })

  describe('is charged for transcription', () => {
    const written = { type: 'conversation.item.input_audio_transcription.completed', transcript: 'Hello' }
    const asking = { type: 'session.updated', session: { audio: { input: { transcription: { model: 'whisper-1' } } } } }

    /** The row of a session in which ten seconds were spoken. */
    async function rowWith(...messages: readonly object[]): Promise<LogRow | undefined> {
      const before = await lastRow()
      const client = await connect()
      const { socket, received } = await session()
      client.socket.send(speak(10))
      client.socket.send('{"type":"input_audio_buffer.commit"}')
      await untilCount(received, 2)
      for (const message of [...messages, { type: 'input_audio_buffer.committed' }]) socket.send(JSON.stringify(message))
      await untilCount(client.messages, messages.length + 2)
      client.socket.close()
      return await rowAfter(before)
    }

    const seconds = (count: number) => ({ ...written, usage: { type: 'duration', seconds: count } })
    const tokens = (count: number) => ({
      ...written,
      usage: { type: 'tokens', input_tokens: count, output_tokens: 9, total_tokens: count + 9 },
    })
    const committed = { type: 'input_audio_buffer.committed' }

    test('by the client’s name of a model that the channel has another name for', async () => {
      const price = { writer: { second: 0.001 } }
      await app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify(price) })
      const before = await lastRow()
      const client = await connect()
      const { socket, received } = await session()
      const sessionUpdate = { type: 'session.update', session: { model, audio: { input: { transcription: { model: 'writer' } } } } }
      client.socket.send(JSON.stringify(sessionUpdate))
      await untilCount(received, 1)
      expect(JSON.parse(received[0] ?? '')).toEqual({
        ...sessionUpdate,
        session: { model: 'upstream-model', audio: { input: { transcription: { model: 'whisper-1' } } } },
      })
      client.socket.send(speak(10))
      client.socket.send('{"type":"input_audio_buffer.commit"}')
      await untilCount(received, 3)
      const events = [asking, committed, seconds(30), { type: 'input_audio_buffer.committed' }]
      for (const event of events) socket.send(JSON.stringify(event))
      await untilCount(client.messages, events.length + 1)
      client.socket.close()
      expect(await rowAfter(before)).toMatchObject({ quota: 15_000 })
      await app.data(contract.option.update, { key: 'PriceRules', value: '{}' })
    })

    test('at the price of the transcribing model', async () => {
      expect(await rowWith(asking, committed, seconds(30))).toMatchObject({
        quota: 1500,
        end_reason: 'complete',
        usage_suspect: false,
        charges: [{ unit: 'tool.audioMs', count: 30_000, price: 0.05 }],
      })
    })

    test.each([
      ['seconds', seconds(900_000)],
      ['tokens', tokens(100_000_000)],
    ])('by its own measure, if the vendor counts more %s than were spoken', async (_, event) => {
      expect(await rowWith(asking, committed, event)).toMatchObject({
        quota: 500,
        usage_suspect: true,
        charges: [{ unit: 'tool.audioMs', count: 10_000, price: 0.05 }],
      })
    })

    test.each([
      ['as soon as the speech is over', [asking]],
      [
        'also if the client leaves in the middle of it',
        [asking, { type: 'conversation.item.input_audio_transcription.delta', delta: 'Hel' }],
      ],
    ])('%s', async (_, messages) => {
      expect(await rowWith(...messages)).toMatchObject({ quota: 500, charges: [{ unit: 'tool.audioMs', count: 10_000, price: 0.05 }] })
    })

    test('not if it failed', async () => {
      const failed = { type: 'conversation.item.input_audio_transcription.failed', error: { message: 'noise' } }
      expect(await rowWith(asking, committed, failed)).toMatchObject({ quota: 0 })
    })

    test('only if it was requested', async () => {
      expect(await rowWith(committed, tokens(1_000))).toMatchObject({ quota: 0, usage_suspect: false })
    })
  })

  test('ends before it costs more than the account has, by one message at most', async () => {
    const before = await lastRow()
    const poor = await app.make.user({ quota: 20_000 })
    const client = await connect((await app.make.token(poor, { isUnlimited: true })).key)
    const { socket } = await session()
    socket.send(JSON.stringify({ type: 'response.created' }))
    for (let second = 0; second < 60; second++) socket.send(spoken(1))
    expect(await client.ended).toBe(1008)
    const row = await rowAfter(before)
    expect(row?.end_reason).toBe('out_of_quota')
    // A second of it is 20 tokens at 32 quota.
    expect(row?.quota).toBeLessThanOrEqual(20_000 + 640)
    expect(row?.quota).toBeGreaterThan(15_000)
  })

  test('ends with an error event when the account has nothing left', async () => {
    const poor = await app.make.user({ quota: 20_000 })
    const client = await connect((await app.make.token(poor, { isUnlimited: true })).key)
    const { socket } = await session()
    socket.send(done({ input_tokens: 20_000, output_tokens: 0 }))
    expect(await client.ended).toBe(1008)
    expect(JSON.parse(client.messages.at(-1) ?? '')).toMatchObject({ type: 'error', error: { code: 'insufficient_user_quota' } })
  })

  test.each([
    ['a token that is not known', () => connect('sk-nobody'), '401'],
    ['no model', () => connect(key, ''), '400'],
    ['a model that nobody has', () => connect(key, 'model=none'), '404'],
  ])('is refused for %s before a channel is tried', async (_, attempt, status) => {
    expect(String(await attempt().catch((error: unknown) => error))).toContain(status)
    expect(sessions).toEqual([])
  })

  test('is refused if the vendor refuses, without a charge', async () => {
    const before = await lastRow()
    refusals = [503]
    expect(String(await connect().catch((error: unknown) => error))).toContain('502')
    expect(await rowAfter(before)).toMatchObject({ quota: 0, end_reason: 'failed' })
  })

  test('refuses requests other than WebSocket upgrades', async () => {
    const response = await app.request(`/v1/realtime?model=${model}`, { headers: { authorization: `Bearer ${key}` } })
    expect([response.status, await response.json()]).toMatchObject([426, { error: { code: 'websocket_required' } }])
    expect(response.headers.get('sec-websocket-version')).toBe('13')
  })

  test('refuses a handshake of another version before a channel is tried', async () => {
    const socket = connectSocket(app.app.port, '127.0.0.1')
    const response = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString())))
    const fields = `host: x\r\nauthorization: Bearer ${key}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 8`
    socket.write(`GET /v1/realtime?model=${model} HTTP/1.1\r\n${fields}\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`)
    expect(await response).toMatch(/^HTTP\/1\.1 426 [\s\S]*\r\nsec-websocket-version: 13\r\n[\s\S]*websocket_required/)
    expect(sessions).toEqual([])
    socket.destroy()
  })

  test('forwards a message of megabytes unchanged, and counts it whatever its content is', async () => {
    const { key: rich } = await app.make.token(await app.make.user({ quota: 1_000_000_000 }), { isUnlimited: true })
    const client = await connect(rich)
    const { received } = await session()
    const base64 = 'AbCd'.repeat(300_000)
    const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'word '.repeat(200_000) }] }
    const clientEvents = [
      { type: 'input_audio_buffer.append', audio: base64 },
      { type: 'conversation.item.create', item },
    ]
    for (const event of clientEvents) client.socket.send(JSON.stringify(event))
    await untilCount(received, clientEvents.length)
    expect(received.map((text) => JSON.parse(text))).toEqual(clientEvents)
    const events = [{ type: 'response.created' }, { type: 'response.output_text.delta', delta: base64 }]
    for (const event of events) sessions[0]?.socket.send(JSON.stringify(event))
    await untilCount(client.messages, 3)
    expect(client.messages.slice(1).map((text) => JSON.parse(text))).toEqual(events)
    const last = await lastRow()
    client.socket.close()
    const row = await rowAfter(last)
    // A quarter of a million words and a hundredth of the audio bytes are input; 400,000 tokens are output.
    expect(row?.prompt_tokens).toBeWithin(250_000, 400_000)
    expect(row?.completion_tokens).toBeWithin(300_000, 410_000)
  })

  describe('forwards no message of its client', () => {
    /** The response to a message, and whether the vendor got the message. */
    async function responseTo(message: object | string, as = key) {
      const client = await connect(as)
      const { received } = await session()
      client.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
      client.socket.send('{"type":"input_audio_buffer.clear"}')
      await untilCount(received, 1)
      client.socket.close()
      const error = client.messages.map((text) => JSON.parse(text)).find(({ type }) => type === 'error')?.error
      return { error, received: received.length }
    }
    const update = (session: object) => ({ type: 'session.update', session })

    test.each<[string, object | string, string]>([
      ['names another model', update({ model: 'gpt-realtime-dear' }), 'session.model'],
      ['searches the web', update({ enable_search: true }), 'session.enable_search'],
      ['has members that nobody knows', { type: 'session.update', turbo: true }, 'turbo'],
      ['has tools that nobody knows', update({ tools: [{ type: 'web_search' }] }), 'session.tools[0].type'],
      ['has such tools for one answer', { type: 'response.create', response: { tools: [{ type: 'x_search' }] } }, 'response.tools[0].type'],
    ])('that %s', async (_, message, place) => {
      const { error, received } = await responseTo(message)
      expect([error.param, error.message, received]).toEqual([place, expect.stringContaining(place), 1])
    })

    test.each([
      ['{"type":"session.update","session":{"model":"gpt-realtime-dear","temperature":NaN}}'],
      [`{"type":"input_audio_buffer.append","audio":"AAAA","type":"session.update","session":{"model":"gpt-realtime-dear"}}`],
    ])('that hides another model: %s', async (message) => {
      const { error, received } = await responseTo(message)
      expect([typeof error?.code, received]).toEqual(['string', 1])
    })

    test('that has its speech transcribed by a model that its token may not use', async () => {
      const user = await app.make.user({ quota: 1_000_000 })
      const { key: narrow } = await app.make.token(user, { isUnlimited: true, models: model })
      const { key: wide } = await app.make.token(user, { isUnlimited: true, models: `${model},whisper-1` })
      const transcription = update({ audio: { input: { transcription: { model: 'whisper-1' } } } })
      expect(await responseTo(transcription, narrow)).toMatchObject({
        error: { code: 'named_model_refused', param: 'session.audio.input.transcription.model' },
        received: 1,
      })
      sessions = []
      const client = await connect(wide)
      const { received } = await session()
      client.socket.send(JSON.stringify(transcription))
      await untilCount(received, 1)
      expect(JSON.parse(received[0] ?? '')).toEqual(transcription)
      client.socket.close()
    })

    test('that has its speech transcribed by a model that the channel does not have', async () => {
      const { error } = await responseTo(update({ audio: { input: { transcription: { model: 'gpt-4o-transcribe' } } } }))
      expect(error).toMatchObject({ code: 'model_not_found', param: 'session.audio.input.transcription.model' })
    })

    test('that names what the vendor keeps for the account of the key', async () => {
      const groups = `g${crypto.randomUUID().slice(0, 8)}`
      const { key: own } = await app.make.token(await app.make.user({ groups, quota: 1_000_000 }), { isUnlimited: true })
      const id = await app.make.channel({ models: model, groups, baseUrl: `http://127.0.0.1:${vendor.port}` })
      await app.data(contract.channel.update, { id, content_of_key: false })
      const file = { type: 'message', role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }
      const places = []
      for (const message of [update({ prompt: { id: 'pmpt_1' } }), { type: 'response.create', response: { prompt: { id: 'p' } } }]) {
        const { error, received } = await responseTo(message, own)
        places.push([error.param, received])
        sessions = []
      }
      const { error } = await responseTo({ type: 'conversation.item.create', item: file }, own)
      expect([...places, error.param]).toEqual([['session.prompt', 1], ['response.prompt', 1], 'item.content[0].file_id'])
    })

    test('without an error: a client that reads none is disconnected', async () => {
      const client = await connect()
      const { received } = await session()
      const bad = JSON.stringify(update({ model: 'gpt-realtime-dear' }))
      for (let turn = 0; turn < 200; turn += 1) client.socket.send(bad)
      client.socket.close()
      await client.ended
      expect(received).toEqual([])
    })
  })

  test('ends when a thousand messages were refused, and takes others until then', async () => {
    const client = await connect()
    const { received } = await session()
    for (let turn = 1; turn < refusalsMax; turn += 1) client.socket.send('no JSON')
    client.socket.send(JSON.stringify({ type: 'input_audio_buffer.clear' }))
    await untilCount(received, 1)
    client.socket.send('no JSON')
    expect([await client.ended, received.length]).toEqual([1008, 1])
    expect(client.messages.filter((message) => message.includes('"invalid_json"'))).toHaveLength(refusalsMax)
  })

  test('ends if a message has too many values', async () => {
    const client = await connect()
    const { received } = await session()
    client.socket.send(JSON.stringify({ type: 'conversation.item.create', item: Array.from({ length: 300_000 }, () => ({})) }))
    expect(await client.ended).toBe(1009)
    expect(received).toEqual([])
    const other = await connect()
    const { socket } = await eventually(() => sessions[1])
    socket.send(JSON.stringify({ type: 'x', list: Array.from({ length: 300_000 }, () => ({})) }))
    expect(await other.ended).toBe(1011)
  })

  test('ends if a message exceeds the maximum size (F59)', async () => {
    const client = await connect()
    await session()
    client.socket.send(new Uint8Array(17 * 1024 * 1024))
    expect(await client.ended).toBe(1009)
    expect(await eventually(() => closed[0])).toBe(1000)
  })
})

test('a session that runs when the server stops is closed with a reason, and is charged', async () => {
  const stopping = await testApp({ env: { SHUTDOWN_GRACE_MS: '100' } })
  const user = await stopping.make.user({ quota: 1_000_000 })
  const token = await stopping.make.token(user)
  await stopping.make.channel({ models: model, baseUrl: `http://127.0.0.1:${vendor.port}` })
  await stopping.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
  const client = await connect(token.key, `model=${model}`, stopping)
  const { socket } = await session()
  socket.send(done(usage))
  await untilCount(client.messages, 2)
  await stopping.close()
  expect(await client.ended).toBe(1001)
})

test('after all tests the ledger is consistent', async () => {
  await app.app.ledger.drain()
  expect(await app.inconsistencies()).toEqual([])
})

test.each([
  ['2025-04-01-preview', '/openai/realtime?api-version=2025-04-01-preview&deployment=gpt-realtime'],
  ['v1', '/openai/v1/realtime?model=gpt-realtime'],
])('a session at Azure (%s) names its deployment in the address, with the key in its own header', async (other, path) => {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const { key: own } = await app.make.token(await app.make.user({ groups, quota: 1_000_000 }), { isUnlimited: true })
  await app.make.channel({ type: 3, models: model, groups, baseUrl: `http://127.0.0.1:${vendor.port}`, key: 'azure-key', other })
  const client = await connect(own)
  const session = await eventually(() => sessions[0])
  expect([session.url.replace(/^http:..[^/]*/, ''), session.headers.get('api-key')]).toEqual([path, 'azure-key'])
  client.socket.close()
  await client.ended
})

test('a session of a vendor that gives a token opens with the token, and not with the key', async () => {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const { key: own } = await app.make.token(await app.make.user({ groups, quota: 1_000_000 }), { isUnlimited: true })
  // Nothing here gives a token for this key, so no session is opened, and the key is not sent.
  await app.make.channel({ type: 3, models: model, groups, baseUrl: `http://127.0.0.1:${vendor.port}`, key: 'a/b|id|secret', other: 'v1' })
  await expect(connect(own)).rejects.toThrow()
  expect(sessions).toEqual([])
})
