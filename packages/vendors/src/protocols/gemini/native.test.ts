import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Target } from '../../core/request.ts'
import { vertexAi } from '../../vendors/google/vertexai/host.ts'
import { developerApi } from './host.ts'
import { generateAt } from './native.ts'

const channel: Target['channel'] = { baseUrl: 'https://g.example', other: '', key: 'k', config: {} }
const target = targetOf({ kind: 'generate', model: 'gemini-3.8-flash', channel })
const native = generateAt(developerApi)
const contents = [{ parts: [{ text: 'Hi' }] }]
const bodyOf = (body: JsonObject, more: Partial<Target> = {}) => native.request(body, { ...target, ...more }).body

describe('a request', () => {
  test('is sent as it came, to the path of the model, with a role where it has none', () => {
    const body = { contents, safetySettings: [{ category: 'c' }], tools: [{ urlContext: {} }] }
    expect(native.request(body, target)).toMatchObject({
      path: '/v1beta/models/gemini-3.8-flash:generateContent',
      body: { ...body, contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
    })
    expect(native.request(body, { ...target, stream: true }).path).toBe('/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse')
  })

  test('gets our limit only where the client named none, in either spelling', () => {
    expect(bodyOf({ contents, generation_config: { temperature: 1 } }, { outputLimit: 9 })).toMatchObject({
      generationConfig: { temperature: 1, maxOutputTokens: 9 },
    })
    expect(bodyOf({ contents, generationConfig: { max_output_tokens: 5 } }, { outputLimit: 9 })).toMatchObject({
      generationConfig: { max_output_tokens: 5 },
    })
  })

  test('has no service tier, whose price is not the one that is charged', () => {
    for (const name of ['serviceTier', 'service_tier'])
      expect(bodyOf({ contents, [name]: 'priority' })).toEqual({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })
  })

  test('is refused by name if it searches the map, which the vendor charges beside the tokens', () => {
    const refusedIn = (tools: JsonObject['tools']) => generateAt(developerApi).request({ contents, tools: tools ?? null }, target)
    expect(refusedIn([{ urlContext: {} }, { googleMaps: {} }])).toMatchObject({ refused: 'tools[1].googleMaps' })
    expect(refusedIn([{ google_maps: { enableWidget: true } }])).toMatchObject({ refused: 'tools[0].googleMaps' })
    for (const name of ['urlContext', 'codeExecution', 'fileSearch', 'googleSearch'])
      expect(refusedIn([{ [name]: {} }])).not.toHaveProperty('refused')
  })

  test.each([0, -1])('gets our limit in the place of %d, which means none', (none) => {
    for (const name of ['maxOutputTokens', 'max_output_tokens'])
      expect(bodyOf({ contents, generationConfig: { [name]: none, temperature: 1 } }, { outputLimit: 9 })['generationConfig']).toEqual({
        temperature: 1,
        maxOutputTokens: 9,
      })
  })

  test('keeps signatures, and has the one that is not checked where another vendor made the call', () => {
    const call = (name: string, more: JsonObject = {}) => ({ functionCall: { id: 'a', name, args: {} }, ...more })
    const turns = [
      { role: 'model', parts: [call('f', { thoughtSignature: 's' }), call('g')] },
      { role: 'model', parts: [{ text: 'x' }, call('f'), call('g')] },
    ]
    expect(bodyOf({ contents: turns })['contents']).toEqual([
      turns[0] ?? {},
      { role: 'model', parts: [{ text: 'x' }, call('f', { thoughtSignature: 'skip_thought_signature_validator' }), call('g')] },
    ])
    expect(bodyOf({ contents: turns }, { model: 'gemini-2.5-flash' })['contents']).toEqual(turns)
  })

  test('has no ids of calls where the host knows none', () => {
    const parts = [{ functionCall: { id: 'a', name: 'f', args: {} } }, { functionResponse: { id: 'a', name: 'f', response: {} } }]
    const body = generateAt(vertexAi).request({ contents: [{ role: 'user', parts }] }, { ...target, model: 'gemini-2.5-flash' }).body
    expect(JSON.stringify(body)).not.toContain('"id"')
  })

  test('that is refused for a signature is sent once more without any', () => {
    const failure = { kind: 'bad_request', message: 'Invalid thought signature.', type: null, param: null, code: null } as const
    const signed = { contents: [{ role: 'model', parts: [{ text: 'x', thoughtSignature: 's' }] }] }
    expect(native.retryWithout(signed, failure)).toEqual({ contents: [{ role: 'model', parts: [{ text: 'x' }] }] })
    expect(native.retryWithout({ contents }, failure)).toBeNull()
    expect(native.retryWithout(signed, { ...failure, message: 'too long' })).toBeNull()
  })
})

describe('a response', () => {
  const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 9 }
  const { response, event } = native.passthrough

  test('is read for its usage and text, calls and reasoning included', () => {
    const parts = [{ text: 'Hm.', thought: true }, { text: 'Hi.' }, { functionCall: { name: 'f', args: { a: 1 } } }]
    expect(response({ candidates: [{ content: { parts }, finishReason: 'STOP' }], usageMetadata })).toMatchObject({
      text: 'Hm.Hi.{"a":1}',
      usage: { promptTokens: 4, completionTokens: 5, reasoningTokens: 2 },
    })
  })

  test('that was refused for its prompt is a response, and an error within 200 is none', () => {
    expect(response({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata })).toMatchObject({ usage: { promptTokens: 4 }, text: '' })
    expect(response({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'slow' } })).toMatchObject({ kind: 'rate_limited' })
    expect(response({})).toBeNull()
    expect(response({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }] })).toMatchObject({ kind: 'unavailable' })
  })

  test('of a stream is finished by its reason', () => {
    const data = (value: JsonObject) => JSON.stringify(value)
    expect(event(data({ candidates: [{ content: { parts: [{ text: 'a' }] } }] }))).toMatchObject({
      text: 'a',
      finished: false,
      isEmpty: false,
    })
    expect(event(data({ candidates: [{ content: {}, finishReason: 'STOP' }], usageMetadata }))).toMatchObject({
      finished: true,
      usage: { completionTokens: 5 },
    })
    expect(event('garbage')).toMatchObject({ text: '', failure: null, finished: false })
    expect(event(data({ error: { code: 500, message: 'x' } })).failure).toMatchObject({ kind: 'unavailable' })
  })
})
