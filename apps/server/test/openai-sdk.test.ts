import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import OpenAI, {
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  BadRequestError,
  InternalServerError,
  PermissionDeniedError,
} from 'openai'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { chatChunk, chatResponse, chatStream, events, json, type Script, usageChunk } from './fake-upstream.ts'

// The official client against the running server: what it reads of a response is what programs with this client read.

let app: TestApp
let user: TestUser
let client: OpenAI
beforeAll(async () => {
  app = await testApp()
  user = await app.make.user({ quota: 10_000_000 })
  const { key } = await app.make.token(user)
  client = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 0 })
  await app.make.channel({ models: 'gpt-4o,gpt-4o-audio-preview,gpt-3.5-turbo-instruct,text-embedding-3-small,omni-moderation-latest' })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

const hello = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'Hello' }] }
const lastBody = (): unknown => JSON.parse(app.upstream.received.at(-1)?.body ?? 'null')
const balance = async () => (await app.data(contract.user.get, { id: user.id })).quota

describe('chat', () => {
  test('returns a response without a stream', async () => {
    app.upstream.script(json(chatResponse('Hi')))
    const { data, response } = await client.chat.completions.create(hello).withResponse()
    expect([data.choices[0]?.message.content, data.usage?.total_tokens]).toEqual(['Hi', 15])
    expect(response.headers.get('x-request-id')).not.toBeNull()
  })

  test('is streamed, with usage on request', async () => {
    app.upstream.script(chatStream(['Hel', 'lo'], { promptTokens: 3, completionTokens: 2 }))
    const stream = await client.chat.completions.create({ ...hello, stream: true, stream_options: { include_usage: true } })
    const words: string[] = []
    let total = 0
    for await (const chunk of stream) {
      words.push(chunk.choices[0]?.delta.content ?? '')
      total = chunk.usage?.total_tokens ?? total
    }
    expect([words.join(''), total]).toEqual(['Hello', 5])
  })

  test('calls tools within a stream', async () => {
    const call = (part: object) => chatChunk({ tool_calls: [{ index: 0, ...part }] })
    const parts = [
      chatChunk({ role: 'assistant', content: null }),
      call({ id: 'call_1', type: 'function', function: { name: 'rain', arguments: '' } }),
      call({ function: { arguments: '{"city":' } }),
      call({ function: { arguments: '"Oslo"}' } }),
      chatChunk({}, 'tool_calls'),
      usageChunk(9, 4),
      '[DONE]',
    ]
    app.upstream.script(events(parts))
    const tools = [
      { type: 'function' as const, function: { name: 'rain', parameters: { type: 'object', properties: { city: { type: 'string' } } } } },
    ]
    const message = await client.chat.completions.stream({ ...hello, tools }).finalMessage()
    expect(message.tool_calls?.[0]).toMatchObject({ id: 'call_1', function: { name: 'rain', arguments: '{"city":"Oslo"}' } })
    expect(lastBody()).toMatchObject({ tools })
  })

  test('returns structured output', async () => {
    app.upstream.script(json(chatResponse('{"city":"Oslo"}')))
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
    const format = { type: 'json_schema' as const, json_schema: { name: 'place', strict: true, schema } }
    const { choices } = await client.chat.completions.parse({ ...hello, response_format: format })
    expect(choices[0]?.message.content).toBe('{"city":"Oslo"}')
    expect(lastBody()).toMatchObject({ response_format: format })
  })

  test('takes images and audio, and returns audio', async () => {
    const audio = { id: 'audio_1', data: 'AAAA', expires_at: 1, transcript: 'Hi' }
    app.upstream.script(
      json({ ...chatResponse('Hi'), choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: null, audio } }] }),
    )
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' as const } },
      { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' as const } },
    ]
    const response = await client.chat.completions.create({
      model: 'gpt-4o-audio-preview',
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
      messages: [{ role: 'user', content }],
    })
    expect(response.choices[0]?.message.audio).toEqual(audio)
    expect(lastBody()).toMatchObject({ messages: [{ role: 'user', content }] })
  })
})

test('completions, embeddings and moderations have the form that the client reads', async () => {
  app.upstream.script(
    json({ id: 'c', object: 'text_completion', choices: [{ index: 0, text: ' there', finish_reason: 'stop', logprobs: null }] }),
  )
  const completion = await client.completions.create({ model: 'gpt-3.5-turbo-instruct', prompt: 'Hi' })
  expect(completion.choices[0]?.text).toBe(' there')

  // The client requests base64 itself and decodes it into numbers.
  const floats = Buffer.from(new Float32Array([1, 2.5]).buffer).toString('base64')
  app.upstream.script(
    json({ object: 'list', data: [{ object: 'embedding', index: 0, embedding: floats }], usage: { prompt_tokens: 1, total_tokens: 1 } }),
  )
  const embedding = await client.embeddings.create({ model: 'text-embedding-3-small', input: 'Hi' })
  expect(embedding.data[0]?.embedding).toEqual([1, 2.5])
  expect(lastBody()).toMatchObject({ encoding_format: 'base64' })

  app.upstream.script(json({ id: 'm', model: 'omni-moderation-latest', results: [{ flagged: true }] }))
  const moderation = await client.moderations.create({ input: 'Hi' })
  expect(moderation.results[0]?.flagged).toBe(true)
})

