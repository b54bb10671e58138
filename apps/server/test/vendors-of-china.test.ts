import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { json, type Received, type Script } from './fake-upstream.ts'

// Vendors with dialects of their own, through HTTP: the upstream speaks the vendor's wire.

let app: TestApp
let user: TestUser
let key: string
let passedMs = 0
const clock = { nowMs: () => Date.now() + passedMs, monotonicMs: () => performance.now() + passedMs }
beforeAll(async () => {
  app = await testApp({ clock })
  await app.data(contract.option.update, { key: 'UnpricedModelRatio', value: '1' })
})
afterAll(() => app.close())

afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  expect(await app.app.store.db.selectFrom('holds').select('request_id').execute()).toEqual([])
})

interface At {
  readonly type: number
  readonly key: string
  readonly models: string
  readonly other?: string
}

/** A channel alone in its group, and an account that reaches only it. */
async function channelOf(options: At): Promise<void> {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  user = await app.make.user({ groups, quota: 10_000_000 })
  key = (await app.make.token(user)).key
  await app.make.channel({ ...options, groups })
}

async function post(path: string, body: object | FormData): Promise<Response> {
  const isForm = body instanceof FormData
  return await app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  })
}

async function lastRow() {
  await app.app.ledger.drain()
  const [row] = await app.data(contract.log.list, { username: user.username, type: 2 })
  return row
}

const question = (model: string, more: object = {}) => ({ model, messages: [{ role: 'user', content: 'Hi' }], ...more })

const sse = (...events: readonly object[]): Script => [
  { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
  ...events.map((event) => ({ do: 'send', bytes: `data: ${JSON.stringify(event)}\n\n` }) as const),
]

const lastRequest = (): Received => {
  const last = app.upstream.received.at(-1)
  if (last === undefined) throw new Error('nothing was sent')
  return last
}

/** A value in a response, by the names and places that lead to it. */
function at(json: unknown, ...names: readonly (string | number)[]): unknown {
  return names.reduce((value, name) => (typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined), json)
}

/** The chunks that a client got, and whether the stream ended well. */
async function chunksOf(response: Response) {
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '))
  const data = lines.map((line) => line.slice('data: '.length))
  return { chunks: data.filter((line) => line !== '[DONE]').map((line) => JSON.parse(line)), isDone: data.at(-1) === '[DONE]' }
}

const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]

