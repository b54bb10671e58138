import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { accountScene } from '../../../test/account-scene.ts'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { json, type Script } from '../../../test/fake-upstream.ts'
import { mp4Of } from '../../../test/mp4.ts'
import { pageObjects, pageTree, pdfOf } from '../../../test/pdf.ts'

// Input that only the vendor can measure: what is reserved for it, and what an account without much balance can make it read.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.make.channel({ type: 24, models: 'gemini-3.1-pro-preview,gemini-3-pro-image,gemini-3.1-flash-lite-image' })
  await app.make.channel({ type: 8, models: 'sora-2,whisper-1' })
  await app.make.channel({ type: 14, models: 'claude-haiku-4-5,claude-opus-4-6' })
  await app.make.channel({ type: 1, models: 'gpt-4o-mini,gpt-5.5,model-of-our-own' })
  await app.make.channel({ type: 17, models: 'qwen-plus' })
  await app.data(contract.option.update, { key: 'ModelRatio', value: '{"model-of-our-own":1}' })
}, 60_000)
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const dollar = 500_000

const scene = (quota: number) => accountScene(app, { quota })

const geminiPath = '/v1beta/models/gemini-3.1-pro-preview:generateContent'
const video = { fileData: { fileUri: 'https://www.youtube.com/watch?v=9hE5-98ZeCg', mimeType: 'video/mp4' } }
const gemini = (...parts: readonly object[]) => ({
  contents: [{ role: 'user', parts: [{ text: 'What is it about?' }, ...parts] }],
  generationConfig: { maxOutputTokens: 100 },
})
const geminiResponse = (promptTokenCount: number): Script =>
  json({
    candidates: [{ content: { role: 'model', parts: [{ text: 'A bridge.' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount, candidatesTokenCount: 3, totalTokenCount: promptTokenCount + 3 },
  })

const messageOf = (model: string) => ({ model, max_tokens: 100, messages: [{ role: 'user', content: 'Read it' }] })
const chatOf = messageOf

const pdf = (pages: number, more = ''): string =>
  pdfOf([`<< /Type /Catalog /Pages 2 0 R ${more} >>`, pageTree(pages), ...pageObjects(pages)]).toString('base64')
const document = (source: object) => ({
  model: 'claude-haiku-4-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: [{ type: 'document', source }] }],
})
const claudeResponse = (input: number): Script =>
  json({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: input, output_tokens: 3 },
  })

describe('a balance of half a dollar', () => {
  test('does not make the vendor watch fifty videos', async () => {
    const { send, spent } = await scene(dollar / 2)
    app.upstream.fallback(() => geminiResponse(1_000_000))
    const before = app.upstream.received.length
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await send(geminiPath, gemini(video))).status))
    expect(new Set(statuses)).toEqual(new Set([403]))
    expect(app.upstream.received.length).toBe(before)
    expect(await spent()).toEqual({ quota: dollar / 2, cost: 0 })
  })

  test('does not make it read fifty documents whose pages nobody can count', async () => {
    const { send, spent } = await scene(dollar / 2)
    app.upstream.fallback(() => claudeResponse(200_000))
    const source = { type: 'base64', media_type: 'application/pdf', data: pdf(2, '/Encrypt 9 0 R') }
    const statuses = await Promise.all(Array.from({ length: 50 }, async () => (await send('/v1/messages', document(source))).status))
    const { cost } = await spent()
    expect(cost).toBeLessThanOrEqual(dollar)
    expect(statuses).toContain(200)
    expect(statuses.filter((status) => status !== 200).every((status) => status === 403 || status === 429)).toBe(true)
  })
})

