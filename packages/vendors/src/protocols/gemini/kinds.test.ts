import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import { cryptoFunctions } from '../../../test/crypto.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import { geminiEmbeddings } from './embeddings.ts'
import { developerApi } from './host.ts'
import { geminiImageEditsAt, geminiImagesAt } from './images.ts'
import { askGeminiModels } from './model-list.ts'
import { geminiSpeechAt } from './speech.ts'

const context: ResponseContext = { id: '', created: 1_700_000_000, model: 'm' }
const at = (model: string, params: object = {}) => targetOf({ model, kind: 'images', ...params })

describe('embeddings', () => {
  const target = targetOf({ model: 'gemini-embedding-001', kind: 'embeddings' })

  test('of all texts are one request, and come in their order', () => {
    const { path, body, echo } = geminiEmbeddings.request({ input: ['a', 'b'], dimensions: 768 }, target)
    expect(path).toBe('/v1beta/models/gemini-embedding-001:batchEmbedContents')
    const request = (text: string) => ({ model: 'models/gemini-embedding-001', content: { parts: [{ text }] }, outputDimensionality: 768 })
    expect(body).toEqual({ requests: [request('a'), request('b')] })
    const response = { embeddings: [{ values: [0.5, 1] }, { values: [2, 3] }], usageMetadata: { promptTokenCount: 4 } }
    expect(geminiEmbeddings.response?.(response, { ...context, echo })).toMatchObject({
      response: {
        object: 'list',
        data: [
          { index: 0, embedding: [0.5, 1] },
          { index: 1, embedding: [2, 3] },
        ],
        usage: { prompt_tokens: 4 },
      },
      usage: { promptTokens: 4 },
    })
  })

  test('are packed if the client wants them so, and are counted here if the vendor counts nothing', () => {
    const { echo } = geminiEmbeddings.request({ input: 'a', encoding_format: 'base64' }, target)
    const read = geminiEmbeddings.response?.({ embeddings: [{ values: [0.5, -2] }] }, { ...context, echo })
    expect(read).toMatchObject({
      response: { data: [{ embedding: Buffer.from(new Float32Array([0.5, -2]).buffer).toString('base64') }] },
      usage: null,
    })
  })

  test('of tokens, or of more texts than the vendor takes, are refused by name', () => {
    expect(geminiEmbeddings.request({ input: [1, 2] }, target).refused).toBe('input')
    expect(geminiEmbeddings.request({ input: Array.from({ length: 101 }, () => 'a') }, target).refused).toBe('input')
  })

  test('that are an error or none are no response', () => {
    expect(geminiEmbeddings.response?.({ error: { code: 400, message: 'no' } }, context)).toMatchObject({ kind: 'bad_request' })
    for (const json of [{}, { embeddings: [{}] }, { embeddings: [] }]) expect(geminiEmbeddings.response?.(json, context)).toBeNull()
  })
})

describe('speech', () => {
  const speech = geminiSpeechAt(developerApi)
  const data = Buffer.from([1, 2, 3, 4]).toString('base64')
  const spoken = (mimeType: string) => ({
    candidates: [{ content: { parts: [{ inlineData: { mimeType, data } }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 40 },
  })

  test('has OpenAI’s voices under names of the vendor, and instructions before the text', () => {
    const { body, path } = speech.request({ input: 'Hello', voice: 'alloy', instructions: 'Whisper' }, at('gemini-3.8-flash-tts'))
    expect(path).toBe('/v1beta/models/gemini-3.8-flash-tts:generateContent')
    expect(body).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Whisper:\nHello' }] }],
      generationConfig: { responseModalities: ['AUDIO'], speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } } },
    })
    expect(JSON.stringify(speech.request({ input: 'a', voice: 'Zubenelgenubi' }, at('m')).body)).toContain('Zubenelgenubi')
  })

  test('is a WAV file, or its samples alone', () => {
    const read = speech.response?.(spoken('audio/L16;codec=pcm;rate=24000'), context)
    if (read === null || read === undefined || !('bytes' in read)) throw new Error('no sound')
    const file = Buffer.from(read.bytes)
    expect([read.contentType, file.length, file.toString('latin1', 0, 4), file.readUInt32LE(24), file.readUInt32LE(40)]).toEqual([
      'audio/wav',
      48,
      'RIFF',
      24_000,
      4,
    ])
    expect(read.usage).toMatchObject({ promptTokens: 5, completionTokens: 40, audioOutputTokens: 40 })
    const { echo } = speech.request({ input: 'a', response_format: 'pcm' }, at('m'))
    expect(speech.response?.(spoken('audio/L16;rate=24000'), { ...context, echo })).toMatchObject({
      contentType: 'audio/pcm',
      bytes: new Uint8Array([1, 2, 3, 4]),
    })
    expect(speech.response?.(spoken('audio/wav'), context)).toMatchObject({ contentType: 'audio/wav', bytes: new Uint8Array([1, 2, 3, 4]) })
  })

  test.each([
    [{ response_format: 'mp3' }, 'response_format'],
    [{ speed: 2 }, 'speed'],
    [{ stream_format: 'sse' }, 'stream_format'],
  ])('with %j is refused by name', (more, field) => {
    expect(speech.request({ input: 'a', voice: 'alloy', ...more }, at('m')).refused).toBe(field)
  })

  test('that has no audio is tried elsewhere', () => {
    expect(speech.response?.({ candidates: [{ content: { parts: [{ text: 'Hm' }] } }] }, context)).toMatchObject({ kind: 'unavailable' })
    expect(speech.response?.({}, context)).toBeNull()
  })
})

