import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { chatChunk, type Script } from '../../../test/fake-upstream.ts'

// What a client that leaves a stream before its usage pays for all that it got, in whatever form.

let app: TestApp
beforeAll(async () => {
  app = await testApp({ env: { ABANDONED_MS: '0' } })
  const even = { ratio: 1, completion: 1 }
  const rules = {
    ...{
      'gpt-4o-mini': even,
      'openai/gpt-4o': { ...even, search: 0.01 },
      'gemini-2.5-flash': even,
      'gemini-3-flash': { ...even, search: 0.01 },
      'glm-4-plus': { ...even, search: 0.01 },
    },
    ...{ 'claude-haiku-4-5': { ...even, search: 0.01, fast: 2 }, 'qwen-plus': { ...even, search: 0.01, thinking: 4 } },
  }
  await app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify(rules) })
  const types: ReadonlyArray<readonly [number, string]> = [
    ...([
      [1, 'gpt-4o-mini'],
      [20, 'openai/gpt-4o'],
      [24, 'gemini-2.5-flash,gemini-3-flash'],
    ] as const),
    ...([
      [14, 'claude-haiku-4-5,claude-opus-4-5'],
      [16, 'glm-4-plus'],
      [17, 'qwen-plus'],
    ] as const),
  ]
  for (const [type, models] of types) await app.make.channel({ type, models })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const words = 'the whole answer '.repeat(200)
/** As the tokenizer counts them, about. */
const wordTokens = [590, 610] as const

const head = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } } as const
const sse = (events: readonly object[]): Script => [
  head,
  {
    do: 'send',
    bytes: events.map((event) => `${'type' in event ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`).join(''),
  },
  { do: 'hang' },
]

/** The log row of a client that leaves once it has all that was sent. */
async function leaving(path: string, body: object, chunks: readonly object[]): Promise<LogRow> {
  const user = await app.make.user({ quota: 1_000_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  app.upstream.script(sse(chunks))
  const aborting = new AbortController()
  const response = await app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: aborting.signal,
  })
  expect(response.status).toBe(200)
  await response.body?.getReader().read()
  aborting.abort()
  await app.upstream.received.at(-1)?.aborted
  const row = await until(
    async () => {
      await app.app.ledger.drain()
      return (await app.data(contract.log.list, { username: user.username }))[0]
    },
    (entry) => entry !== undefined,
  )
  if (row === undefined) throw new Error('there is no row')
  expect(row).toMatchObject({ end_reason: 'client_gone', estimated: true })
  return row
}

const base = { stream: true, messages: [{ role: 'user', content: 'Hi' }] }

describe('chats', () => {
  const call = { index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: words } }
  const token = { token: words, logprob: 0, bytes: null, top_logprobs: [] }
  const forms: ReadonlyArray<readonly [string, object]> = [
    ['the input of a custom tool', chatChunk({ role: 'assistant', tool_calls: [call] })],
    [
      'tokens that come with their probabilities alone',
      { ...chatChunk({}), choices: [{ index: 0, delta: {}, logprobs: { content: [token] }, finish_reason: null }] },
    ],
    ['details of thoughts alone', chatChunk({ role: 'assistant', reasoning_details: [{ type: 'reasoning.text', text: words }] })],
    ['the same thoughts in three members', chatChunk({ reasoning: words, reasoning_content: words, reasoning_details: [{ text: words }] })],
    ['a form that nobody knows', chatChunk({ role: 'assistant', canvas: { pages: [{ lines: [words] }] } })],
  ]
  test.each(forms)('%s', async (_name, chunk) => {
    const { completion_tokens: tokens, prompt_tokens: prompt } = await leaving('/v1/chat/completions', { ...base, model: 'gpt-4o-mini' }, [
      chunk,
    ])
    expect(tokens).toBeWithin(...wordTokens)
    expect(prompt).toBeGreaterThan(0)
  })
})

