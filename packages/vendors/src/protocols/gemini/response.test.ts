import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { accumulate, play } from '../../../test/accumulate.ts'
import { anyJson } from '../../../test/chats.ts'
import { countsOf, freeze, onTheWire } from '../../../test/files.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import { gemini } from './dialect.ts'

const context: ResponseContext = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'gemini-3.8-flash' }

function upstreamResponse(parts: readonly JsonObject[], more: JsonObject = {}, candidate: JsonObject = {}): JsonObject {
  return {
    candidates: [{ content: { role: 'model', parts }, index: 0, ...candidate }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'gemini-3.8-flash',
    ...more,
  }
}

const uncounted = { usageMetadata: undefined }
const stop = { finishReason: 'STOP' }

function whole(json: Json, carried: Partial<ResponseContext> = {}) {
  const read = gemini.response(freeze(json), { ...context, ...carried })
  if (read === null || 'kind' in read) throw new Error(`no answer: ${JSON.stringify(read)}`)
  const [choice] = Array.isArray(read.response['choices']) ? read.response['choices'].filter(isObject) : []
  return { message: choice?.['message'], reason: choice?.['finish_reason'], usage: read.usage, response: read.response }
}

const streamed = (events: readonly unknown[]) =>
  play(
    gemini.stream(context),
    events.map((event) => JSON.stringify(event)),
  )

describe('a whole response', () => {
  // What `streamGenerateContent` returns without `alt=sse`, which a proxy may take out of the address.
  test('that is a list of the parts of a stream is one response, and an error in it is a failure', () => {
    const [first, last] = [upstreamResponse([{ text: 'Grü' }]), upstreamResponse([{ text: 'ße' }], {}, stop)]
    expect(whole([first, last])).toMatchObject({ message: { content: 'Grüße' }, reason: 'stop', usage: { promptTokens: 10 } })
    const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
    expect(gemini.response([first, error], context)).toMatchObject({ kind: 'unavailable' })
  })

  test('has text, reasoning and usage, in which reasoning is output', () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 20,
      toolUsePromptTokenCount: 3,
    }
    const json = upstreamResponse(
      [{ text: 'Let me see', thought: true }, { text: 'It is ' }, { text: 'dry.', thoughtSignature: 'sig' }],
      { usageMetadata },
      stop,
    )
    const { message, reason, usage, response } = whole(json)
    expect(message).toEqual({
      role: 'assistant',
      content: 'It is dry.',
      reasoning_content: 'Let me see',
      extra_content: { google: { thought_signature: 'sig' } },
    })
    expect(reason).toBe('stop')
    expect(usage).toEqual({ ...noUsage, promptTokens: 103, completionTokens: 27, cachedTokens: 60, reasoningTokens: 20 })
    expect(response['usage']).toMatchObject({
      prompt_tokens: 103,
      completion_tokens: 27,
      total_tokens: 130,
      prompt_tokens_details: { cached_tokens: 60 },
    })
  })

  test.each([
    ['of which none was cached', {}, { audioInputTokens: 30, imageInputTokens: 40 }],
    [
      'of which some were cached',
      {
        cachedContentTokenCount: 45,
        cacheTokensDetails: [
          { modality: 'AUDIO', tokenCount: 20 },
          { modality: 'IMAGE', tokenCount: 25 },
        ],
      },
      { cachedTokens: 45, audioInputTokens: 10, imageInputTokens: 15 },
    ],
    // Which of them were cached is not reported: that costs less for any of them.
    ['of which the cache may have had all', { cachedContentTokenCount: 100 }, { cachedTokens: 100 }],
    [
      'of which the cache may have had some',
      { cachedContentTokenCount: 50 },
      { cachedTokens: 50, audioInputTokens: 30, imageInputTokens: 20 },
    ],
  ] as const)('counts audio and images %s', (_, more, counts) => {
    const promptTokensDetails = [
      { modality: 'TEXT', tokenCount: 30 },
      { modality: 'AUDIO', tokenCount: 30 },
      { modality: 'IMAGE', tokenCount: 40 },
    ]
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 1, promptTokensDetails, ...more }
    const { usage } = whole(upstreamResponse([{ text: 'a' }], { usageMetadata }, stop))
    expect(usage).toEqual({ ...noUsage, promptTokens: 100, completionTokens: 1, ...counts })
  })

  test('has parallel calls with ids, the client’s names and signatures', () => {
    const parts = [
      { functionCall: { name: 'weather', args: { city: 'Porto' } }, thoughtSignature: 'sig' },
      { functionCall: { id: 'own', name: 'weather' } },
    ]
    const { message, reason } = whole(upstreamResponse(parts, {}, stop), { toolNames: { weather: 'the.weather' } })
    expect(onTheWire(message)).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_chatcmpl-1_0',
          type: 'function',
          function: { name: 'the.weather', arguments: '{"city":"Porto"}' },
          extra_content: { google: { thought_signature: 'sig' } },
        },
        { id: 'own', type: 'function', function: { name: 'the.weather', arguments: '{}' } },
      ],
    })
    expect(reason).toBe('tool_calls')
  })

  test('has a call in the deprecated form if the client declared functions', () => {
    const { message, reason } = whole(upstreamResponse([{ functionCall: { name: 'go', args: {} } }], {}, stop), { callsFunctions: true })
    expect(message).toMatchObject({ function_call: { name: 'go', arguments: '{}' } })
    expect(reason).toBe('function_call')
  })

  test('has generated images, counted by number and as tokens of their own, and not those of its reasoning', () => {
    const inlineData = { mimeType: 'image/png', data: 'AA==' }
    const usageMetadata = {
      promptTokenCount: 9,
      candidatesTokenCount: 1_130,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
    }
    const { message, usage } = whole(
      upstreamResponse([{ inlineData, thought: true }, { text: 'Here' }, { inlineData }], { usageMetadata }, stop),
    )
    expect(message).toMatchObject({ content: 'Here', images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] })
    expect(usage).toMatchObject({ completionTokens: 1_130, imageOutputTokens: 1_120, images: 1 })
  })

  test.each([
    ['gemini-3.8-flash', 3],
    ['gemini-2.5-flash', 1],
  ])('of %s that searched for images has %d searches to pay', (modelVersion, searches) => {
    for (const groundingMetadata of [{ webSearchQueries: ['a'], imageSearchQueries: ['b', 'c'] }, { imageSearchQueries: ['a', 'b', 'c'] }])
      expect(whole(upstreamResponse([{ text: 'a' }], { modelVersion }, { ...stop, groundingMetadata })).usage?.searches).toBe(searches)
  })

  test.each([
    ['gemini-3.8-flash', 2],
    ['gemini-2.5-flash', 1],
  ])('of %s that searched has its sources, and %d searches to pay', (modelVersion, searches) => {
    const groundingMetadata = {
      webSearchQueries: ['a', 'b'],
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
      groundingSupports: [{ segment: { startIndex: 3, endIndex: 6, text: 'dry' }, groundingChunkIndices: [0] }],
    }
    const { message, usage } = whole(upstreamResponse([{ text: 'Ü dry' }], { modelVersion }, { ...stop, groundingMetadata }))
    expect(message).toMatchObject({
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 2, end_index: 5 } }],
    })
    expect(usage?.searches).toBe(searches)
  })

  test('has places of sources from the beginning of their parts, as the vendor counts them', () => {
    const support = (segment: JsonObject) => ({ segment, groundingChunkIndices: [0] })
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
      groundingSupports: [
        support({ startIndex: 0, endIndex: 2, text: 'Ü' }),
        support({ partIndex: 2, endIndex: 6, text: 'Second' }),
        support({ partIndex: 2, startIndex: 7, endIndex: 9, text: 'é' }),
        // Counted from the beginning of the text, or from that of a part that is not named.
        support({ partIndex: 2, startIndex: 3, endIndex: 8, text: 'first' }),
        support({ partIndex: 9, startIndex: 3, endIndex: 8 }),
      ],
    }
    const parts = [{ text: 'Ü first. ' }, { text: 'Hm.', thought: true }, { text: 'Second é' }]
    const places = [
      [0, 1],
      [9, 15],
      [16, 17],
      [2, 7],
      [2, 7],
    ]
    const annotations = places.map(([start_index, end_index]) => ({ url_citation: { start_index, end_index } }))
    const end = { ...stop, groundingMetadata }
    expect(whole(upstreamResponse(parts, {}, end)).message).toMatchObject({ annotations })
    // A part goes on in the next event.
    const events = [[{ text: 'Ü fir' }], [{ text: 'st. ' }], [{ text: 'Hm.', thought: true }], [{ text: 'Sec' }], [{ text: 'ond é' }]]
    const last = upstreamResponse([{ text: '' }], {}, end)
    expect(accumulate(streamed([...events.map((of) => upstreamResponse(of)), last]).chunks)).toMatchObject({ message: { annotations } })
  })

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['OTHER', 'content_filter'],
    ['IMAGE_OTHER', 'content_filter'],
    ['NO_IMAGE', 'stop'],
    ['OF_NEXT_YEAR', 'stop'],
  ])('that ends with %s ends with %s', (finishReason, expected) => {
    expect(whole(upstreamResponse([{ text: 'a' }], {}, { finishReason })).reason).toBe(expected)
    expect(streamed([upstreamResponse([{ text: 'a' }], {}, { finishReason })]).complete).toBe(true)
  })

  test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE'])(
    'that breaks off with %s has failed, whatever came before it, and costs what it has used',
    (finishReason) => {
      const parts = [{ text: 'I look.', thought: true }, { text: 'Here' }, { functionCall: { name: 'go', args: {} } }]
      for (const part of parts) {
        const counted = gemini.response(upstreamResponse([part], { usageMetadata: { promptTokenCount: 8 } }, { finishReason }), context)
        expect(counted).toMatchObject({ kind: 'unavailable', type: finishReason, unread: { usage: { promptTokens: 8 } } })
        const played = streamed([upstreamResponse([part], uncounted), upstreamResponse([], uncounted, { finishReason })])
        expect(played.failures).toMatchObject([{ kind: 'unavailable', unread: { usage: null, text: part.text ?? '{}' } }])
        expect(JSON.stringify(played.chunks.slice(0, -1))).not.toContain('"stop"')
      }
    },
  )

  test('without images and text has failed', () => {
    expect(gemini.response(upstreamResponse([], {}, { finishReason: 'NO_IMAGE' }), context)).toMatchObject({ kind: 'unavailable' })
  })

  test('to a prompt that was refused is filtered, and its prompt is charged', () => {
    const json = { promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'No.' }, usageMetadata: { promptTokenCount: 8 } }
    const { message, reason, usage } = whole(json)
    expect({ message, reason }).toEqual({ message: { role: 'assistant', content: '', refusal: 'No.' }, reason: 'content_filter' })
    expect(usage).toEqual({ ...noUsage, promptTokens: 8 })
  })

  test('that is a list of parts is joined', () => {
    expect(whole([upstreamResponse([{ text: 'a' }]), upstreamResponse([{ text: 'b' }], {}, stop)]).message).toEqual({
      role: 'assistant',
      content: 'ab',
    })
  })

  test('that is an error, broken or none is no response', () => {
    expect(gemini.response({ error: { code: 503, status: 'UNAVAILABLE', message: 'busy' } }, context)).toMatchObject({
      kind: 'unavailable',
    })
    expect(gemini.response(upstreamResponse([], {}, { finishReason: 'MALFORMED_FUNCTION_CALL' }), context)).toMatchObject({
      kind: 'unavailable',
    })
    for (const json of [{}, [], null, 'x', { candidates: [] }]) expect(gemini.response(json, context)).toBeNull()
  })

  test('with impossible counts is not charged by them', () => {
    const usages = [{ promptTokenCount: -1 }, { promptTokenCount: 1.5 }, { promptTokenCount: 5, cachedContentTokenCount: 9 }]
    for (const usageMetadata of usages)
      expect(whole(upstreamResponse([{ text: 'a' }], { usageMetadata }, stop)).usage).toMatchObject({ isSuspect: true, promptTokens: 0 })
  })
})