describe('the interface of a key APIKey|SecretKey', () => {
  const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 }
  const token = json({ access_token: 'token-1', expires_in: 2_592_000 })
  const start = (secret: string) => channelOf({ type: 15, key: `api|${secret}`, models: 'ERNIE-4.0-8K,Embedding-V1' })

  test('fetches a token, sends it in the query, and returns a whole response', async () => {
    await start('one')
    app.upstream.script(token, json({ id: 'as-1', result: 'Hello', is_truncated: false, usage }))
    const response = await (await post('/v1/chat/completions', question('ERNIE-4.0-8K', { tools }))).json()
    expect(at(response, 'choices', 0)).toMatchObject({ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' })
    expect(lastRequest().path).toBe('/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/completions_pro?access_token=token-1')
    expect(JSON.parse(lastRequest().body)).toMatchObject({
      messages: [{ role: 'user', content: 'Hi' }],
      functions: [{ name: 'weather', parameters: { type: 'object' } }],
    })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 5, completion_tokens: 7, end_reason: 'complete' })
  })

  test('streams text and a function call, and ends without a marker of OpenAI', async () => {
    await start('two')
    const call = { name: 'weather', arguments: '{"city":"Porto"}' }
    const pieces = [
      { result: 'Let ', is_end: false, usage },
      { result: 'me see', is_end: true, function_call: call, usage },
    ]
    app.upstream.script(token, sse(...pieces))
    const { chunks, isDone } = await chunksOf(await post('/v1/chat/completions', question('ERNIE-4.0-8K', { stream: true, tools })))
    expect(isDone).toBe(true)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('')).toBe('Let me see')
    expect(chunks.flatMap((chunk) => chunk.choices[0]?.delta?.tool_calls ?? [])).toMatchObject([{ index: 0, function: call }])
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason).filter(Boolean)).toEqual(['tool_calls'])
    expect(await lastRow()).toMatchObject({ prompt_tokens: 5, completion_tokens: 7 })
  })

  test('asks for another token once, if one is refused with status 200', async () => {
    await start('three')
    app.upstream.script(token, json({ result: 'One', usage }))
    await post('/v1/chat/completions', question('ERNIE-4.0-8K'))
    // A token that was issued just now is not requested again.
    passedMs += 11_000
    const refused = json({ error_code: 110, error_msg: 'Access token invalid or no longer valid' })
    app.upstream.script(refused, json({ access_token: 'token-2', expires_in: 2_592_000 }), json({ result: 'Two', usage }))
    const response = await (await post('/v1/chat/completions', question('ERNIE-4.0-8K'))).json()
    expect(at(response, 'choices', 0, 'message', 'content')).toBe('Two')
    expect(lastRequest().path).toEndWith('access_token=token-2')
  })

  test('reports a prompt that is too long with the code of OpenAI, and charges nothing', async () => {
    await start('four')
    app.upstream.script(token, json({ error_code: 336007, error_msg: 'the max length is exceeded' }))
    const response = await post('/v1/chat/completions', question('ERNIE-4.0-8K'))
    expect(response.status).toBe(400)
    expect(at(await response.json(), 'error')).toMatchObject({ code: 'context_length_exceeded' })
    expect((await app.data(contract.account.self, {}, user)).quota).toBe(10_000_000)
  })

  test('has embeddings, which a client gets as it asks', async () => {
    await start('five')
    const upstreamResponse = {
      object: 'list',
      data: [{ object: 'embedding', embedding: [1, 0.5], index: 0 }],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    }
    app.upstream.script(token, json(upstreamResponse))
    const response = await (await post('/v1/embeddings', { model: 'Embedding-V1', input: 'Hi', encoding_format: 'base64' })).json()
    expect(at(response, 'data', 0, 'embedding')).toBe('AACAPwAAAD8=')
    expect(JSON.parse(lastRequest().body)).toEqual({ input: ['Hi'] })
  })

  test('refuses what it cannot hold by name', async () => {
    await start('six')
    app.upstream.script(token)
    const response = await post('/v1/chat/completions', question('ERNIE-4.0-8K', { tools, tool_choice: 'required' }))
    expect([response.status, at(await response.json(), 'error', 'message')]).toEqual([400, expect.stringContaining('tool_choice')])
  })
})

