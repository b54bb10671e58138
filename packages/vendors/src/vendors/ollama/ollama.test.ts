import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { ollama, ollamaEmbeddings } from './chat.ts'
import { readOllamaFailure } from './failures.ts'
import { ollamaVendor } from './vendor.ts'

const context: ResponseContext = { id: 'chatcmpl-1', created: 1, model: 'm' }
const ask = (chat: JsonObject, stream = false) =>
  ollama.request({ messages: [{ role: 'user', content: 'Hi' }], ...chat }, targetOf({ model: 'qwen3', stream }))

describe('a request', () => {
  test('always says whether it is a stream, because the server’s default is one', () => {
    expect(ask({}).body).toEqual({ model: 'qwen3', messages: [{ role: 'user', content: 'Hi' }], stream: false })
    expect(ask({}, true).body['stream']).toBe(true)
  })

  test('has settings under options, and limits, schemas and levels of thinking under the names of the server', () => {
    const schema = { type: 'object' }
    const chat = { temperature: 0.5, seed: 7, stop: ['x'], max_tokens: 9, num_ctx: 8192, reasoning_effort: 'xhigh', keep_alive: '5m' }
    expect(ask({ ...chat, response_format: { type: 'json_schema', json_schema: { schema } } }).body).toMatchObject({
      options: { temperature: 0.5, seed: 7, stop: ['x'], num_predict: 9, num_ctx: 8192 },
      format: schema,
      think: 'max',
      keep_alive: '5m',
    })
    expect(ask({ reasoning_effort: 'none', response_format: { type: 'json_object' } }).body).toMatchObject({ think: false, format: 'json' })
  })

  test('names the tool of a result, and has arguments as objects and images as base64', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Porto"}' } }
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Look' }, image] },
      { role: 'assistant', content: null, reasoning_content: 'Think', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'dry' },
    ]
    expect(ask({ messages }).body['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Look', images: ['AAAA'] },
      { role: 'assistant', content: '', thinking: 'Think', tool_calls: [{ function: { name: 'weather', arguments: { city: 'Porto' } } }] },
      { role: 'tool', content: 'dry', tool_name: 'weather' },
    ])
  })

  test('is refused where the server cannot do what changes the response', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    expect(ask({ tools, tool_choice: 'required' }).refused).toBe('tool_choice')
    expect(ask({ tools, tool_choice: { type: 'function', function: { name: 'f' } } }).refused).toBe('tool_choice')
    expect(ask({ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }).refused).toBe('messages')
    expect(ask({ tools, tool_choice: 'none' }).body).not.toHaveProperty('tools')
    expect(ask({ tools, tool_choice: 'auto' })).toMatchObject({ body: { tools } })
  })
})

describe('log probabilities', () => {
  const rawLogprob = (token: string) => ({ token, logprob: -0.5, top_logprobs: [{ token, logprob: -0.5, bytes: [72] }] })
  const read = (token: string) => ({ token, logprob: -0.5, bytes: null, top_logprobs: [{ token, logprob: -0.5, bytes: [72] }] })
  const line = (content: string, more: JsonObject = {}) => ({
    message: { role: 'assistant', content },
    logprobs: [rawLogprob(content)],
    ...more,
  })

  test('are requested with their number', () => {
    expect(ask({ logprobs: true, top_logprobs: 3 }).body).toMatchObject({ logprobs: true, top_logprobs: 3 })
    expect(ask({ logprobs: true }).body).toMatchObject({ logprobs: true, top_logprobs: 0 })
    expect(ask({ logprobs: false }).body).not.toHaveProperty('logprobs')
  })

  test('come with the text that they are about, in a stream and whole', () => {
    const stream = ollama.stream(context)
    const chunks = [line('H'), line('i', { done: true, done_reason: 'stop' })].flatMap((one) => stream.event(JSON.stringify(one)).chunks)
    const seen = chunks.flatMap(({ choices }) => choices as readonly JsonObject[])
    expect(seen.map(({ delta, logprobs }) => [(delta as JsonObject)['content'], logprobs])).toEqual([
      ['', null],
      ['H', { content: [read('H')] }],
      ['i', { content: [read('i')] }],
      [undefined, null],
    ])
    const whole = ollama.response(line('Hi', { done: true, done_reason: 'stop' }), context)
    expect(whole).toMatchObject({ response: { choices: [{ message: { content: 'Hi' }, logprobs: { content: [read('Hi')] } }] } })
  })
})