describe('a stream', () => {
  test('has the same content and usage as the whole response', () => {
    const parts = [
      { text: 'Hm', thought: true },
      { text: 'a' },
      { text: 'b', thoughtSignature: 's' },
      { functionCall: { name: 'go', args: { a: 1 } }, thoughtSignature: 't' },
    ]
    const { message, reason, usage } = whole(upstreamResponse(parts, {}, stop))
    const played = streamed([...parts.map((part) => upstreamResponse([part])), upstreamResponse([{ text: '' }], {}, stop)])
    const joined = accumulate(played.chunks)
    expect(joined['reasons']).toEqual([reason ?? null])
    expect(played).toMatchObject({ complete: true, failures: [], usage })
    const { tool_calls: calls, ...rest } = isObject(joined['message']) ? joined['message'] : {}
    const { tool_calls: expected, ...others } = isObject(message) ? message : {}
    expect(rest).toEqual(others)
    expect(Array.isArray(calls) ? calls.filter(isObject).map(({ index: _index, ...item }) => item) : calls).toEqual(expected)
  })

  test('that says with each part that it ends has all of its parts, and one end', () => {
    const usageMetadata = { promptTokenCount: 8, candidatesTokenCount: 3 }
    const parts = ['one ', 'two ', 'three'].map((text) => upstreamResponse([{ text }], { usageMetadata }, stop))
    const played = streamed([...parts, { usageMetadata }])
    expect(accumulate(played.chunks)).toEqual({ message: { role: 'assistant', content: 'one two three' }, reasons: ['stop'] })
    expect(played).toMatchObject({ text: 'one two three', complete: true, usage: { completionTokens: 3 } })
  })

  test('that is cut off is not complete', () => {
    expect(streamed([upstreamResponse([{ text: 'a' }])]).complete).toBe(false)
  })

  test('fails where an error comes in it', () => {
    const { failures } = streamed([
      upstreamResponse([{ text: 'a' }]),
      { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow down' } },
    ])
    expect(failures).toMatchObject([{ kind: 'rate_limited' }])
  })

  test('of garbage never throws, and is never counted', () => {
    const event = fc.oneof(
      fc.string(),
      anyJson().map((value) => JSON.stringify(value)),
      fc
        .tuple(anyJson(), anyJson())
        .map(([part, value]) =>
          JSON.stringify(
            upstreamResponse(
              isObject(part) ? [part, { functionCall: part }, { inlineData: part }] : [],
              { usageMetadata: value, promptFeedback: value },
              { groundingMetadata: value, finishReason: value },
            ),
          ),
        ),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), (events) => {
        const { usage, chunks } = play(gemini.stream(context), events)
        for (const tokens of countsOf(usage)) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
        expect(() => accumulate(chunks)).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })
})
