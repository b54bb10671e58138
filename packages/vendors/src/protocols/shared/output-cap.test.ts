import { describe, expect, test } from 'bun:test'
import { accumulate, play } from '../../../test/accumulate.ts'
import { targetOf } from '../../../test/channel.ts'
import type { ChatDialect } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json.ts'
import { coze } from '../../vendors/coze/chat.ts'
import { aiProxyLibrary } from '../../vendors/proxy-library/chat.ts'
import { tencentChat } from '../../vendors/tencent/chat.ts'
import { byChat } from '../responses/by-chat.ts'

// Vendors whose form has no limit of output tokens: the response is cut at the client's.

const messages = [{ role: 'user', content: 'Hi' }]
const context = { id: 'chatcmpl-1', created: 1, model: 'm' }

const piece = (text: string, completion: number, reason = ''): string =>
  JSON.stringify({
    Choices: [{ FinishReason: reason, Delta: { Role: 'assistant', Content: text } }],
    Usage: { PromptTokens: 9, CompletionTokens: completion, TotalTokens: 9 + completion },
  })
const searchChunk = (content: string, finish = false): string => JSON.stringify({ content, finish, documents: [] })

/** What a client gets of a stream with this limit. */
function cut(dialect: ChatDialect, outputMax: number | undefined, events: ReadonlyArray<string | readonly [string, string]>) {
  const { chunks, usage, complete } = play(dialect.stream({ ...context, outputMax }), events)
  const { message, reasons } = accumulate(chunks)
  return { message, reasons, usage, complete }
}

describe('a request with a limit', () => {
  test.each([
    ['max_tokens', { max_tokens: 7 }],
    ['max_completion_tokens', { max_completion_tokens: 7, max_tokens: 9 }],
  ])('in %s asks for a stream, so that no more is made than the client wants', (_, limit) => {
    const target = targetOf({ model: 'm' })
    expect(tencentChat.request({ messages, ...limit }, target)).toMatchObject({ outputMax: 7, body: { Stream: true } })
    expect(aiProxyLibrary.request({ messages, ...limit }, target)).toMatchObject({ outputMax: 7, body: { stream: true } })
    expect(byChat(tencentChat).request({ input: 'Hi', max_output_tokens: 7 }, target)).toMatchObject({ outputMax: 7 })
  })

  test.each([{}, { max_tokens: 0 }, { max_tokens: -1 }, { max_tokens: null }] satisfies JsonObject[])('%p has none', (limit) => {
    const outgoing = tencentChat.request({ messages, ...limit }, targetOf({ model: 'm' }))
    expect(outgoing).toMatchObject({ body: { Stream: false } })
    expect(outgoing).not.toHaveProperty('outputMax')
  })
})

describe('a stream', () => {
  const four = [piece('One ', 1), piece('two ', 2), piece('three four', 4), piece('never read', 6), piece('', 6, 'stop')]

  test('ends at the limit by the vendor’s counts, and is charged no more', () => {
    expect(cut(tencentChat, 3, four)).toMatchObject({
      message: { role: 'assistant', content: 'One two three' },
      reasons: ['length'],
      usage: { promptTokens: 9, completionTokens: 3 },
      complete: true,
    })
  })

  test('that is shorter, or has no limit, stays as it is', () => {
    for (const limit of [6, undefined])
      expect(cut(tencentChat, limit, four)).toMatchObject({
        message: { content: 'One two three fournever read' },
        reasons: [limit === 6 ? 'length' : 'stop'],
        usage: { completionTokens: 6 },
      })
    expect(cut(tencentChat, 7, four)).toMatchObject({ reasons: ['stop'], usage: { completionTokens: 6 } })
  })

  test('without counts ends by an estimate, and is counted by the gateway', () => {
    const long = Array.from({ length: 40 }, () => searchChunk('lorem ipsum '))
    const { message, reasons, usage, complete } = cut(aiProxyLibrary, 10, [...long, searchChunk('', true)])
    expect([reasons, usage, complete]).toEqual([['length'], null, true])
    // Holds: the message was joined from the deltas of a chat.
    const { content } = message as { readonly content: string }
    expect(content.length).toBeGreaterThan(20)
    expect(content.length).toBeLessThan(60)
  })

  test('of events with names ends the same', () => {
    const delta = ['conversation.message.delta', { id: '1', type: 'answer', content: 'lorem ipsum dolor sit amet ' }] as const
    const events = Array.from({ length: 9 }, () => [JSON.stringify(delta[1]), delta[0]] as const)
    expect(cut(coze, 12, events)).toMatchObject({ reasons: ['length'], complete: true })
  })
})

test('a response that came whole all the same is cut, too', () => {
  const whole = {
    Response: {
      Choices: [{ FinishReason: 'stop', Message: { Role: 'assistant', Content: 'abcdefghij' } }],
      Usage: { PromptTokens: 9, CompletionTokens: 10, TotalTokens: 19 },
    },
  }
  expect(tencentChat.response(whole, { ...context, outputMax: 4 })).toMatchObject({
    response: { choices: [{ message: { content: 'abcd' }, finish_reason: 'length' }] },
    usage: { completionTokens: 4 },
  })
  expect(tencentChat.response(whole, { ...context, outputMax: 10 })).toMatchObject({
    response: { choices: [{ message: { content: 'abcdefghij' }, finish_reason: 'stop' }] },
  })
})

describe('a stop word', () => {
  const stream = (words: readonly string[], texts: readonly string[], reason = 'stop') => {
    const events = [...texts.map((text, index) => piece(text, index + 1)), piece('', texts.length, reason)]
    return accumulate(play(tencentChat.stream({ ...context, stopWords: words }), events).chunks)['message']
  }

  test('that the vendor writes before it stops is not sent to the client', () => {
    expect(stream(['END'], ['Hello E', 'N', 'D'])).toMatchObject({ content: 'Hello ' })
    expect(stream(['END'], ['Hello E', 'N', 'D'], 'tool_calls')).toMatchObject({ content: 'Hello END' })
    expect(stream(['END', '\n'], ['ENDLESS', ' E'])).toMatchObject({ content: 'ENDLESS E' })
    expect(stream([], ['a', 'b'])).toMatchObject({ content: 'ab' })
  })

  test('is removed from a whole response, too', () => {
    const response = (reason: string) => ({
      Response: { Choices: [{ FinishReason: reason, Message: { Role: 'assistant', Content: 'Hello END' } }] },
    })
    const withWord = { ...context, stopWords: ['END'] }
    expect(tencentChat.response(response('stop'), withWord)).toMatchObject({ response: { choices: [{ message: { content: 'Hello ' } }] } })
    expect(tencentChat.response(response('sensitive'), withWord)).toMatchObject({
      response: { choices: [{ message: { content: 'Hello END' } }] },
    })
  })
})
