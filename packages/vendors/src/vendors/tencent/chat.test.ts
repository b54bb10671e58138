import { describe, expect, test } from 'bun:test'
import { accumulate, play } from '../../../test/accumulate.ts'
import { targetOf } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import { tencentChat } from './chat.ts'

const context = { id: 'chatcmpl-1', created: 1, model: 'm' }
const bodyOf = (chat: JsonObject): JsonObject => tencentChat.request(chat, targetOf({ model: 'hunyuan-pro' })).body

describe('a chat for the platform before TokenHub', () => {
  test('has the vendor’s names, images, calls and results', () => {
    const inputImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'What?' }, inputImage] },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"a":1}' } }] },
      { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'a cat' }] },
      { role: 'developer', content: 'Be brief.' },
    ]
    expect(bodyOf({ messages, seed: 20_000, stop: 'END', tool_choice: { type: 'function', function: { name: 'look' } } })).toEqual({
      Model: 'hunyuan-pro',
      Messages: [
        { Role: 'system', Content: 'Be brief.' },
        {
          Role: 'user',
          Contents: [
            { Type: 'text', Text: 'What?' },
            { Type: 'image_url', ImageUrl: { Url: 'data:image/png;base64,AAAA' } },
          ],
        },
        {
          Role: 'assistant',
          Content: '',
          ToolCalls: [{ Id: 'c', Type: 'function', Index: 0, Function: { Name: 'look', Arguments: '{"a":1}' } }],
        },
        { Role: 'tool', ToolCallId: 'c', Content: 'a cat' },
      ],
      Stream: false,
      Seed: 1,
      Stop: ['END'],
      ToolChoice: 'custom',
      CustomTool: { Type: 'function', Function: { Name: 'look' } },
    })
  })

  test('sends no tools if none may be called', () => {
    const tools = [{ type: 'function', function: { name: 'look' } }]
    expect(bodyOf({ messages: [], tools, tool_choice: 'none' })).not.toHaveProperty('Tools')
  })
})

describe('a stream of the platform before TokenHub', () => {
  const piece = (delta: JsonObject, reason = ''): string =>
    JSON.stringify({ Choices: [{ FinishReason: reason, Delta: delta }], Usage: { PromptTokens: 1, CompletionTokens: 2, TotalTokens: 3 } })

  test('joins pieces of several calls by their index', () => {
    const call = (index: number, more: JsonObject): JsonObject => ({ ToolCalls: [{ Index: index, ...more }] })
    const events = [
      piece({ Role: 'assistant', ReasoningContent: 'Hm' }),
      piece(call(0, { Id: 'a', Function: { Name: 'one', Arguments: '{"x"' } })),
      piece(call(0, { Function: { Arguments: ':1}' } })),
      piece(call(1, { Id: 'b', Function: { Name: 'two', Arguments: '{}' } })),
      piece({}, 'tool_calls'),
    ]
    const { chunks, complete, usage, text } = play(tencentChat.stream(context), events)
    const { message, reasons } = accumulate(chunks)
    expect(message).toMatchObject({
      role: 'assistant',
      reasoning_content: 'Hm',
      tool_calls: [
        { index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '{"x":1}' } },
        { index: 1, id: 'b', type: 'function', function: { name: 'two', arguments: '{}' } },
      ],
    })
    expect([reasons, complete, usage?.completionTokens, text]).toEqual([['tool_calls'], true, 2, 'Hm{"x":1}{}'])
  })

  const whole = (reason: string, message: JsonObject = { Role: 'assistant', Content: 'Hello there' }, delta?: JsonObject): string =>
    JSON.stringify({ Choices: [{ FinishReason: reason, Message: message, ...(delta === undefined ? {} : { Delta: delta }) }] })

  test.each([
    ['beside the last piece', [piece({ Content: 'Hello ' }), piece({ Content: 'there' }), whole('stop', undefined, { Content: '' })]],
    ['after the pieces', [piece({ Content: 'Hello ' }), piece({ Content: 'there' }), whole('stop')]],
    ['alone', [whole('stop')]],
    ['alone, after the role', [piece({ Role: 'assistant', Content: '' }), whole('stop')]],
    ['twice', [whole(''), whole('stop')]],
  ])('has the text once if the whole message comes %s', (_when, events) => {
    const { chunks, complete, text } = play(tencentChat.stream(context), events)
    const { message, reasons } = accumulate(chunks)
    expect(message).toMatchObject({ content: 'Hello there' })
    expect([text, reasons, complete]).toEqual(['Hello there', ['stop'], true])
  })

  test('has the calls of a whole message once', () => {
    const message = { Content: '', ToolCalls: [{ Index: 0, Id: 'a', Function: { Name: 'one', Arguments: '{}' } }] }
    const { chunks, text } = play(tencentChat.stream(context), [whole('', message), whole('tool_calls', message)])
    expect(accumulate(chunks)['message']).toMatchObject({ tool_calls: [{ id: 'a', function: { name: 'one', arguments: '{}' } }] })
    expect(text).toBe('{}')
  })

  test('without its last piece is not complete, and garbage is nothing', () => {
    expect(play(tencentChat.stream(context), [piece({ Content: 'Hi' }), 'garbage', '[]', '{}'])).toMatchObject({
      complete: false,
      failures: [],
    })
  })
})
