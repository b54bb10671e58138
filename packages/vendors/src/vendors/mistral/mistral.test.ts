import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { mistralFillIn } from './fill-in.ts'
import { mistralModerations } from './moderations.ts'
import { mistralSpeech } from './speech.ts'
import { mistral } from './vendor.ts'

const { vendor, facts } = exampleChannel(mistral)
const requestOf = (kind: Kind, model: string, body: JsonObject, stream = false) =>
  buildRequest(vendor, body, { kind, model, stream, channel: facts })
const context = { id: 'cmpl-1', created: 1, model: 'codestral' }
const counted = { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 }

describe('a completion', () => {
  const completion = { model: 'x', prompt: 'def a', suffix: 'return 1', max_tokens: 9, seed: 3, presence_penalty: 1, user: 'u' }

  test('fills in the middle, with the names of the vendor', () => {
    const { path, body } = requestOf('completions', 'codestral-latest', completion, true)
    expect(path).toBe('/v1/fim/completions')
    expect(body).toEqual({
      model: 'codestral-latest',
      prompt: 'def a',
      suffix: 'return 1',
      max_tokens: 9,
      random_seed: 3,
      stream: true,
    })
    expect(requestOf('completions', 'codestral-latest', { prompt: ['a'] }).body).toMatchObject({ prompt: 'a' })
  })

  test.each([
    [{ prompt: 'a', n: 2 }, 'n'],
    [{ prompt: 'a', best_of: 2 }, 'best_of'],
    [{ prompt: 'a', echo: true }, 'echo'],
    [{ prompt: 'a', logprobs: 3 }, 'logprobs'],
    [{ prompt: ['a', 'b'] }, 'prompt'],
    [{ prompt: 'a', n: 1, echo: false }, undefined],
  ] as const)('%p is refused by %p', (body, parameter) => {
    expect(requestOf('completions', 'codestral-latest', body).refused).toBe(parameter)
  })

  test('is read from the form of a chat', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'x = 1' }, finish_reason: 'model_length' }]
    expect(mistralFillIn.response({ id: 'f', object: 'chat.completion', choices, usage: counted }, context)).toMatchObject({
      response: {
        id: 'cmpl-1',
        object: 'text_completion',
        choices: [{ index: 0, text: 'x = 1', finish_reason: 'length', logprobs: null }],
        usage: { prompt_tokens: 8, completion_tokens: 2 },
      },
      usage: { promptTokens: 8, completionTokens: 2 },
    })
    expect(mistralFillIn.response({ object: 'error', message: 'Unauthorized', type: 'x', code: null }, context)).toHaveProperty('kind')
    expect(mistralFillIn.response({ choices: [] }, context)).toBeNull()
    expect(mistralFillIn.response([], context)).toBeNull()
  })

  test('is streamed in the form of a completion', () => {
    const stream = mistralFillIn.stream(context)
    const event = (delta: object, more: object = {}) =>
      stream.event(JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null, ...more }] }))
    expect(event({ role: 'assistant', content: '' }).chunks).toMatchObject([{ object: 'text_completion', choices: [{ text: '' }] }])
    expect(event({ content: 'x' })).toMatchObject({ text: 'x', chunks: [{ choices: [{ text: 'x', finish_reason: null }] }] })
    expect(stream.event('garbage')).toEqual({ chunks: [], text: '', failure: null })
    expect(stream.end().complete).toBe(false)
    stream.event(JSON.stringify({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }], usage: counted }))
    expect(stream.event('[DONE]')).toMatchObject({ isLast: true })
    expect(stream.end()).toMatchObject({ complete: true, usage: { promptTokens: 8, completionTokens: 2 } })
    expect(stream.event(JSON.stringify({ error: { message: 'no', code: 'x' } })).failure).toMatchObject({ message: 'no' })
  })
})

describe('a moderation', () => {
  test('says whether anything was found', () => {
    const results = [
      { categories: { violence: true, pii: false }, category_scores: { violence: 0.9, pii: 0 } },
      { categories: { violence: false }, category_scores: { violence: 0 } },
    ]
    expect(mistralModerations.response({ id: 'm', model: 'm', results })).toMatchObject({
      response: { results: [{ flagged: true }, { flagged: false }] },
    })
    expect(mistralModerations.response({ message: 'x' })).toBeNull()
    expect(requestOf('moderations', 'mistral-moderation-latest', { input: 'Hi' })).toMatchObject({
      path: '/v1/moderations',
      body: { input: 'Hi', model: 'mistral-moderation-latest' },
    })
  })
})

describe('speech', () => {
  test('has a voice of the vendor, or none', () => {
    const { path, body } = requestOf('speech', 'voxtral-mini-tts-2603', { input: 'Hi', voice: 'alloy', response_format: 'wav' })
    expect(path).toBe('/v1/audio/speech')
    expect(body).toEqual({ model: 'voxtral-mini-tts-2603', input: 'Hi', response_format: 'wav', stream: false })
    expect(requestOf('speech', 'voxtral-mini-tts-2603', { input: 'Hi', voice: 'my-voice' }).body).toMatchObject({ voice_id: 'my-voice' })
  })

  test.each([
    [{ response_format: 'aac' }, 'response_format'],
    [{ speed: 2 }, 'speed'],
    [{ instructions: 'loud' }, 'instructions'],
    [{ speed: 1 }, undefined],
  ] as const)('with %p is refused by %p', (more, parameter) => {
    expect(requestOf('speech', 'voxtral-mini-tts-2603', { input: 'Hi', voice: 'a', ...more }).refused).toBe(parameter)
  })

  test('comes in base64', () => {
    const echo = { response_format: 'wav' }
    expect(mistralSpeech.response({ audio_data: 'AQI=' }, { ...context, echo })).toMatchObject({
      bytes: new Uint8Array([1, 2]),
      contentType: 'audio/wav',
    })
    expect(mistralSpeech.response({ audio_data: '' }, context)).toBeNull()
    expect(mistralSpeech.response({ object: 'error', message: 'no' }, context)).toHaveProperty('kind')
  })
})