describe('the interface of a key AppId|SecretId|SecretKey', () => {
  const start = () => channelOf({ type: 23, key: '1|AKID|secret', models: 'hunyuan-lite,hunyuan-embedding' })
  const usage = { PromptTokens: 3, CompletionTokens: 4, TotalTokens: 7 }

  test('signs the request and returns a whole response, with function calls', async () => {
    await start()
    const call = { Id: 'c1', Type: 'function', Function: { Name: 'weather', Arguments: '{}' } }
    const message = { Role: 'assistant', Content: '', ToolCalls: [call], ReasoningContent: 'Hm' }
    app.upstream.script(json({ Response: { Id: 'r', Choices: [{ FinishReason: 'tool_calls', Message: message }], Usage: usage } }))
    const response = await (await post('/v1/chat/completions', question('hunyuan-lite', { tools, temperature: 0 }))).json()
    expect(at(response, 'choices', 0)).toMatchObject({
      message: { reasoning_content: 'Hm', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }] },
      finish_reason: 'tool_calls',
    })
    const { headers, body } = lastRequest()
    expect(headers['authorization']).toMatch(
      /^TC3-HMAC-SHA256 Credential=AKID\/\d{4}-\d\d-\d\d\/[^/]+\/tc3_request, SignedHeaders=content-type;host;x-tc-action, /,
    )
    expect(headers).toMatchObject({ 'x-tc-action': 'ChatCompletions', 'x-tc-version': '2023-09-01' })
    expect(JSON.parse(body)).toEqual({
      Model: 'hunyuan-lite',
      Messages: [{ Role: 'user', Content: 'Hi' }],
      Stream: false,
      Temperature: 0,
      Tools: [{ Type: 'function', Function: { Name: 'weather', Parameters: '{"type":"object"}' } }],
    })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 })
  })

  test('streams, with usage in every event, and maps a filtered end', async () => {
    await start()
    const piece = (text: string, reason: string) => ({
      Choices: [{ FinishReason: reason, Delta: { Role: 'assistant', Content: text } }],
      Usage: usage,
    })
    app.upstream.script(sse(piece('Hel', ''), piece('lo', 'sensitive')))
    const { chunks, isDone } = await chunksOf(await post('/v1/chat/completions', question('hunyuan-lite', { stream: true })))
    expect(isDone).toBe(true)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('')).toBe('Hello')
    expect(chunks.at(-1).choices[0].finish_reason).toBe('content_filter')
    expect(await lastRow()).toMatchObject({ prompt_tokens: 3, completion_tokens: 4 })
  })

  test('has no limit of its responses, so they are cut at the client’s, and no more is charged', async () => {
    await start()
    const piece = (text: string, tokens: number) => ({
      Choices: [{ FinishReason: '', Delta: { Role: 'assistant', Content: text } }],
      Usage: { PromptTokens: 3, CompletionTokens: tokens, TotalTokens: 3 + tokens },
    })
    const events = sse(piece('One ', 1), piece('two ', 2), piece('three four', 4), piece('never sent', 6))
    app.upstream.script(events)
    const response = await (await post('/v1/chat/completions', question('hunyuan-lite', { max_tokens: 3 }))).json()
    expect(at(response, 'choices', 0)).toMatchObject({ message: { content: 'One two three' }, finish_reason: 'length' })
    expect(JSON.parse(lastRequest().body)).toMatchObject({ Stream: true })
    expect(await lastRow()).toMatchObject({ prompt_tokens: 3, completion_tokens: 3, end_reason: 'complete' })
    app.upstream.script(events)
    const { chunks, isDone } = await chunksOf(await post('/v1/chat/completions', question('hunyuan-lite', { max_tokens: 3, stream: true })))
    expect([chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join(''), isDone]).toEqual(['One two three', true])
    expect(chunks.at(-1).choices[0].finish_reason).toBe('length')
    expect(await lastRow()).toMatchObject({ completion_tokens: 3, end_reason: 'complete' })
  })

  test('reports an error that came with status 200', async () => {
    await start()
    app.upstream.script(json({ Response: { Error: { Code: 'OperationDenied.TextIllegalDetected', Message: 'illegal' }, RequestId: 'r' } }))
    const response = await post('/v1/chat/completions', question('hunyuan-lite'))
    expect([response.status, at(await response.json(), 'error', 'code')]).toEqual([400, 'content_filter'])
  })

  test('has embeddings', async () => {
    await start()
    app.upstream.script(
      json({ Response: { Data: [{ Embedding: [1, 2], Index: 0, Object: 'embedding' }], Usage: { PromptTokens: 2, TotalTokens: 2 } } }),
    )
    const response = await (await post('/v1/embeddings', { model: 'hunyuan-embedding', input: ['Hi'] })).json()
    expect(response).toMatchObject({ data: [{ embedding: [1, 2], index: 0 }], usage: { total_tokens: 2 } })
    expect(JSON.parse(lastRequest().body)).toEqual({ InputList: ['Hi'] })
  })
})