describe('a model that is priced by the piece', () => {
  const model = 'gemini-3.1-flash-lite-image'
  const generated = json({
    candidates: [
      { content: { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'A'.repeat(2_000) } }] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1_120, totalTokenCount: 1_125 },
  })
  const calls: ReadonlyArray<readonly [string, object]> = [
    [`/v1beta/models/${model}:generateContent`, gemini()],
    ['/v1/chat/completions', chatOf(model)],
    ['/v1/messages', messageOf(model)],
  ]

  test.each(calls)('costs an image in %s too', async (path, body) => {
    const poor = await scene(0)
    const before = app.upstream.received.length
    expect([(await poor.send(path, body)).status, app.upstream.received.length]).toEqual([403, before])
    const { send, spent } = await scene(dollar)
    app.upstream.script(generated)
    expect((await send(path, body)).status).toBe(200)
    expect((await spent()).quota).toBe(dollar - 16_800)
  })

  test.each([
    ['/v1/chat/completions', { ...chatOf('sora-2') }],
    ['/v1/chat/completions', { ...chatOf('whisper-1') }],
    ['/v1/embeddings', { model: 'sora-2', input: 'Hi' }],
  ])('has no price in a call that has no such pieces: %s %j', async (path, body) => {
    const { send } = await scene(dollar)
    const before = app.upstream.received.length
    const response = await send(path, body)
    expect([response.status, app.upstream.received.length]).toEqual([503, before])
    expect(await response.json()).toMatchObject({ error: { code: 'model_price_not_set' } })
  })
})

describe('tools at a model whose price says nothing of them', () => {
  test('cost what they cost at OpenAI', async () => {
    const { send, spent } = await scene(10 * dollar)
    const output = [
      { type: 'web_search_call', status: 'completed' },
      { type: 'code_interpreter_call', container_id: 'cntr_1' },
    ]
    app.upstream.script(
      json({
        id: 'resp_1',
        object: 'response',
        status: 'completed',
        output,
        usage: { input_tokens: 10, output_tokens: 10, total_tokens: 20 },
      }),
    )
    const tools = [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }]
    const response = await send('/v1/responses', { model: 'model-of-our-own', input: 'Hi', max_output_tokens: 100, tools })
    expect(response.status).toBe(200)
    expect((await spent()).quota).toBe(10 * dollar - 20 - 0.01 * dollar - 64 * 0.03 * dollar)
  })

  test('are not sent for an account with nothing, though the model is free', async () => {
    await app.make.channel({ type: 20, models: 'deepseek/deepseek-v4-flash:free' })
    const { send } = await scene(0)
    const body = { ...chatOf('deepseek/deepseek-v4-flash:free'), tools: [{ type: 'openrouter:web_search' }] }
    expect((await send('/v1/chat/completions', body)).status).toBe(403)
  })
})

test('a model that searches in every call is not sent for an account that cannot pay a search', async () => {
  await app.make.channel({ type: 20, models: 'perplexity/sonar,openai/gpt-4o-mini' })
  app.upstream.fallback(() =>
    json({ id: 'c', object: 'chat.completion', choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }),
  )
  const send = async (model: string, quota: number) => (await (await scene(quota)).send('/v1/chat/completions', chatOf(model))).status
  expect(await send('perplexity/sonar', 0.0049 * dollar)).toBe(403)
  expect(await send('openai/gpt-4o-mini', 0.0049 * dollar)).toBe(200)
  expect(await send('perplexity/sonar', 0.021 * dollar)).toBe(200)
})

