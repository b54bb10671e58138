import { expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { replayEvents } from './replay.ts'
import { asResponseRequest, withNestedTools } from './request-as-chat.ts'
import { createChatChunks, toChatResponse } from './to-chunks.ts'

const usage = {
  input_tokens: 9,
  output_tokens: 4,
  output_tokens_details: { reasoning_tokens: 1 },
  input_tokens_details: { cached_tokens: 2 },
}
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'run', arguments: '{"a":1}' }
const patch = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'ApplyPatch', input: '*** Begin Patch' }
const response: JsonObject = {
  ...{ id: 'resp_1', object: 'response', created_at: 7, model: 'gpt', status: 'completed', usage },
  output: [
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm' }] },
    { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Hi' }] },
    call,
    patch,
  ],
}
const head = { id: 'resp_1', object: 'chat.completion.chunk', created: 7, model: 'gpt' }
const chunk = (delta: JsonObject, reason: string | null = null) => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
})
const named = (index: number, id: string, name: string) => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
})
const written = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] })

test('a stream of a response is a stream of a chat, with reasoning, text, calls of functions and of custom tools, and usage', () => {
  const chunks = createChatChunks(true)
  expect(replayEvents(response).flatMap((event) => chunks.event(JSON.stringify(event)))).toEqual([
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: 'Hm' }),
    chunk({ content: 'Hi' }),
    chunk(named(0, 'call_1', 'run')),
    chunk(written(0, '{"a":1}')),
    chunk(named(1, 'call_2', 'ApplyPatch')),
    chunk(written(1, '*** Begin Patch')),
    chunk({}, 'tool_calls'),
    { ...head, choices: [], usage: expect.objectContaining({ prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }) },
  ])
  expect(chunks.isComplete).toBe(true)
})

test('a response that breaks off says why, and has no terminator', () => {
  for (const [event, message] of [
    [{ error: { message: 'gone', code: 'upstream_reset' } }, 'gone'],
    [{ type: 'response.failed', response: { error: { code: 'server_error', message: 'broken' } } }, 'broken'],
  ] as const) {
    const chunks = createChatChunks(false)
    expect(chunks.event(JSON.stringify({ type: 'response.output_text.delta', delta: 'Hi' }))).toHaveLength(2)
    expect(chunks.event(JSON.stringify(event))).toMatchObject([{ error: { message } }])
    expect([chunks.event('no JSON'), chunks.isComplete]).toEqual([[], false])
  }
})

test('a whole response is a whole chat', () => {
  expect(toChatResponse(response)).toMatchObject({
    ...{ id: 'resp_1', object: 'chat.completion', created: 7, model: 'gpt' },
    choices: [
      {
        message: {
          ...{ role: 'assistant', content: 'Hi', reasoning_content: 'Hm' },
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'run', arguments: '{"a":1}' } },
            { id: 'call_2', type: 'function', function: { name: 'ApplyPatch', arguments: '*** Begin Patch' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { total_tokens: 13 },
  })
  expect(toChatResponse({ error: { message: 'broken' } })).toBeNull()
})

test('a request in the form of both has the tools and calls of responses', () => {
  const tools = [
    { type: 'function', function: { name: 'run' } },
    { type: 'custom', custom: { name: 'ApplyPatch' } },
    { type: 'web_search' },
  ]
  const input = [
    { type: 'function_call', call_id: 'call_2', name: 'ApplyPatch', arguments: '*** Begin Patch' },
    { type: 'function_call_output', call_id: 'call_2', output: 'Done' },
    { type: 'function_call_output', call_id: 'call_1', output: 'Ran' },
  ]
  expect(asResponseRequest({ model: 'gpt', messages: [], tools, input, stream_options: { include_usage: true } })).toEqual({
    model: 'gpt',
    tools: [{ type: 'function', name: 'run' }, { type: 'custom', name: 'ApplyPatch' }, { type: 'web_search' }],
    input: [
      { type: 'custom_tool_call', call_id: 'call_2', name: 'ApplyPatch', input: '*** Begin Patch' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'Done' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Ran' },
    ],
  })
  expect(asResponseRequest({ input: 'Hi' })).toEqual({ input: 'Hi' })
})

test('a chat with flat tools gets those of chats, and any other stays as it is', () => {
  const nested = { type: 'function', function: { name: 'run', parameters: {} } }
  expect(withNestedTools({ tools: [nested, { type: 'web_search' }] })).toBeNull()
  expect(withNestedTools({})).toBeNull()
  const result = withNestedTools({
    model: 'gpt',
    tools: [nested, { type: 'function', name: 'flat', parameters: {} }, { type: 'custom', name: 'ApplyPatch' }],
  })
  expect(result).toMatchObject({
    model: 'gpt',
    tools: [
      nested,
      { type: 'function', function: { name: 'flat', parameters: {} } },
      { type: 'function', function: { name: 'ApplyPatch' } },
    ],
  })
})