describe('a model that can only stream', () => {
  const chunk = (delta: object, reason: string | null = null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: reason }],
  })

  test('returns a whole response to a client that requests one', async () => {
    await channelOf({ type: 17, key: 'sk-1', models: 'qwq-plus' })
    const usage = { prompt_tokens: 8, completion_tokens: 9, total_tokens: 17 }
    const events = [chunk({ role: 'assistant', content: null, reasoning_content: 'Hm' }), chunk({ content: 'Hi' }), chunk({}, 'stop')]
    app.upstream.script([...sse(...events, { id: 'c', choices: [], usage }), { do: 'send', bytes: 'data: [DONE]\n\n' }])
    const response = await (await post('/v1/chat/completions', question('qwq-plus'))).json()
    expect(response).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 8, completion_tokens: 9 },
    })
    expect(JSON.parse(lastRequest().body)).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(lastRequest().path).toBe('/compatible-mode/v1/chat/completions')
    expect(await lastRow()).toMatchObject({ prompt_tokens: 8, completion_tokens: 9, is_stream: false })
  })
})

describe('a vendor that does not stream beside tools', () => {
  test('gets a request for a whole response, which reaches the client as a stream', async () => {
    await channelOf({ type: 19, key: 'k', models: '360gpt-pro' })
    const calls = [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }]
    const choice = { index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' }
    const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
    app.upstream.script(json({ id: 'a', object: 'chat.completion', created: 1, model: '360gpt-pro', choices: [choice], usage }))
    const tools = [{ type: 'function', function: { name: 'look' } }]
    const upstreamResponse = await (await post('/v1/chat/completions', question('360gpt-pro', { stream: true, tools }))).text()
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({ stream: false, tools })
    expect(upstreamResponse).toContain('"name":"look"')
    expect(upstreamResponse).toEndWith('data: [DONE]\n\n')
    expect(await lastRow()).toMatchObject({ prompt_tokens: 9, completion_tokens: 4, is_stream: true, end_reason: 'complete' })
  })

  test('streams without them', async () => {
    await channelOf({ type: 19, key: 'k', models: '360gpt-pro' })
    app.upstream.script(sse({ id: 'a', choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }] }))
    await (await post('/v1/chat/completions', question('360gpt-pro', { stream: true }))).text()
    expect(JSON.parse(app.upstream.received.at(-1)?.body ?? '')).toMatchObject({ stream: true })
  })
})

describe('kinds of a native interface beside a compatible one', () => {
  const multimodal = '/api/v1/services/aigc/multimodal-generation/generation'
  const start = (models: string) => channelOf({ type: 17, key: 'sk-1', models })

  test('images have OpenAI’s form and are charged by the piece', async () => {
    await start('z-image-turbo')
    const content = [{ image: 'https://pictures.example/1.png' }]
    app.upstream.script(
      json({ output: { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content } }] }, usage: { image_count: 1 } }),
    )
    const response = await (await post('/v1/images/generations', { model: 'z-image-turbo', prompt: 'a cat', size: '1024x1024' })).json()
    expect(at(response, 'data')).toEqual([{ url: 'https://pictures.example/1.png' }])
    expect(lastRequest().path).toBe(multimodal)
    expect(JSON.parse(lastRequest().body)).toEqual({
      model: 'z-image-turbo',
      input: { messages: [{ role: 'user', content: [{ text: 'a cat' }] }] },
      parameters: { size: '1024*1024' },
    })
    // 0.015 dollars.
    expect((await lastRow())?.quota).toBe(7_500)
  })

  test('changed images are sent as data', async () => {
    await start('qwen-image-edit-plus')
    const content = [{ image: 'https://pictures.example/2.png' }]
    app.upstream.script(json({ output: { choices: [{ message: { content } }] } }))
    const form = new FormData()
    form.set('model', 'qwen-image-edit-plus')
    form.set('prompt', 'a hat')
    form.set('image', new File(['png'], 'a.png', { type: 'image/png' }))
    expect(at(await (await post('/v1/images/edits', form)).json(), 'data')).toEqual([{ url: 'https://pictures.example/2.png' }])
    expect(JSON.parse(lastRequest().body).input.messages[0].content).toEqual([{ image: 'data:image/png;base64,cG5n' }, { text: 'a hat' }])
  })

  test('speech is collected from a stream into a file', async () => {
    await start('qwen3-tts-flash')
    const piece = (data: string, reason: string) => ({ output: { finish_reason: reason, audio: { data } } })
    app.upstream.script(sse(piece('AQID', 'null'), piece('BA==', 'null'), piece('', 'stop')))
    const response = await post('/v1/audio/speech', { model: 'qwen3-tts-flash', input: 'Hello', voice: 'alloy', response_format: 'wav' })
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    expect([new TextDecoder().decode(bytes.subarray(0, 4)), ...bytes.subarray(44)]).toEqual(['RIFF', 1, 2, 3, 4])
    expect(JSON.parse(lastRequest().body)).toEqual({ model: 'qwen3-tts-flash', input: { text: 'Hello', voice: 'Cherry' } })
    // Five characters at ten dollars per million.
    expect((await lastRow())?.quota).toBe(25)
  })

  test('a transcription is requested as a chat with the audio', async () => {
    await start('qwen3-asr-flash')
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Good day' } }]
    app.upstream.script(
      json({
        id: 'c',
        object: 'chat.completion',
        choices,
        usage: { prompt_tokens: 40, completion_tokens: 4, total_tokens: 44, seconds: 2 },
      }),
    )
    const form = new FormData()
    form.set('model', 'qwen3-asr-flash')
    form.set('language', 'en')
    form.set('file', new File(['sound'], 'a.wav', { type: 'audio/wav' }))
    expect(await (await post('/v1/audio/transcriptions', form)).json()).toMatchObject({ text: 'Good day' })
    expect(JSON.parse(lastRequest().body)).toMatchObject({
      messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'data:audio/wav;base64,c291bmQ=' } }] }],
      asr_options: { language: 'en' },
    })
    expect((await lastRow())?.quota).toBe(35)
  })
})