describe('a document or a video in the body', () => {
  const inline = (mimeType: string, bytes: Uint8Array, more: object = {}): object => ({
    ...{ inlineData: { mimeType, data: Buffer.from(bytes).toString('base64') } },
    ...more,
  })
  const mp4File = mp4Of({ seconds: 1, width: 64, height: 64, parts: { stts: 60 } })
  const paper = Buffer.from(pdf(20), 'base64')
  const webm = Buffer.from('1a45dfa3', 'hex')
  const asPdf = 'application/pdf'
  const cases: readonly [string, object, number, number][] = [
    // Gemini takes 1,048,576 tokens at 2 dollars a million, and as much again above 200,000; a balance may lack a quarter of a dollar.
    ['of 20 pages', inline(asPdf, paper), 0.06, 200],
    ['of 20 pages whose type is not told', inline('application/octet-stream', paper), 0.06, 200],
    ['of 20 pages behind other bytes', inline(asPdf, Buffer.concat([Buffer.alloc(500, ' '), paper])), 0.06, 200],
    ['of 2,000 pages', inline(asPdf, Buffer.from(pdf(2_000), 'base64')), 0.5, 403],
    ['that is encrypted', inline(asPdf, Buffer.from(pdf(2, '/Encrypt 9 0 R'), 'base64')), 0.5, 403],
    ['whose base64 readers disagree about', { inlineData: { mimeType: asPdf, data: `JVBERg==${pdf(2)}` } }, 0.5, 403],
    ['that is a minute long', inline('video/mp4', mp4File), 0.08, 200],
    ['that is an hour long', inline('video/mp4', mp4Of({ seconds: 1, width: 64, height: 64, parts: { mdhd: 3_600 } })), 0.5, 403],
    ['that is a minute long, of which more frames are read', inline('video/mp4', mp4File, { videoMetadata: { fps: 24 } }), 0.5, 403],
    ['of another container', inline('video/webm', webm), 0.5, 403],
    ['that is a text', inline('text/plain', Buffer.from('word '.repeat(1_000))), 0.06, 200],
    ['of 20 pages that is called a text', inline('text/plain', paper), 0.06, 200],
    ['of 2,000 pages that is called a text', inline('text/plain', Buffer.from(pdf(2_000), 'base64')), 0.5, 403],
    ['that is an archive, as those of Word are, and is called a text', inline('text/plain', Buffer.from('PK\x03\x04word')), 0.5, 403],
    ['that is an archive behind a text', inline('application/json', Buffer.from('{"a": 1} PK\x03\x04word')), 0.5, 403],
    ['that is called a text, and is no UTF-8', inline('text/csv', Buffer.from('d0cf11e0a1b11ae1', 'hex')), 0.5, 403],
    [
      'that is a text with more behind its padding',
      { inlineData: { mimeType: 'text/plain', data: `QQ==${'AAAA'.repeat(100)}` } },
      0.5,
      403,
    ],
  ]
  test.each(cases)('%s is reserved by its length', async (_, part, dollars, status) => {
    const { send } = await scene(dollars * dollar)
    app.upstream.fallback(() => geminiResponse(1_000))
    const before = app.upstream.received.length
    const response = await send(geminiPath, gemini(part))
    expect([response.status, app.upstream.received.length - before]).toEqual([status, status === 200 ? 1 : 0])
  })

  test('runs as often at once as the balance covers', async () => {
    const { send, spent } = await scene(2 * dollar)
    app.upstream.fallback(() => geminiResponse(15_000))
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async () => (await send(geminiPath, gemini(inline(asPdf, paper)))).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect((await spent()).quota).toBeGreaterThanOrEqual(0)
  })
})

describe('a balance of a few cents', () => {
  const large = { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }
  const ask = { model: 'gpt-4o-mini', input: 'Use python', max_output_tokens: 100 }

  test.each<[string, object]>([
    ['that the model may run', { tools: [large] }],
    [
      'that it must run',
      { tools: [large], tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'code_interpreter' }] } },
    ],
    [
      'that a turn brings',
      {
        input: [
          { type: 'additional_tools', tools: [large] },
          { role: 'user', content: 'Use python' },
        ],
      },
    ],
    ['that a shell has', { tools: [{ type: 'shell', environment: { type: 'container_auto', memory_limit: '64g' } }] }],
    ['beside an image', { tools: [{ type: 'image_generation', size: '1536x1024', quality: 'high' }, large] }],
  ])('gets no container %s', async (_, body) => {
    const { send, spent } = await scene(dollar / 2)
    const before = app.upstream.received.length
    const response = await send('/v1/responses', { ...ask, ...body })
    expect([response.status, app.upstream.received.length]).toEqual([403, before])
    expect(await spent()).toEqual({ quota: dollar / 2, cost: 0 })
  })

  test.each<[string, string, object]>([
    [
      'in Google’s protocol',
      '/v1beta/models/gemini-3-pro-image:generateContent',
      { ...gemini(), generationConfig: { maxOutputTokens: 2_010 } },
    ],
    ['in a chat', '/v1/chat/completions', { ...chatOf('gemini-3-pro-image'), max_tokens: 2_010 }],
  ])('gets no image of a model that also writes, %s', async (_, path, body) => {
    const { send, spent } = await scene(50_000)
    const before = app.upstream.received.length
    expect([(await send(path, body)).status, app.upstream.received.length]).toEqual([403, before])
    expect(await spent()).toEqual({ quota: 50_000, cost: 0 })
  })

  test('gets no reasoning beyond its limit, no hundred searches and no fifty pieces of advice', async () => {
    const { send, spent } = await scene(dollar / 100)
    const before = app.upstream.received.length
    const thinking = { ...chatOf('qwen-plus'), max_tokens: 10, enable_thinking: true, thinking_budget: 80_000 }
    const searches = { ...messageOf('claude-haiku-4-5'), tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 100 }] }
    const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-6', max_uses: 50 }
    const advised = { ...messageOf('claude-haiku-4-5'), tools: [advisor] }
    const statuses = [
      (await send('/v1/chat/completions', thinking)).status,
      (await send('/v1/messages', searches)).status,
      (await send('/v1/messages', advised)).status,
    ]
    expect([statuses, app.upstream.received.length]).toEqual([[403, 403, 403], before])
    expect(await spent()).toEqual({ quota: dollar / 100, cost: 0 })
  })

  test.each<[string, string, object]>([
    ['pages by their URL', geminiPath, { ...gemini(), tools: [{ urlContext: {} }] }],
    ['pages by their URL, in a chat', '/v1/chat/completions', { ...chatOf('gemini-3.1-pro-preview'), tools: [{ url_context: {} }] }],
    [
      'what a web fetch finds',
      '/v1/messages',
      { ...messageOf('claude-opus-4-6'), tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
    ],
    [
      'what an MCP server answers',
      '/v1/messages',
      {
        ...messageOf('claude-opus-4-6'),
        mcp_servers: [{ type: 'url', name: 'a', url: 'https://mcp.test' }],
        tools: [{ type: 'mcp_toolset', mcp_server_name: 'a' }],
      },
    ],
  ])('does not make the vendor read %s', async (_, path, body) => {
    const { send, spent } = await scene(dollar / 2)
    const before = app.upstream.received.length
    const response = await send(path, body)
    expect([response.status, app.upstream.received.length]).toEqual([403, before])
    expect(await spent()).toEqual({ quota: dollar / 2, cost: 0 })
  })
})

