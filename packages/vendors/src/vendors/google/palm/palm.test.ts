import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../../test/channel.ts'
import { isObject } from '../../../core/is-object.ts'
import { palm } from './chat.ts'

const context = { id: 'chatcmpl-1', created: 1, model: 'PaLM-2' }
const target = targetOf({ model: 'PaLM-2' })

describe('PaLM', () => {
  test('gets turns by author, the system prompt as context, and as many candidates as choices', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: [{ type: 'text', text: 'Bye' }] },
    ]
    const { path, body } = palm.request({ messages, n: 2, temperature: 0.5, max_tokens: 9 }, target)
    expect(path).toBe('/v1beta2/models/chat-bison-001:generateMessage')
    expect(body).toEqual({
      prompt: {
        context: 'Be brief.',
        messages: [
          { author: '0', content: 'Hi' },
          { author: '1', content: 'Hello' },
          { author: '0', content: 'Bye' },
        ],
      },
      temperature: 0.5,
      candidateCount: 2,
    })
  })

  test.each([
    [{ tools: [{ type: 'function' }] }, 'tools'],
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ stop: ['END'] }, 'stop'],
    [{ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 'messages[].content'],
  ])('refuses %j by name', (chat, field) => {
    expect(palm.request(chat, target).refused).toBe(field)
  })

  test('responds with each candidate, or with a filter', () => {
    const read = palm.response({ candidates: [{ content: 'a' }, { content: 'b' }] }, context)
    const choices =
      read !== null && 'response' in read && Array.isArray(read.response['choices']) ? read.response['choices'].filter(isObject) : []
    expect(choices).toMatchObject([
      { message: { content: 'a' }, finish_reason: 'stop' },
      { index: 1, message: { content: 'b' } },
    ])
    expect(palm.response({ filters: [{ reason: 'SAFETY' }] }, context)).toMatchObject({
      response: { choices: [{ finish_reason: 'content_filter' }] },
    })
    expect(palm.response({}, context)).toBeNull()
    expect(palm.response({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'no' } }, context)).toMatchObject({
      kind: 'rate_limited',
    })
  })

  test('keeps each choice within the limit of the client', () => {
    const { outputMax } = palm.request({ messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5, n: 2 }, target)
    expect(outputMax).toBe(5)
    const long = 'word '.repeat(40)
    const read = (...texts: string[]) => {
      const response = palm.response({ candidates: texts.map((content) => ({ content })) }, { ...context, outputMax })
      return response !== null && 'response' in response && Array.isArray(response.response['choices'])
        ? response.response['choices'].filter(isObject)
        : []
    }
    expect(read('short', 'brief')).toMatchObject([
      { message: { content: 'short' }, finish_reason: 'stop' },
      { message: { content: 'brief' }, finish_reason: 'stop' },
    ])
    const cut = read(long, long)
    expect(cut).toMatchObject([{ finish_reason: 'length' }, { finish_reason: 'length' }])
    expect(JSON.stringify(cut)).not.toContain('word '.repeat(8))
  })

  test('reports that it has ended where the model is not found', () => {
    const body = JSON.stringify({ error: { code: 404, status: 'NOT_FOUND', message: 'no such model' } })
    expect(palm.failure(404, body)).toMatchObject({ kind: 'model_not_found', message: expect.stringContaining('PaLM 2 has ended') })
  })
})