describe('a response', () => {
  test('without a count of the prompt, all of which was in the cache, counts none', () => {
    const response = ollama.response({ message: { content: 'Hi' }, done: true, done_reason: 'stop', eval_count: 3 }, context)
    expect(response).toMatchObject({ usage: { promptTokens: 0, completionTokens: 3 } })
  })

  test('with calls ends by them, each with an id', () => {
    const calls = [{ function: { name: 'f', arguments: { a: 1 } } }, { function: { name: 'g' } }]
    expect(ollama.response({ message: { content: '', tool_calls: calls }, done: true, done_reason: 'stop' }, context)).toMatchObject({
      response: {
        choices: [
          {
            finish_reason: 'tool_calls',
            message: {
              content: null,
              tool_calls: [
                { id: 'call_chatcmpl-1_0', function: { name: 'f', arguments: '{"a":1}' } },
                { id: 'call_chatcmpl-1_1', function: { name: 'g', arguments: '{}' } },
              ],
            },
          },
        ],
      },
      usage: null,
    })
  })

  test('that is not over is none', () => {
    expect(ollama.response({ message: { content: 'Hi' } }, context)).toBeNull()
    expect(ollama.response([1], context)).toBeNull()
    expect(ollama.stream(context).event('{"error":"the runner has stopped"}').failure).toMatchObject({ kind: 'unavailable' })
  })
})

test.each([
  [401, 'unauthorized', 'bad_key', null],
  [402, 'payment required', 'no_quota', null],
  [404, "model 'x' not found", 'model_not_found', null],
  [404, 'model "x" not found, try pulling it first', 'model_not_found', null],
  [400, '"qwen:7b" does not support tools', 'bad_request', null],
  [400, 'prompt too long; exceeded max context length by 4 tokens', 'bad_request', 'context_length_exceeded'],
  [429, 'too many requests', 'rate_limited', null],
  [503, 'server busy, please try again. maximum pending requests exceeded', 'unavailable', null],
  [500, 'llama runner process has terminated', 'unavailable', null],
] as const)('an error of status %d that reads "%s" is %s', (status, error, kind, code) => {
  expect(readOllamaFailure(status, JSON.stringify({ error }))).toMatchObject({ kind, code, message: error })
})

test('embeddings are one request for all texts, and tokens are refused', () => {
  const embed = (body: JsonObject) => ollamaEmbeddings.request(body, targetOf({ model: 'e', kind: 'embeddings' }))
  expect(embed({ input: ['a', 'b'], dimensions: 2 })).toMatchObject({
    path: '/api/embed',
    body: { model: 'e', input: ['a', 'b'], dimensions: 2 },
  })
  expect(embed({ input: [1] }).refused).toBe('input')
  expect(ollamaEmbeddings.response?.({ embeddings: [[1], [2]], prompt_eval_count: 4 }, context)).toMatchObject({
    response: { data: [{ embedding: [1] }, { embedding: [2] }] },
    usage: { promptTokens: 4 },
  })
})

test('a base URL that ends in a version calls the interface in OpenAI’s form', () => {
  const vendorAt = (baseUrl: string) => addressed(ollamaVendor, { baseUrl, key: '', config: '', other: '' })?.vendor.dialects.chat
  expect([vendorAt('https://o.example/v1'), vendorAt('https://o.example')]).toEqual([openai, ollama])
})