describe('speech as hexadecimal digits', () => {
  test('comes as bytes, is charged by the vendor’s count, and fails with the vendor’s code', async () => {
    await channelOf({ type: 27, key: 'eyJ', models: 'speech-2.8-turbo' })
    app.upstream.script(
      json({ data: { audio: '010aff', status: 2 }, extra_info: { usage_characters: 6 }, base_resp: { status_code: 0, status_msg: '' } }),
    )
    const response = await post('/v1/audio/speech', { model: 'speech-2.8-turbo', input: 'Hello', voice: 'nova' })
    expect([response.headers.get('content-type'), ...new Uint8Array(await response.arrayBuffer())]).toEqual(['audio/mpeg', 1, 10, 255])
    expect(JSON.parse(lastRequest().body)).toMatchObject({ text: 'Hello', voice_setting: { voice_id: 'presenter_female', speed: 1 } })
    expect((await lastRow())?.quota).toBe(180)
    app.upstream.script(json({ base_resp: { status_code: 1026, status_msg: 'input new_sensitive' } }))
    const refused = await post('/v1/audio/speech', { model: 'speech-2.8-turbo', input: 'Hello', voice: 'nova' })
    expect([refused.status, at(await refused.json(), 'error', 'code')]).toEqual([400, 'content_filter'])
  })

  test('belongs to a vendor whose embeddings need the group', async () => {
    await channelOf({ type: 27, key: 'eyJ', models: 'embo-01', other: 'group-7' })
    app.upstream.script(json({ vectors: [[1, 2]], total_tokens: 3, base_resp: { status_code: 0 } }))
    const response = await (await post('/v1/embeddings', { model: 'embo-01', input: 'Hi' })).json()
    expect(response).toMatchObject({ data: [{ embedding: [1, 2], index: 0 }], usage: { total_tokens: 3 } })
    expect([lastRequest().path, JSON.parse(lastRequest().body)]).toEqual([
      '/v1/embeddings?GroupId=group-7',
      { model: 'embo-01', texts: ['Hi'], type: 'db' },
    ])
  })
})

