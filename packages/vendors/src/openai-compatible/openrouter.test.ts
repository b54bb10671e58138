import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../test/channel.ts'
import { buildRequest } from '../build-request.ts'
import { addressAt } from '../join-url.ts'
import type { JsonObject } from '../json.ts'
import type { Kind } from '../kind.ts'
import { openrouter } from './openrouter.ts'

function sent(kind: Kind, body: JsonObject, model = 'a/b') {
  const { vendor, facts } = exampleChannel(openrouter)
  const { path, ...rest } = buildRequest(vendor, body, { kind, model, stream: false, channel: facts })
  return { url: addressAt(facts.baseUrl, path), ...rest }
}

describe('the other calls of OpenRouter', () => {
  test.each([
    ['embeddings', 'embeddings'],
    ['rerank', 'rerank'],
    ['images', 'images'],
    ['speech', 'audio/speech'],
    ['transcriptions', 'audio/transcriptions'],
  ] as const)('%s are at %s', (kind, path) => {
    expect(sent(kind, {}).url).toBe(`https://openrouter.ai/api/v1/${path}`)
  })

  test('speech has OpenAI’s default format, and only formats that the vendor has', () => {
    expect(sent('speech', { input: 'Hi', voice: 'nova' }).body).toEqual({
      model: 'a/b',
      input: 'Hi',
      voice: 'nova',
      response_format: 'mp3',
    })
    expect(sent('speech', { response_format: 'pcm' })).toMatchObject({ body: { response_format: 'pcm' } })
    expect(sent('speech', { response_format: 'opus' }).refused).toBe('response_format')
    expect(sent('speech', {}).refused).toBeUndefined()
  })

  test('pictures come as data, so their form is not asked for', () => {
    expect(sent('images', { prompt: 'a cat', size: '1024x1024', response_format: 'b64_json' }).body).toEqual({
      model: 'a/b',
      prompt: 'a cat',
      size: '1024x1024',
    })
  })

  test('the size of a picture is sent as it is, but for OpenAI’s word for none', () => {
    expect(sent('images', { prompt: 'a cat', size: '2K', aspect_ratio: '16:9' }).body).toMatchObject({ size: '2K', aspect_ratio: '16:9' })
    expect(sent('images', { prompt: 'a cat', size: 'auto' }).body).toEqual({ model: 'a/b', prompt: 'a cat' })
  })

  test('a model that is priced by megapixels takes its size where the price reads it', () => {
    const model = 'black-forest-labs/flux.2-pro'
    expect(sent('images', { model, prompt: 'a cat', resolution: '4K' }, model).refused).toBe('resolution')
    expect(sent('images', { prompt: 'a cat', resolution: '4K' }).refused).toBeUndefined()
  })
})
