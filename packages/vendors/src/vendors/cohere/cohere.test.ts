import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import { readFailureOf } from '../../core/failure-rules.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import { cohere, cohereEmbeddings } from './chat.ts'
import { cohereVendor } from './vendor.ts'

const context: ResponseContext = { id: 'chatcmpl-1', created: 1, model: 'm' }
const ask = (chat: JsonObject, model = 'command-a-03-2025') =>
  cohere.request({ messages: [{ role: 'user', content: 'Hi' }], ...chat }, targetOf({ model }))
const tool = (name: string, more: JsonObject = {}) => ({ type: 'function', function: { name, ...more } })

describe('a request', () => {
  test('has the settings under the vendor’s names', () => {
    const chat = { top_p: 0.5, top_k: 4, stop: 'END', max_tokens: 7, seed: 1, presence_penalty: 1.5, frequency_penalty: -1 }
    expect(ask(chat).body).toMatchObject({ p: 0.5, k: 4, stop_sequences: ['END'], max_tokens: 7, seed: 1, presence_penalty: 1 })
    expect(ask(chat).body).not.toHaveProperty('frequency_penalty')
    expect(ask({ stop: ['1', '2', '3', '4', '5', '6'] }).refused).toBe('stop')
  })

  test('has the text before calls as their plan, and results as text', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const messages = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'assistant', content: 'I look.', tool_calls: calls },
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]
    expect(ask({ messages }).body['messages']).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', tool_calls: calls, tool_plan: 'I look.' },
      { role: 'tool', tool_call_id: 'c1', content: 'a\nb' },
    ])
    expect(ask({ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }).refused).toBe('messages')
  })

  test('has the images in results of tools in a message of the user', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const inputImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }
    const messages = [
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'a' }, inputImage] },
    ]
    expect(ask({ messages }).body['messages']).toEqual([
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: expect.any(String) }, inputImage] },
    ])
  })

  test('chooses tools', () => {
    const tools = [tool('f', { strict: true }), tool('g', { strict: true })]
    expect(ask({ tools, tool_choice: { type: 'function', function: { name: 'g' } } }).body).toMatchObject({
      tools: [tool('g', { strict: true })],
      tool_choice: 'REQUIRED',
      strict_tools: true,
    })
    expect(ask({ tools, tool_choice: 'none' }).body).toMatchObject({ tool_choice: 'NONE' })
    expect(ask({ tools, tool_choice: 'auto' }).body).not.toHaveProperty('tool_choice')
  })

  test('has a schema as a field, or as an instruction beside tools', () => {
    const format = { type: 'json_schema', json_schema: { schema: { type: 'object' } } }
    expect(ask({ response_format: format }).body['response_format']).toEqual({ type: 'json_object', json_schema: { type: 'object' } })
    const { body } = ask({ response_format: format, tools: [tool('f')] })
    expect(body).not.toHaveProperty('response_format')
    expect(body['messages']).toMatchObject([{ role: 'system', content: expect.stringContaining('{"type":"object"}') }, {}])
  })

  test('thinks as long as the effort says, where the model thinks', () => {
    const thinking = (effort: string, model: string) => ask({ reasoning_effort: effort }, model).body['thinking']
    expect(thinking('low', 'command-a-reasoning-08-2025')).toEqual({ type: 'enabled', token_budget: 2048 })
    expect(thinking('high', 'command-a-plus-05-2026')).toEqual({ type: 'enabled' })
    expect(thinking('none', 'command-a-plus-05-2026')).toEqual({ type: 'disabled' })
    expect(thinking('high', 'command-r-08-2024')).toBeUndefined()
  })
})

describe('a response', () => {
  test('is charged as the vendor bills it', () => {
    const usage = { billed_units: { input_tokens: 5, output_tokens: 3 }, tokens: { input_tokens: 70, output_tokens: 3 } }
    const response = cohere.response({ message: { content: [{ type: 'text', text: 'Hi' }] }, finish_reason: 'COMPLETE', usage }, context)
    expect(response).toMatchObject({ usage: { promptTokens: 5, completionTokens: 3 } })
  })

  test.each(['null', ''])('with a call whose arguments are %p has an object', (args) => {
    const message = { tool_plan: 'I look.', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }] }
    expect(cohere.response({ message, finish_reason: 'TOOL_CALL' }, context)).toMatchObject({
      response: {
        choices: [{ message: { content: null, reasoning_content: 'I look.', tool_calls: [{ function: { arguments: '{}' } }] } }],
      },
    })
  })

  test.each(['ERROR', 'TIMEOUT'])('that ends by %s is a failure', (reason) => {
    expect(cohere.response({ message: { content: [] }, finish_reason: reason }, context)).toMatchObject({ kind: 'unavailable' })
    const event = { type: 'message-end', delta: { finish_reason: reason, error: 'out of memory' } }
    expect(cohere.stream(context).event(JSON.stringify(event)).failure).toMatchObject({ kind: 'unavailable', message: 'out of memory' })
  })
})

test.each([
  [400, 'invalid request: temperature is invalid', 'bad_request', null],
  [400, 'too many tokens: total number of tokens in the prompt cannot exceed 128000', 'bad_request', 'context_length_exceeded'],
  [401, 'invalid api token', 'bad_key', null],
  [402, 'Please add or update your payment method', 'no_quota', null],
  [404, "model 'none' not found", 'model_not_found', null],
  [422, 'message must be at least 1 token long', 'bad_request', null],
  [429, 'You are using a Trial key, which is limited to 20 API calls / minute', 'rate_limited', null],
  [498, 'Invalid token', 'bad_key', null],
  [499, 'request cancelled by user', 'unavailable', null],
  [500, 'internal server error', 'unavailable', null],
  [503, 'service unavailable', 'unavailable', null],
] as const)('an error of status %d that reads "%s" is %s', (status, message, kind, code) => {
  const read = readFailureOf(cohere, cohereVendor.failures, { status, body: JSON.stringify({ id: 'x', message }) })
  expect(read).toMatchObject({ kind, message, code })
})

test('embeddings say what they are for, and come in the form that was requested', () => {
  const embed = (body: JsonObject) => cohereEmbeddings.request(body, targetOf({ model: 'embed-v4.0', kind: 'embeddings' }))
  expect(embed({ input: 'a', dimensions: 256 })).toMatchObject({
    path: '/v2/embed',
    body: { texts: ['a'], input_type: 'search_document', embedding_types: ['float'], output_dimension: 256 },
  })
  expect(embed({ input: Array.from({ length: 97 }, () => 'a') }).refused).toBe('input')
  expect(cohereEmbeddings.response?.({ embeddings: { float: [[1]] }, meta: { billed_units: { input_tokens: 4 } } }, context)).toMatchObject(
    {
      response: { data: [{ embedding: [1] }] },
      usage: { promptTokens: 4 },
    },
  )
  expect(cohereEmbeddings.response?.({}, context)).toBeNull()
})
