import { expect, test } from 'bun:test'
import { kindOf, type ModelKind } from '../core/kind-of.ts'
import { vendorByType } from './list.ts'
import { probeRequest } from './probe.ts'

const models: Readonly<Record<ModelKind, readonly string[]>> = {
  chat: [
    'gpt-4o',
    'gpt-4o-audio-preview',
    'gpt-5-chat-latest',
    'claude-sonnet-4-5',
    'llama-3.1-8b-instruct',
    'o3',
    'gemini-2.5-pro',
    'codestral-latest',
    'an unknown one',
  ],
  completions: ['gpt-3.5-turbo-instruct', 'gpt-3.5-turbo-instruct-0914', 'davinci-002', 'babbage-002'],
  responses: ['o1-pro', 'gpt-5-pro', 'gpt-5.1-codex', 'gpt-5.1-codex-max', 'codex-mini-latest', 'o3-deep-research', 'computer-use-preview'],
  embeddings: ['text-embedding-3-small', 'text-embedding-ada-002', 'BAAI/bge-m3', 'voyage-3-lite', 'mistral-embed', 'nomic-embed-text'],
  moderations: ['omni-moderation-latest', 'text-moderation-stable'],
  rerank: ['rerank-english-v3.0', 'BAAI/bge-reranker-v2-m3', 'jina-reranker-v2-base-multilingual'],
  images: [
    'dall-e-2',
    'dall-e-3',
    'gpt-image-1',
    'chatgpt-image-latest',
    'imagen-4.0-generate-001',
    'black-forest-labs/FLUX.1-schnell',
    'flux-pro',
    'stable-diffusion-3-5-large',
    'sd3.5-large',
    'cogview-3',
    'step-image-edit-2',
    'step-2x-large',
  ],
  speech: ['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'gpt-4o-mini-tts-2025-12-15', 'playai-tts', 'canopylabs/orpheus-v1-english'],
  transcriptions: ['whisper-1', 'whisper-large-v3-turbo', 'gpt-4o-transcribe', 'gpt-4o-transcribe-diarize', 'qwen3-asr', 'SenseVoiceSmall'],
}

test.each(Object.entries(models))('names identify models for %s', (kind, named) => {
  expect(named.map((model) => [model, kindOf(model)])).toEqual(named.map((model) => [model, kind]))
})

test('a test request is the cheapest one of the kind of its model, or a chat if the vendor lacks the kind', () => {
  const probeOf = (type: number, model: string) => {
    const vendor = vendorByType(type)
    return vendor === null ? null : probeRequest(vendor, model)
  }
  expect(probeOf(1, 'dall-e-2')).toEqual({ kind: 'images', body: { model: 'dall-e-2', prompt: 'a dot', n: 1, size: '256x256' } })
  expect(probeOf(1, 'text-embedding-3-small')?.kind).toBe('embeddings')
  expect(probeOf(29, 'playai-tts')?.body).toEqual({ model: 'playai-tts', input: 'hi', voice: 'Fritz-PlayAI' })
  expect(probeOf(14, 'dall-e-2')).toEqual({
    kind: 'chat',
    body: { model: 'dall-e-2', messages: [{ role: 'user', content: 'hi' }], max_tokens: 16 },
  })
})