/** What a request holds while its vendor responds. */
async function heldBy(path: string, body: object, script: Script): Promise<number> {
  const { user, send } = await scene(100 * dollar)
  return await heldWhile(user, () => send(path, body), script)
}

async function heldWhile(user: TestUser, send: () => Promise<Response>, script: Script): Promise<number> {
  app.upstream.script([{ do: 'wait', name: String(user.id) }, ...script])
  const response = send()
  const holds = app.app.store.db.selectFrom('holds').select('amount').where('user_id', '=', user.id)
  const held = await until(
    () => holds.executeTakeFirst(),
    (row) => row !== undefined,
  )
  app.upstream.release(String(user.id))
  expect((await response).status).toBe(200)
  return held?.amount ?? 0
}

describe('a balance that covers it reserves', () => {
  test('the context of the model for a file that the vendor fetches or has', async () => {
    // Ratio 0.5, and 100 output tokens at five times the price.
    const whole = Math.ceil(200_000 * 0.5 + 100 * 2.5)
    for (const source of [
      { type: 'url', url: 'https://documents.test/long.pdf' },
      { type: 'file', file_id: 'file_011CNha8iCJcU1wXNR6q4V8w' },
    ])
      expect(await heldBy('/v1/messages', document(source), claudeResponse(100))).toBe(whole)
  })

  test('at least its pages for a document in the request', async () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: pdf(40) }
    expect(await heldBy('/v1/messages', document(source), claudeResponse(100))).toBe(Math.ceil(200_000 * 0.5 + 100 * 2.5))
    const { send } = await scene(55_000)
    expect((await send('/v1/messages', document(source))).status).toBe(403)
    const { send: more } = await scene(65_000)
    app.upstream.script(claudeResponse(100))
    expect((await more('/v1/messages', document(source))).status).toBe(200)
  })

  test('what a text in a file has', async () => {
    const data = Buffer.from('word '.repeat(8_000)).toString('base64')
    expect(await heldBy(geminiPath, gemini({ inlineData: { mimeType: 'text/plain', data } }), geminiResponse(10))).toBeWithin(
      10_000,
      12_000,
    )
  })

  test('the limits of a tool that fetches pages', async () => {
    const tool = { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 3, max_content_tokens: 20_000 }
    const body = { model: 'claude-haiku-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Read it' }], tools: [tool] }
    expect(await heldBy('/v1/messages', body, claudeResponse(100))).toBeWithin(30_000, 31_000)
  })
})

