import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI from 'openai'
import { type TestApp, type TestUser, testApp } from '../app.ts'
import { messagesType, type Received, type Script, type Step } from '../fake-upstream.ts'
import { numbersFrom } from '../numbers-from.ts'
import { until } from '../server-process.ts'
import { damaged } from './damaged.ts'
import { doubles } from './doubles/all.ts'
import { type Feature, pieces, type ScriptedResponse, type VendorDouble } from './vendor-double.ts'

// One suite for the wire of every dialect: OpenAI's own client asks, a double responds in the vendor's form.

let app: TestApp

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await openHolds()).toEqual([])
})

const openHolds = () => app.app.store.db.selectFrom('holds').select('request_id').execute()

const usage = { prompt: 100, completion: 20 }
const tools: OpenAI.Chat.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } } },
]
const called = { name: 'weather', input: { city: 'Lisboa "ü" \\ 北京' } }
/** An image of one dot. */
const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A new account with one channel that gives these responses, one for each request. */
async function scene(double: VendorDouble, ...scripts: Script[]) {
  const { type, model: models, config, other } = double
  const key = double.key.replaceAll('{upstream}', app.upstream.url)
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group })
  const { key: token } = await app.make.token(user)
  const channel = await app.make.channel({
    groups: group,
    type,
    key,
    models,
    ...(config === undefined ? {} : { config }),
    ...(other === undefined ? {} : { other }),
  })
  app.upstream.always((request) => double.grant?.(request) ?? null)
  app.upstream.script(...scripts)
  const client = new OpenAI({ apiKey: token, baseURL: `${app.url}/v1`, maxRetries: 0 })
  const ask = { model: models, messages: [{ role: 'user' as const, content: 'Hi' }] }
  return { user, token, client, channel, group, ask }
}

const streamed = (double: VendorDouble, response: ScriptedResponse): Script => {
  const { contentType, frames } = double.stream(response)
  return pieces(contentType, frames)
}

function lastRequest(): Received {
  const request = app.upstream.received.at(-1)
  if (request === undefined) throw new Error('nothing was sent')
  return request
}

async function lastLog(user: TestUser) {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username: user.username }))[0]
}

async function statusOf(channel: number): Promise<number> {
  return (await app.data(contract.channel.get, { id: channel })).status
}

async function errorOf(promise: Promise<unknown>) {
  try {
    await promise
  } catch (error) {
    if (error instanceof OpenAI.APIError) return { status: error.status, code: error.code, message: error.message }
    throw error
  }
  throw new Error('no error came')
}

/** Everything that a stream brings, and the error that ends it. */
async function readStream(chunks: AsyncIterable<OpenAI.Chat.ChatCompletionChunk>) {
  const read = {
    text: '',
    reasoning: '',
    calls: [] as string[],
    names: [] as string[],
    reason: null as string | null,
    total: 0,
    isBroken: false,
  }
  try {
    for await (const { choices, usage: counted } of chunks) {
      read.total = counted?.total_tokens ?? read.total
      const [choice] = choices
      if (choice === undefined) continue
      const { content, tool_calls: calls = [], ...rest } = choice.delta
      read.text += content ?? ''
      read.reasoning += 'reasoning_content' in rest && typeof rest.reasoning_content === 'string' ? rest.reasoning_content : ''
      for (const { index, function: part } of calls) {
        read.calls[index] = (read.calls[index] ?? '') + (part?.arguments ?? '')
        if (part?.name !== undefined && part.name !== '') read.names[index] = part.name
      }
      read.reason = choice.finish_reason ?? read.reason
    }
  } catch {
    read.isBroken = true
  }
  return read
}