test('models are listed and looked up', async () => {
  const ids: string[] = []
  for await (const { id } of client.models.list()) ids.push(id)
  expect(ids).toContain('gpt-4o')
  expect(await client.models.retrieve('gpt-4o')).toMatchObject({ id: 'gpt-4o', object: 'model' })
  const missing = await client.models.retrieve('no-such').catch((error: unknown) => error)
  expect(missing).toMatchObject({ status: 404, code: 'model_not_found' })
})

describe('an error', () => {
  const failing = async (script: Script): Promise<unknown> => {
    app.upstream.script(script)
    return await client.chat.completions.create(hello).catch((error: unknown) => error)
  }

  test('of the request has the message and status of the vendor, and costs nothing', async () => {
    const before = await balance()
    const error = { message: 'temperature is too high', type: 'invalid_request_error', param: 'temperature', code: 'out_of_range' }
    const failure = await failing(json({ error }, 400))
    expect(failure).toBeInstanceOf(BadRequestError)
    expect(failure).toMatchObject({ status: 400, param: 'temperature', code: 'out_of_range', type: 'invalid_request_error' })
    expect(await balance()).toBe(before)
  })

  test('of the channel’s key is an error of the server, never of the client’s key', async () => {
    const failure = await failing(json({ error: { message: 'Incorrect API key' } }, 401))
    expect(failure).toBeInstanceOf(InternalServerError)
    expect(failure).toMatchObject({ status: 502, code: 'channel_auth_failed' })
  })

  test('within a stream is thrown, after what came before it', async () => {
    const overloaded = `data: ${JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } })}\n\n`
    app.upstream.script(
      events(
        [chatChunk({ content: 'Hel' })],
        [
          { do: 'wait', name: 'the first word was read' },
          { do: 'send', bytes: overloaded },
        ],
      ),
    )
    const stream = await client.chat.completions.create({ ...hello, stream: true })
    const words: string[] = []
    const failure = await (async () => {
      for await (const chunk of stream) {
        words.push(chunk.choices[0]?.delta.content ?? '')
        app.upstream.release('the first word was read')
      }
    })().catch((error: unknown) => error)
    expect(words).toEqual(['Hel'])
    expect(failure).toBeInstanceOf(APIError)
  })

  test('of an empty balance is not retried by the client', async () => {
    const poor = await app.make.user({ quota: 0 })
    const { key } = await app.make.token(poor)
    let requestCount = 0
    const counting = (...args: Parameters<typeof fetch>) => {
      requestCount += 1
      return fetch(...args)
    }
    const eager = new OpenAI({ apiKey: key, baseURL: `${app.url}/v1`, maxRetries: 5, fetch: counting })
    const failure = await eager.chat.completions.create(hello).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(PermissionDeniedError)
    expect([requestCount, failure]).toEqual([1, expect.objectContaining({ code: 'insufficient_user_quota' })])
  })
})

describe('a client that aborts', () => {
  test('ends a stream, and the request to the vendor is cancelled', async () => {
    app.upstream.script(events([chatChunk({ content: 'Hel' })], [{ do: 'wait', name: 'never' }]))
    const stream = await client.chat.completions.create({ ...hello, stream: true })
    for await (const chunk of stream) {
      if (chunk.choices[0]?.delta.content === 'Hel') break
    }
    await app.upstream.received.at(-1)?.aborted
  })

  test('ends its wait for a response without a stream', async () => {
    app.upstream.script([{ do: 'wait', name: 'for ever' }])
    const control = new AbortController()
    const before = app.upstream.received.length
    const pending = client.chat.completions.create(hello, { signal: control.signal }).catch((error: unknown) => error)
    while (app.upstream.received.length === before) await app.request('/healthz')
    control.abort()
    expect(await pending).toBeInstanceOf(APIUserAbortError)
    await app.upstream.received.at(-1)?.aborted
  })

  test('ends a request after its own timeout', async () => {
    app.upstream.script([{ do: 'wait', name: 'for ever and ever' }])
    const failure = await client.chat.completions.create(hello, { timeout: 50 }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(APIConnectionTimeoutError)
    await app.upstream.received.at(-1)?.aborted
  })
})