test('reasoning of earlier responses that only their vendor can read is reserved as input', async () => {
  const letters = 'gAAAAAB'.padEnd(540_000, 'x9Y_-')
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: letters },
    { role: 'user', content: 'Go on' },
  ]
  const body = { model: 'gpt-5.5', input, max_output_tokens: 16, store: false }
  const script = json({
    ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'gpt-5.5' },
    output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'ok', annotations: [] }] }],
    usage: { input_tokens: 100_000, output_tokens: 5, total_tokens: 100_005 },
  })
  const { send } = await scene(8_000)
  const before = app.upstream.received.length
  expect([(await send('/v1/responses', body)).status, app.upstream.received.length - before]).toEqual([403, 0])
  const { send: sendRich, spent } = await scene(10_000_000)
  app.upstream.script(script)
  expect((await sendRich('/v1/responses', body)).status).toBe(200)
  expect((await spent()).quota).toBeLessThan(10_000_000 - 200_000)
})

describe('an earlier response', () => {
  const long = 'word '.repeat(150_000)
  const response = (id: string, input: number): Script =>
    json({
      id,
      object: 'response',
      status: 'completed',
      model: 'gpt-5.5',
      output: [{ id: `msg_${id}`, type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes', annotations: [] }] }],
      usage: { input_tokens: input, output_tokens: 3, total_tokens: input + 3 },
    })

  test('is reserved with its own tokens and those of its prompt', async () => {
    const { user, send } = await scene(100 * dollar)
    app.upstream.script(response('resp_first', 150_000))
    const first = await send('/v1/responses', { model: 'gpt-5.5', input: long, max_output_tokens: 100 })
    expect(first.status).toBe(200)
    await app.app.ledger.drain()
    const price = (await app.app.store.db.selectFrom('logs').select('quota').where('user_id', '=', user.id).executeTakeFirstOrThrow()).quota
    const next = { model: 'gpt-5.5', input: 'And then?', max_output_tokens: 1_000, previous_response_id: 'resp_first' }
    const held = await heldWhile(user, () => send('/v1/responses', next), response('resp_next', 151_010))
    expect(held).toBeWithin(price, Math.ceil(price * 1.05))
  })

  test('that the balance cannot pay is not read', async () => {
    const { send, spent } = await scene(dollar)
    app.upstream.script(response('resp_long', 150_000))
    expect((await send('/v1/responses', { model: 'gpt-5.5', input: long, max_output_tokens: 100 })).status).toBe(200)
    const { quota } = await spent()
    const before = app.upstream.received.length
    const next = { model: 'gpt-5.5', input: 'And then?', max_output_tokens: 100, previous_response_id: 'resp_long' }
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await send('/v1/responses', next)).status))
    expect(new Set(statuses)).toEqual(new Set([403]))
    expect(app.upstream.received.length).toBe(before)
    expect((await spent()).quota).toBe(quota)
  })
})

describe('a model whose context is not known', () => {
  const chat = {
    model: 'model-of-our-own',
    max_tokens: 10,
    messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
  }
  const script = json({
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
    usage: { prompt_tokens: 10, completion_tokens: 1 },
  })

  test('reads files by id for a few requests of an account at once, and names the limit to the next', async () => {
    const { user, send } = await scene(100 * dollar)
    app.upstream.fallback(() => [{ do: 'wait', name: `open ${user.id}` }, ...script])
    const before = app.upstream.received.length
    const responses = Array.from({ length: 4 }, () => send('/v1/chat/completions', chat))
    while (app.upstream.received.length < before + 4) await new Promise((resolve) => setImmediate(resolve))
    const refused = await send('/v1/chat/completions', chat)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error: { code: 'unbounded_requests_limited', type: 'rate_limit_error' } })
    const others = await scene(100 * dollar)
    const other = others.send('/v1/chat/completions', chat)
    while (app.upstream.received.length < before + 5) await new Promise((resolve) => setImmediate(resolve))
    app.upstream.release(`open ${user.id}`)
    expect((await Promise.all([...responses, other])).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    app.upstream.fallback(() => script)
    expect((await send('/v1/chat/completions', chat)).status).toBe(200)
  })

  test('reads none where the option says so', async () => {
    await app.data(contract.option.update, { key: 'UnboundedRequestsMax', value: '0' })
    const { send } = await scene(100 * dollar)
    expect((await send('/v1/chat/completions', chat)).status).toBe(429)
    await app.data(contract.option.update, { key: 'UnboundedRequestsMax', value: '4' })
    app.upstream.fallback(() => json({}, 400))
    for (let count = 0; count < 6; count += 1) expect((await send('/v1/chat/completions', chat)).status).toBe(400)
  })
})