describe('a search of the web', () => {
  const page = { title: 'Porto', link: 'https://weather.example/porto', refer: 'ref_1' }
  const usage = { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 }
  const cited = [{ type: 'url_citation', url_citation: { url: page.link, title: 'Porto', start_index: 0, end_index: 0 } }]
  // 1000 tokens at 6 yuan and 100 at 24 yuan a million, and a search at 0.05 yuan, at 7 yuan a dollar.
  const price = Math.ceil(((1000 * 6 + 100 * 24) / 1_000_000 + 0.05) * (500_000 / 7))

  test('that the vendor runs is priced, and its pages are cited, whole and in a stream alike', async () => {
    await channelOf({ type: 16, key: 'id.secret', models: 'glm-5.1' })
    const choice = { index: 0, message: { role: 'assistant', content: 'Dry.' }, finish_reason: 'stop' }
    const ask = { web_search_options: {} }
    app.upstream.script(json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage, web_search: [page] }))
    const response = await (await post('/v1/chat/completions', question('glm-5.1', ask))).json()
    expect(at(response, 'choices', 0, 'message', 'annotations')).toEqual(cited)
    expect(JSON.parse(lastRequest().body)).toMatchObject({
      tools: [{ type: 'web_search', web_search: { enable: true, search_result: true } }],
    })
    expect((await lastRow())?.quota).toBe(price)

    const chunk = (delta: object, more: object = {}, reason: string | null = null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    })
    const events = sse(chunk({ role: 'assistant', content: 'Dry.' }, { web_search: [page] }), chunk({}, { usage }, 'stop'))
    app.upstream.script([...events, { do: 'send', bytes: 'data: [DONE]\n\n' }])
    const { chunks, isDone } = await chunksOf(await post('/v1/chat/completions', question('glm-5.1', { ...ask, stream: true })))
    expect(isDone).toBe(true)
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta?.annotations ?? [])).toEqual(cited)
    expect((await lastRow())?.quota).toBe(price)
  })

  test('in a native response costs as often as its usage says', async () => {
    await channelOf({ type: 40, key: 'ark', models: 'doubao-seed-2-1-pro-260628' })
    const output = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'Porto' } },
      { type: 'message', id: 'm_1', role: 'assistant', content: [{ type: 'output_text', text: 'Dry.', annotations: [] }] },
    ]
    const counted = { input_tokens: 1000, output_tokens: 100, total_tokens: 1100, tool_usage: { web_search: 3 } }
    app.upstream.script(json({ id: 'resp_1', object: 'response', status: 'completed', model: 'm', output, usage: counted }))
    const body = { model: 'doubao-seed-2-1-pro-260628', input: 'Hi', tools: [{ type: 'web_search' }] }
    expect(await (await post('/v1/responses', body)).json()).toMatchObject({ id: 'resp_1', status: 'completed' })
    expect(lastRequest().path).toBe('/api/v3/responses')
    expect(JSON.parse(lastRequest().body)).toMatchObject({ input: 'Hi', tools: [{ type: 'web_search' }] })
    expect((await lastRow())?.quota).toBe(Math.ceil(((1000 * 6 + 100 * 30) / 1_000_000 + 3 * 0.004) * (500_000 / 7)))
  })
})

test('what a client writes to a cache of Alibaba costs a quarter more', async () => {
  await channelOf({ type: 17, key: 'sk-1', models: 'qwen-plus' })
  const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }
  const details = { cached_tokens: 0, cache_creation_input_tokens: 10_000, cache_type: 'ephemeral' }
  const usage = { prompt_tokens: 12_000, completion_tokens: 1000, total_tokens: 13_000, prompt_tokens_details: details }
  app.upstream.script(json({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage }))
  const content = [{ type: 'text', text: 'A long text '.repeat(1_000), cache_control: { type: 'ephemeral' } }]
  await (await post('/v1/chat/completions', { model: 'qwen-plus', messages: [{ role: 'user', content }] })).json()
  expect(JSON.parse(lastRequest().body).messages[0].content).toEqual(content)
  expect((await lastRow())?.quota).toBe(Math.ceil(((10_000 * 0.8 * 1.25 + 2000 * 0.8 + 1000 * 2) / 1_000_000) * (500_000 / 7)))
})