describe('images', () => {
  const images = geminiImagesAt(developerApi)
  const inlineData = { mimeType: 'image/png', data: 'AA==' }

  test.each([
    [{ size: '1024x1536', quality: 'high' }, 'gemini-3-pro-image', { aspectRatio: '2:3', imageSize: '2K' }],
    [{ size: '1792x1024' }, 'gemini-3-pro-image', { aspectRatio: '16:9' }],
    [{ size: '1024x1024', quality: 'high' }, 'gemini-3.1-flash-lite-image', { aspectRatio: '1:1' }],
    [{ size: 'auto', quality: 'auto' }, 'gemini-3-pro-image', undefined],
    [{ aspect_ratio: '21:9', image_size: '4K' }, 'gemini-3-pro-image', { aspectRatio: '21:9', imageSize: '4K' }],
  ])('for %j at %s have the nearest form of the vendor', (body, model, imageConfig) => {
    const { generationConfig } = images.request({ prompt: 'a dot', ...body }, at(model)).body
    expect(generationConfig).toEqual({ responseModalities: ['TEXT', 'IMAGE'], ...(imageConfig === undefined ? {} : { imageConfig }) })
  })

  test('come as bytes with usage in OpenAI’s form', () => {
    const usageMetadata = {
      promptTokenCount: 6,
      candidatesTokenCount: 1_125,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1_120 }],
    }
    const response = { candidates: [{ content: { parts: [{ text: 'Here' }, { inlineData }] }, finishReason: 'STOP' }], usageMetadata }
    expect(images.response?.(response, context)).toMatchObject({
      response: {
        data: [{ b64_json: 'AA==' }],
        usage: { input_tokens: 6, output_tokens: 1_125, output_tokens_details: { image_tokens: 1_120, text_tokens: 5 } },
      },
      usage: { promptTokens: 6, imageOutputTokens: 1_120, images: 1 },
    })
  })

  test('that were not generated are the client’s error, with OpenAI’s code if the content was the reason', () => {
    const refused = { candidates: [{ finishReason: 'IMAGE_SAFETY' }] }
    expect(images.response?.(refused, context)).toMatchObject({ kind: 'bad_request', code: 'content_policy_violation' })
    expect(images.response?.({ promptFeedback: { blockReason: 'OTHER' } }, context)).toMatchObject({ code: 'content_policy_violation' })
    const response = { candidates: [{ content: { parts: [{ text: 'I would rather talk.' }] }, finishReason: 'STOP' }] }
    expect(images.response?.(response, context)).toMatchObject({ kind: 'bad_request', message: 'I would rather talk.', code: 'no_picture' })
    expect(images.response?.({}, context)).toBeNull()
  })

  test.each([
    [{ n: 2 }, 'n'],
    [{ response_format: 'url' }, 'response_format'],
    [{ background: 'transparent' }, 'background'],
    [{ output_format: 'webp' }, 'output_format'],
    [{ style: 'vivid' }, 'style'],
    [{ size: 'large' }, 'size'],
    [{ size: '0x1024' }, 'size'],
    [{ size: 1024 }, 'size'],
  ])('with %j are refused by name', (more, field) => {
    expect(images.request({ prompt: 'a', ...more }, at('gemini-3-pro-image')).refused).toBe(field)
  })

  test('are changed from files and from bytes, and a mask is refused', () => {
    const edits = geminiImageEditsAt(developerApi)
    const file = (name: string) => ({ name, fileName: 'a.png', contentType: 'image/png', bytes: new Uint8Array([1, 2, 3]) })
    const { body } = edits.request({ prompt: 'brighter' }, at('gemini-3-pro-image', { files: [file('image[]')] }))
    expect(body).toMatchObject({ contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'AQID' } }, { text: 'brighter' }] }] })
    expect(edits.request({ prompt: 'a' }, at('m', { files: [file('image'), file('mask')] })).refused).toBe('mask')
    const named = (url: string): JsonObject => ({ prompt: 'a', images: [{ image_url: url }] })
    expect(edits.request(named('data:image/png;base64,AA=='), at('m')).body).toMatchObject({
      contents: [{ parts: [{ inlineData }, { text: 'a' }] }],
    })
    expect(edits.request(named('https://a.example/a.png'), at('m')).refused).toBe('images')
  })
})

describe('the list of models', () => {
  const queryContext = {
    baseUrl: 'https://g.example',
    key: 'k',
    config: {},
    other: '',
    headers: { 'x-goog-api-key': 'k' },
    modelsPath: undefined,
    nowMs: 0,
    crypto: cryptoFunctions,
  }

  test('is read page by page', () => {
    expect(askGeminiModels(queryContext, [])).toMatchObject({ request: { url: 'https://g.example/v1beta/models?pageSize=1000' } })
    const first = { models: [{ name: 'models/a' }], nextPageToken: 'x/y' }
    expect(askGeminiModels(queryContext, [first])).toMatchObject({
      request: { url: 'https://g.example/v1beta/models?pageSize=1000&pageToken=x%2Fy' },
    })
    expect(askGeminiModels(queryContext, [first, { models: [{ name: 'models/b' }] }])).toEqual({ result: ['a', 'b'] })
    expect(askGeminiModels(queryContext, [{ error: { message: 'no' } }])).toEqual({ failed: 'no' })
  })
})
