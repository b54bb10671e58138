import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import { addressAt } from '../../core/join-url.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { openrouter } from './vendor.ts'

function requestOf(kind: Kind, body: JsonObject, model = 'a/b') {
  const { vendor, facts } = exampleChannel(openrouter)
  const { path, ...rest } = buildRequest(vendor, body, { kind, model, stream: false, channel: facts })
  return { url: addressAt(facts.baseUrl, path), ...rest }
}

test.each([
  ['anthropic/claude-sonnet-5', 'native'],
  ['deepseek/deepseek-v4-flash', 'cloudflare-ai'],
  ['a/b', 'cloudflare-ai'],
])('%s reads documents without a charge by the page', (model, engine) => {
  const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } }
  const chat = (content: JsonObject[], more: JsonObject = {}) =>
    requestOf('chat', { messages: [{ role: 'user', content }], ...more }, model).body
  const healing = { id: 'response-healing' }
  const parser = { id: 'file-parser', pdf: { engine } }
  expect(chat([file], { plugins: [healing] })).toMatchObject({ plugins: [healing, parser] })
  expect(chat([file])).toMatchObject({ plugins: [parser] })
  const own = { id: 'file-parser', pdf: { engine: 'mistral-ocr' } }
  expect(chat([file], { plugins: [own] })).toMatchObject({ plugins: [own] })
  expect(chat([{ type: 'text', text: 'Hi' }])).not.toHaveProperty('plugins')
})

describe('the other calls of OpenRouter', () => {
  test.each([
    ['embeddings', 'embeddings'],
    ['rerank', 'rerank'],
    ['images', 'images'],
    ['speech', 'audio/speech'],
    ['transcriptions', 'audio/transcriptions'],
  ] as const)('%s are at %s', (kind, path) => {
    expect(requestOf(kind, {}).url).toBe(`https://openrouter.ai/api/v1/${path}`)
  })

  test('speech has OpenAI’s default format, and only formats that the vendor has', () => {
    expect(requestOf('speech', { input: 'Hi', voice: 'nova' }).body).toEqual({
      model: 'a/b',
      input: 'Hi',
      voice: 'nova',
      response_format: 'mp3',
    })
    expect(requestOf('speech', { response_format: 'pcm' })).toMatchObject({ body: { response_format: 'pcm' } })
    expect(requestOf('speech', { response_format: 'opus' }).refused).toBe('response_format')
    expect(requestOf('speech', {}).refused).toBeUndefined()
  })

  test('images come as data, so their form is not requested', () => {
    expect(requestOf('images', { prompt: 'a cat', size: '1024x1024', response_format: 'b64_json' }).body).toEqual({
      model: 'a/b',
      prompt: 'a cat',
      size: '1024x1024',
    })
  })

  test('the size of an image is sent as it is, but for OpenAI’s word for none', () => {
    expect(requestOf('images', { prompt: 'a cat', size: '2K', aspect_ratio: '16:9' }).body).toMatchObject({
      size: '2K',
      aspect_ratio: '16:9',
    })
    expect(requestOf('images', { prompt: 'a cat', size: 'auto' }).body).toEqual({ model: 'a/b', prompt: 'a cat' })
  })

  test('a model that is priced by megapixels takes its size where the price reads it', () => {
    const model = 'black-forest-labs/flux.2-pro'
    expect(requestOf('images', { model, prompt: 'a cat', resolution: '4K' }, model).refused).toBe('resolution')
    expect(requestOf('images', { prompt: 'a cat', resolution: '4K' }).refused).toBeUndefined()
  })
})