describe('messages', () => {
  const start = {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'x',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 20, output_tokens: 1 },
    },
  }
  const block = (content: object, ...deltas: readonly object[]): readonly object[] => [
    { type: 'content_block_start', index: 0, content_block: content },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
  ]
  const body = { ...base, model: 'claude-haiku-4-5', max_tokens: 5_000 }
  const search = { type: 'web_search_20250305', name: 'web_search' }
  const searchResult = {
    type: 'web_search_tool_result',
    tool_use_id: 's',
    content: [{ type: 'web_search_result', url: 'https://x.example', title: 'T', encrypted_content: 'e' }],
  }

  test.each([
    ['a summary of the conversation', { type: 'compaction', content: '' }, { type: 'compaction_delta', content: words }],
    ['a delta that nobody knows', { type: 'reasoning', text: '' }, { type: 'reasoning_delta', reasoning: words }],
  ])('%s', async (_name, content, delta) => {
    const row = await leaving('/v1/messages', body, [start, ...block(content, delta)])
    expect(row.completion_tokens).toBeWithin(...wordTokens)
    expect(row.prompt_tokens).toBe(20)
  })

  test.each(['/v1/messages', '/v1/chat/completions'])('searches whose results have come, by %s', async (path) => {
    const tools = path === '/v1/messages' ? { tools: [search] } : { web_search_options: {} }
    const text = block({ type: 'text', text: '' }, { type: 'text_delta', text: words })
    const { charges } = await leaving(path, { ...body, ...tools }, [start, ...block(searchResult), ...block(searchResult), ...text])
    expect(charges).toContainEqual({ unit: 'searches', count: 2, price: 5_000 })
  })

  test('pages that the model has read', async () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'page '.repeat(20_000) }
    const page = {
      type: 'web_fetch_tool_result',
      tool_use_id: 's',
      content: { type: 'web_fetch_result', url: 'x', content: { type: 'document', source } },
    }
    const text = block({ type: 'text', text: '' }, { type: 'text_delta', text: 'END' })
    const row = await leaving('/v1/messages', { ...body, tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }, [
      start,
      ...block(page),
      ...text,
    ])
    expect(row.prompt_tokens).toBeWithin(20_000, 30_000)
  })

  test('the words of an advisor, at its price', async () => {
    const advice = { type: 'advisor_tool_result', tool_use_id: 'a', content: { type: 'advisor_result', text: words } }
    const text = block({ type: 'text', text: '' }, { type: 'text_delta', text: 'END' })
    const tools = [{ type: 'advisor_20260301', name: 'advisor', model: 'claude-opus-4-5' }]
    const row = await leaving('/v1/messages', { ...body, tools }, [start, ...block(advice), ...text])
    expect(row.quota).toBeGreaterThan(7_500)
  })

  test('the fast mode that it requested', async () => {
    const text = block({ type: 'text', text: '' }, { type: 'text_delta', text: words })
    const plain = await leaving('/v1/messages', body, [start, ...text])
    const fast = await leaving('/v1/messages', { ...body, speed: 'fast' }, [start, ...text])
    expect(fast.quota).toBe(2 * plain.quota)
  })
})

describe('Google’s own calls', () => {
  const path = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse'
  const part = (content: object): object => ({ candidates: [{ content: { parts: [content], role: 'model' }, index: 0 }] })
  const bytes = (count: number): string => Buffer.alloc(count).toString('base64')
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

  test.each([
    ['sound', { inlineData: { mimeType: 'audio/pcm;rate=24000', data: bytes(480_000) } }, 200, 201],
    ['a text file', { inlineData: { mimeType: 'text/plain', data: bytes(4_000) } }, 1_000, 1_002],
    ['code', { executableCode: { language: 'PYTHON', code: words } }, ...wordTokens],
    ['what code printed', { codeExecutionResult: { outcome: 'OUTCOME_OK', output: words } }, ...wordTokens],
    ['a part that nobody knows', { diagram: { nodes: [words] } }, ...wordTokens],
  ] as const)('%s', async (_name, content, least, most) => {
    const row = await leaving(path, { contents, tools: [{ codeExecution: {} }] }, [part(content)])
    expect(row.completion_tokens).toBeWithin(least, most)
    expect(row.prompt_tokens).toBeGreaterThan(0)
  })
})