describe.each(doubles.map((double) => [double.name, double] as const))('%s', (_, double) => {
  // Several doubles have the same model, and the retries of a model in one server are limited.
  beforeAll(async () => {
    app = await testApp({ env: { ABANDONED_MS: '0' } })
  })
  afterAll(() => app.close())

  const has = (...features: Feature[]): boolean => !features.some((feature) => double.lacks?.includes(feature))
  const onlyWith = (...features: Feature[]) => (has(...features) ? test : test.skip)

  describe('a whole response', () => {
    test('brings text and its end, sends the channel’s key, and names the requested model', async () => {
      const { client, ask } = await scene(double, double.whole({ text: 'Grüße, 世界 🙂', usage }))
      const response = await client.chat.completions.create(ask)
      expect(response).toMatchObject({ object: 'chat.completion', choices: [{ index: 0, finish_reason: 'stop' }] })
      expect(response.choices[0]?.message).toMatchObject({ role: 'assistant', content: 'Grüße, 世界 🙂' })
      expect(double.isAuthorized(lastRequest())).toBe(true)
      expect(double.read(lastRequest())).toMatchObject({ text: 'Hi', stream: false })
    })

    onlyWith('usage')('is charged by the vendor’s counts', async () => {
      const { client, ask, user } = await scene(double, double.whole({ text: 'Hello', usage }))
      const response = await client.chat.completions.create(ask)
      expect(response.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 })
      expect(await lastLog(user)).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, estimated: false, end_reason: 'complete' })
    })

    onlyWith('usage', 'cached')('counts what was read from a cache once', async () => {
      const { client, ask, user } = await scene(double, double.whole({ text: 'Hello', usage: { ...usage, cached: 64 } }))
      const response = await client.chat.completions.create(ask)
      expect(response.usage).toMatchObject({ prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 64 } })
      expect(await lastLog(user)).toMatchObject({ prompt_tokens: 100, cached_tokens: 64 })
    })

    onlyWith('estimate')('without counts is counted here', async () => {
      const { client, ask, user } = await scene(double, double.whole({ text: 'Hello there, how are you?' }))
      await client.chat.completions.create(ask)
      const row = await lastLog(user)
      expect(row).toMatchObject({ estimated: true, end_reason: 'complete' })
      expect(row?.completion_tokens).toBeGreaterThan(3)
    })

    onlyWith('tools')('brings a call of a tool with its arguments', async () => {
      const { client, ask } = await scene(double, double.whole({ tools: [called], finish: 'tool_calls', usage }))
      const response = await client.chat.completions.create({ ...ask, tools })
      const [choice] = response.choices
      expect(choice?.finish_reason).toBe('tool_calls')
      const [call] = choice?.message.tool_calls ?? []
      expect(call).toMatchObject({ id: expect.any(String), type: 'function', function: { name: 'weather' } })
      expect(JSON.parse(call?.type === 'function' ? call.function.arguments : '')).toEqual(called.input)
      expect(double.read(lastRequest()).tools).toEqual(['weather'])
    })

    onlyWith(
      'tools',
      'parallel tools',
      'several calls',
    )('brings several calls with different ids', async () => {
      const both = [called, { name: 'weather', input: { city: 'Porto' } }]
      const { client, ask } = await scene(double, double.whole({ text: 'Let me look.', tools: both, finish: 'tool_calls', usage }))
      const [choice] = (await client.chat.completions.create({ ...ask, tools })).choices
      const calls = choice?.message.tool_calls ?? []
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
      expect(choice?.message.content).toBe('Let me look.')
    })

    onlyWith('reasoning')('brings reasoning beside the text', async () => {
      const { client, ask } = await scene(double, double.whole({ reasoning: 'Think.', text: 'Done.', usage }))
      const [choice] = (await client.chat.completions.create(ask)).choices
      expect(choice?.message).toMatchObject({ content: 'Done.', reasoning_content: 'Think.' })
    })

    test.each([
      ['length', 'length'],
      ['content_filter', 'content_filter'],
    ] as const)('that ends by %s says so', async (finish, reason) => {
      if (finish === 'content_filter' && !has('content_filter')) return
      if (finish === 'length' && !has('limit')) return
      const { client, ask } = await scene(double, double.whole({ text: 'Hel', finish, usage }))
      const [choice] = (await client.chat.completions.create(ask)).choices
      expect(choice?.finish_reason).toBe(reason)
    })

    test('of a megabyte arrives whole', async () => {
      const long = 'lorem ipsum '.repeat(90_000)
      const { client, ask } = await scene(double, double.whole({ text: long, usage }))
      const [choice] = (await client.chat.completions.create(ask)).choices
      expect(choice?.message.content).toBe(long)
    })

    const broken: ReadonlyArray<readonly [string, Script]> = [
      ['an HTML page', pieces('text/html', [Buffer.from('<html><body>Bad gateway</body></html>')])],
      ['an empty body', pieces('application/json', [])],
      ['half of its JSON', pieces('application/json', [Buffer.from('{"id": "x", "choi')])],
      ['another JSON', pieces('application/json', [Buffer.from('[1, 2, "three"]')])],
      [
        'a connection that breaks',
        pieces('application/json', [Buffer.from('{"id": "x", "choi')], [{ do: 'pause', ms: 20 }, { do: 'cut' }]),
      ],
    ]
    test.each(broken)('that is %s is not charged, and another channel is tried', async (_what, script) => {
      const { client, ask, user, group } = await scene(double, script)
      await app.make.channel({ groups: group, type: 1, models: double.model, priority: -1 })
      const response = await client.chat.completions.create(ask)
      expect(response.choices[0]?.message.content).toBe('Hello')
      expect(await lastLog(user)).toMatchObject({ attempts: 2, prompt_tokens: 10, completion_tokens: 5 })
    })
  })

  describe('a request', () => {
    test('carries the instructions, the limit and every turn', async () => {
      const { client, ask } = await scene(double, double.whole({ text: 'Hello', usage }))
      await client.chat.completions.create({
        ...ask,
        max_tokens: 77,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'One' },
          { role: 'assistant', content: 'Two' },
          { role: 'user', content: [{ type: 'text', text: 'Three' }] },
        ],
      })
      const read = double.read(lastRequest())
      expect(read.text).toBe('Three')
      expect(read.system).toBe('Be brief.')
      if (has('limit')) expect(read.limit).toBe(77)
    })

    onlyWith('tools')('returns the result of a tool', async () => {
      const { client, ask } = await scene(double, double.whole({ text: 'Sunny.', usage }))
      const call = { id: 'call_1', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Porto"}' } }
      await client.chat.completions.create({
        ...ask,
        tools,
        messages: [
          ...ask.messages,
          { role: 'assistant', content: null, tool_calls: [call] },
          { role: 'tool', tool_call_id: 'call_1', content: '18 degrees' },
        ],
      })
      expect(double.read(lastRequest()).results.join()).toContain('18 degrees')
    })

    onlyWith('images')('carries an image that came as data', async () => {
      const { client, ask } = await scene(double, double.whole({ text: 'A dot.', usage }))
      const url = `data:image/png;base64,${image}`
      await client.chat.completions.create({
        ...ask,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      })
      expect(double.read(lastRequest()).images).toEqual([image])
    })
  })

  describe('an error', () => {
    const expected = [
      ['bad_key', 3],
      ['no_quota', 3],
      ['rate_limited', 1],
      ['unavailable', 1],
      ['model_not_found', 1],
      ['bad_request', 1],
      ['context_length', 1],
      ['content_policy', 1],
    ] as const
    test.each(expected)(
      'that says %s is reported in OpenAI’s format, and disables the channel only if the key is at fault',
      async (what, status) => {
        const script = double.error(what)
        if (script === null) return
        const { client, ask, channel } = await scene(double)
        // A credential that was issued a while ago is requested again, and the next one is refused, too.
        app.upstream.always((request) => double.grant?.(request) ?? script)
        await app.data(contract.option.update, { key: 'AutomaticDisableChannelEnabled', value: 'true' })
        const error = await errorOf(client.chat.completions.create(ask))
        expect(error.status).toBeGreaterThanOrEqual(400)
        if (what === 'context_length') expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded' })
        if (what === 'bad_request' || what === 'content_policy') expect(error.status).toBe(400)
        if (what === 'rate_limited') expect(error.status).toBe(429)
        if (status === 3) await until(async () => (await statusOf(channel)) === 3)
        expect(await statusOf(channel)).toBe(status)
        expect(error.message).not.toContain(double.key)
      },
    )
  })

  if (!has('stream')) return

  if (!has('events')) {
    test('a stream brings the whole response, and ends with its terminator', async () => {
      const { client, ask, user } = await scene(double, double.whole({ text: 'Hello there', usage }))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read).toMatchObject({ text: 'Hello there', reason: 'stop', isBroken: false })
      expect(await lastLog(user)).toMatchObject({ end_reason: 'complete', is_stream: true })
    })
    return
  }

  describe('a stream', () => {
    test('brings text, its end and the requested usage', async () => {
      const { client, ask, user } = await scene(double, streamed(double, { text: 'Grüße, 世界 🙂', usage }))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } }))
      expect(read).toMatchObject({ text: 'Grüße, 世界 🙂', reason: 'stop', isBroken: false })
      expect(double.isAuthorized(lastRequest())).toBe(true)
      expect(await lastLog(user)).toMatchObject({ end_reason: 'complete', is_stream: true })
      if (!has('usage')) return
      expect(read.total).toBe(120)
      expect(await lastLog(user)).toMatchObject({ prompt_tokens: 100, completion_tokens: 20, estimated: false })
    })

    test('brings no usage that was not requested, and ends with its terminator', async () => {
      const { token, ask } = await scene(double, streamed(double, { text: 'Hello', usage }))
      const response = await app.request('/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ ...ask, stream: true }),
      })
      const body = await response.text()
      expect(body).toEndWith('data: [DONE]\n\n')
      expect(body).not.toContain('"total_tokens"')
    })

    test('that comes byte by byte brings the same', async () => {
      const { contentType, frames } = double.stream({ text: 'Grüße, 世界 🙂', usage })
      const bytes = Buffer.concat(frames)
      const single = Array.from({ length: bytes.length }, (_byte, at) => bytes.subarray(at, at + 1))
      const { client, ask } = await scene(double, pieces(contentType, single))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read).toMatchObject({ text: 'Grüße, 世界 🙂', reason: 'stop', isBroken: false })
    })

    test('that comes in one piece brings the same', async () => {
      const { contentType, frames } = double.stream({ text: 'Hello there', usage })
      const { client, ask } = await scene(double, pieces(contentType, [Buffer.concat(frames)]))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read).toMatchObject({ text: 'Hello there', reason: 'stop', isBroken: false })
    })

    test('that is complete is not spoiled by what follows in the same read', async () => {
      const { contentType, frames } = double.stream({ text: 'Hello there', usage })
      const behind = Uint8Array.from({ length: 64 }, (_byte, at) => (at * 7919) % 256)
      const { client, ask, user } = await scene(double, pieces(contentType, [Buffer.concat([...frames, behind])]))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read).toMatchObject({ text: 'Hello there', reason: 'stop', isBroken: false })
      expect(await lastLog(user)).toMatchObject({ end_reason: 'complete', estimated: !has('usage') })
    })

    onlyWith('tools')('brings the arguments of a tool in pieces', async () => {
      const { client, ask } = await scene(double, streamed(double, { tools: [called], finish: 'tool_calls', usage }))
      const read = await readStream(await client.chat.completions.create({ ...ask, tools, stream: true }))
      expect(read).toMatchObject({ names: ['weather'], reason: 'tool_calls', isBroken: false })
      expect(JSON.parse(read.calls[0] ?? '')).toEqual(called.input)
    })

    onlyWith(
      'tools',
      'parallel tools',
      'several calls',
    )('keeps several calls apart', async () => {
      const other = { name: 'weather', input: { city: 'Porto' } }
      const { client, ask } = await scene(double, streamed(double, { text: 'So.', tools: [called, other], finish: 'tool_calls', usage }))
      const read = await readStream(await client.chat.completions.create({ ...ask, tools, stream: true }))
      expect(read.calls.map((call) => JSON.parse(call))).toEqual([called.input, other.input])
    })

    onlyWith('reasoning')('brings reasoning before the text', async () => {
      const { client, ask } = await scene(double, streamed(double, { reasoning: 'Think about it.', text: 'Done.', usage }))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read).toMatchObject({ reasoning: 'Think about it.', text: 'Done.' })
    })

    test('that breaks off is reported as broken, and only what was delivered is charged', async () => {
      const { contentType, frames } = double.stream({ text: 'Hello there, my friend', usage })
      const half = frames.slice(0, Math.ceil(frames.length / 2))
      const { client, ask, user } = await scene(double, pieces(contentType, half, [{ do: 'pause', ms: 1 }, { do: 'cut' }]))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }).catch(() => failing()))
      expect(read.isBroken).toBe(true)
      const row = await lastLog(user)
      if (row?.end_reason !== undefined) expect(['upstream_cut', 'failed']).toContain(row.end_reason)
      if (read.text === '') expect(row?.completion_tokens ?? 0).toBe(0)
    })

    test('that ends without its end mark is reported as broken', async () => {
      const { contentType, frames } = double.stream({ text: 'Hello there, my friend', usage })
      const { client, ask } = await scene(double, pieces(contentType, frames.slice(0, Math.ceil(frames.length / 2))))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }).catch(() => failing()))
      expect(read.isBroken).toBe(true)
    })

    test('that brings nothing leads to another channel', async () => {
      const { contentType } = double.stream({ text: 'x' })
      const { client, ask, group } = await scene(double, pieces(contentType, []))
      const id = await app.make.channel({ groups: group, type: 1, models: double.model, priority: -1 })
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect({ text: read.text, id }).toEqual({ text: 'Hello', id })
    })

    const spoiled: ReadonlyArray<readonly [string, () => Script]> = [
      ['is an HTML page', () => pieces('text/html; charset=utf-8', [Buffer.from('<html><body>Bad gateway</body></html>')])],
      ['is a sentence', () => pieces('text/plain', [Buffer.from('no healthy upstream')])],
      ['is JSON, and no answer', () => pieces('application/json', [Buffer.from('[1, 2, "three"]')])],
      ['is half of a JSON', () => pieces('application/json', [Buffer.from('{"id": "x", "choi')])],
      ['has the frames of another protocol', () => pieces(otherType(), [Buffer.from('Hello there, my friend, how are you today?')])],
      ['ends within its first frame', () => pieces(streamOf('Hello').contentType, [halfOf(streamOf('Hello').frames[0])])],
      [
        'breaks off within its first frame',
        () => pieces(streamOf('Hello').contentType, [halfOf(streamOf('Hello').frames[0])], [{ do: 'pause', ms: 5 }, { do: 'cut' }]),
      ],
      ['breaks off before its first frame', () => pieces(streamOf('Hello').contentType, [], [{ do: 'pause', ms: 5 }, { do: 'cut' }])],
    ]
    const streamOf = (text: string) => double.stream({ text, usage })
    const otherType = (): string =>
      streamOf('x').contentType === 'application/vnd.amazon.eventstream' ? 'text/event-stream' : 'application/vnd.amazon.eventstream'

    test.each(spoiled)('that %s leads to another channel, and only its response is charged', async (_what, script) => {
      const { client, ask, user, group } = await scene(double, script())
      await app.make.channel({ groups: group, type: 1, models: double.model, priority: -1 })
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read).toMatchObject({ text: 'Hello', isBroken: false })
      expect(await lastLog(user)).toMatchObject({ attempts: 2, prompt_tokens: 10, completion_tokens: 5 })
    })

    test('that has its frames under another content type is read where they are events, else another channel responds', async () => {
      const { contentType, frames } = streamOf('Hello')
      const { client, ask, user, group } = await scene(double, pieces('application/octet-stream', frames))
      await app.make.channel({ groups: group, type: 1, models: double.model, priority: -1 })
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read).toMatchObject({ text: 'Hello', isBroken: false })
      const row = await lastLog(user)
      if (contentType === 'text/event-stream') expect(row?.attempts).toBe(1)
      else expect([1, 2]).toContain(row?.attempts ?? 0)
    })

    const endings: ReadonlyArray<readonly [string, (frame: Uint8Array) => Uint8Array | null]> = [
      ['half a frame', halfOf],
      [
        'a frame with a wrong checksum',
        (frame) => (streamOf('x').contentType === 'application/vnd.amazon.eventstream' ? changed(frame) : null),
      ],
      ['a frame that breaks the protocol', (frame) => (streamOf('x').contentType === messagesType ? Uint8Array.of(0xf3, ...frame) : null)],
    ]
    test.each(endings)('that goes on with %s ends as broken, and is charged for no more than was delivered', async (_what, ending) => {
      // Some vendors count in every event what they bill so far.
      const { contentType, frames } = double.stream({ text: 'Hello there, my friend', usage: { prompt: 100, completion: 6 } })
      const at = Math.ceil(frames.length / 2)
      const last = ending(frames[at] ?? new Uint8Array())
      if (last === null) return
      const { client, ask, user } = await scene(double, pieces(contentType, [...frames.slice(0, at), last]))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }).catch(() => failing()))
      expect(read.isBroken).toBe(true)
      const row = await lastLog(user)
      if (row?.end_reason !== undefined) expect(['upstream_cut', 'failed']).toContain(row.end_reason)
      expect(row?.completion_tokens ?? 0).toBeLessThanOrEqual(read.text.length)
    })

    test('of garbage leads to another channel or ends as broken, and never throws away the balance', async () => {
      const { contentType } = double.stream({ text: 'x' })
      const garbage = Uint8Array.from({ length: 4_096 }, (_byte, at) => (at * 7919) % 256)
      const { client, ask, group } = await scene(double, pieces(contentType, [garbage]))
      await app.make.channel({ groups: group, type: 1, models: double.model, priority: -1 })
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read.text).toBe('Hello')
    })

    test('that is damaged by chance has one honest end, and is charged for no more than was reported or delivered', async () => {
      const random = numbersFrom(seedOf(double.name))
      for (let at = 0; at < 5; at += 1) {
        const { contentType, frames } = double.stream({
          text: 'Hello there, my friend',
          reasoning: 'Well.',
          usage: { prompt: 9, completion: 6 },
        })
        const script = pieces(contentType, [damaged(frames, random)])
        const { client, ask, user } = await scene(double, script)
        const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }).catch(() => failing()))
        // A client that cannot read what came leaves before the end.
        await until(async () => (await openHolds()).length === 0)
        const row = await lastLog(user)
        expect([at, read.isBroken || read.reason !== null]).toEqual([at, true])
        if (!read.isBroken) expect([at, row?.end_reason]).toEqual([at, 'complete'])
        const delivered = read.text.length + read.reasoning.length + read.calls.join('').length
        expect([at, (row?.completion_tokens ?? 0) <= Math.max(66, delivered)]).toEqual([at, true])
        if (row === undefined || row.end_reason === 'failed') expect([at, row?.quota ?? 0]).toEqual([at, 0])
      }
    })

    test('with an error in it ends with an error', async () => {
      const frame = double.errorFrame()
      if (frame === null) return
      const { contentType, frames } = double.stream({ text: 'Hello there, my friend', usage })
      const begun = frames.slice(0, Math.ceil(frames.length / 2))
      const { client, ask } = await scene(double, pieces(contentType, [...begun, frame]))
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }).catch(() => failing()))
      expect(read.isBroken).toBe(true)
    })

    test('that begins with an error leads to another channel', async () => {
      const frame = double.errorFrame()
      if (frame === null) return
      const { contentType } = double.stream({ text: 'x' })
      const { client, ask, group } = await scene(double, pieces(contentType, [frame]))
      await app.make.channel({ groups: group, type: 1, models: double.model, priority: -1 })
      const read = await readStream(await client.chat.completions.create({ ...ask, stream: true }))
      expect(read.text).toBe('Hello')
    })

    test('is aborted at the vendor when the client leaves, and charged for what was delivered', async () => {
      const { contentType, frames } = double.stream({ text: 'Hello there, my friend', usage })
      const begun = frames.slice(0, Math.ceil(frames.length / 2))
      const hang: Step = { do: 'hang' }
      const { client, ask, user } = await scene(double, pieces(contentType, begun, [hang]))
      const leaving = new AbortController()
      const chunks = await client.chat.completions.create({ ...ask, stream: true }, { signal: leaving.signal })
      for await (const { choices } of chunks) if ((choices[0]?.delta.content ?? '') !== '') break
      leaving.abort()
      await lastRequest().aborted
      await until(async () => (await lastLog(user))?.end_reason === 'client_gone')
    })
  })
})

/** A seed that is equal in every run and differs between doubles, so that each has damages of its own. */
function seedOf(name: string): number {
  return Bun.hash.crc32(name)
}

function halfOf(frame: Uint8Array = new Uint8Array()): Uint8Array {
  return frame.subarray(0, Math.ceil(frame.length / 2))
}

/** The frame with another character in the middle. */
function changed(frame: Uint8Array): Uint8Array {
  return frame.map((byte, at) => (at === Math.floor(frame.length / 2) ? byte ^ 1 : byte))
}

async function* failing(): AsyncGenerator<OpenAI.Chat.ChatCompletionChunk> {
  yield* []
  throw new Error('the request was refused')
}