describe('searches that the response reported before its usage', () => {
  const grounded = {
    candidates: [{ content: { parts: [{ text: 'END' }], role: 'model' }, index: 0, groundingMetadata: { webSearchQueries: ['a', 'b'] } }],
    modelVersion: 'gemini-3-flash',
  }
  const sources = [1, 2, 3].map((page) => ({ type: 'url_citation', url_citation: { url: `https://x.example/${page}`, title: 'T' } }))
  const cited = chatChunk({ content: 'END', annotations: sources })
  const path = '/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse'
  const own = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], tools: [{ googleSearch: {} }] }
  test.each([
    ['Gemini', path, own, grounded, 2],
    ['Gemini, by a chat', '/v1/chat/completions', { ...base, model: 'gemini-3-flash', web_search_options: {} }, grounded, 2],
    ['OpenRouter', '/v1/chat/completions', { ...base, model: 'openai/gpt-4o', web_search_options: {} }, cited, 1],
  ])('%s', async (_name, at, body, chunk, count) => {
    const { charges } = await leaving(at, body, [chunk])
    expect(charges).toContainEqual({ unit: 'searches', count, price: 5_000 })
  })
})

describe('items of a response that come whole', () => {
  const created = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }
  const done = (item: object): object => ({ type: 'response.output_item.done', output_index: 0, item: { id: 'i', ...item } })
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: words }
  const piece = { type: 'response.function_call_arguments.delta', item_id: 'i', output_index: 0, delta: words }
  test.each([
    ['a call', [done(call)]],
    ['a call that came in pieces before', [piece, done(call)]],
    ['a text', [{ type: 'response.output_text.done', item_id: 'i', output_index: 0, text: words }]],
    [
      'a text and its item',
      [
        { type: 'response.output_text.done', item_id: 'i', output_index: 0, text: words },
        done({ type: 'message', content: [{ type: 'output_text', text: words }] }),
      ],
    ],
  ])('%s', async (_name, events) => {
    const row = await leaving('/v1/responses', { stream: true, model: 'gpt-4o-mini', input: 'Hi' }, [created, ...events])
    expect(row.completion_tokens).toBeWithin(...wordTokens)
  })

  test('the arguments and the output of a server’s tool', async () => {
    const tools = [{ type: 'mcp', server_label: 'a', server_url: 'https://mcp.example', require_approval: 'never' }]
    const item = done({ type: 'mcp_call', name: 'f', server_label: 'a', arguments: words, output: 'page '.repeat(20_000) })
    const row = await leaving('/v1/responses', { stream: true, model: 'gpt-4o-mini', input: 'Hi', tools }, [created, item])
    expect(row.completion_tokens).toBeGreaterThan(wordTokens[0])
    expect(row.prompt_tokens).toBeWithin(20_000, 30_000)
  })
})

describe('vendors that search in every such request, or charge more for responses with reasoning', () => {
  test.each([
    ['qwen-plus', { enable_search: true, search_options: { forced_search: true } }],
    ['glm-4-plus', { tools: [{ type: 'web_search', web_search: { enable: true } }] }],
  ])('a search of %s', async (model, more) => {
    const { charges } = await leaving('/v1/chat/completions', { ...base, ...more, model }, [chatChunk({ content: 'END' })])
    expect(charges).toContainEqual({ unit: 'searches', count: 1, price: 5_000 })
  })

  test.each(['/v1/chat/completions', '/v1/messages'])('the price of reasoning, by %s', async (path) => {
    const body = { ...base, model: 'qwen-plus', max_tokens: 5_000, ...(path === '/v1/messages' ? {} : { enable_thinking: true }) }
    const { charges } = await leaving(path, body, [chatChunk({ reasoning_content: 'hm' }), chatChunk({ content: words })])
    expect(charges).toContainEqual({ unit: 'completion', count: expect.any(Number), price: 4 })
  })
})
