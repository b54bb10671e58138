import type { JsonObject } from '../core/json.ts'
import { kindOf, type ModelKind } from '../core/kind-of.ts'
import type { Vendor } from '../core/vendor.ts'
import { dialectOf } from './dialect-of.ts'

/** A request that tests whether a channel works. */
export interface ProbeRequest {
  readonly kind: ModelKind
  /** A transcription also needs an audio file. */
  readonly body: JsonObject
}

/** The cheapest request of each kind. */
const bodies: Readonly<Record<ModelKind, JsonObject>> = {
  chat: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 16 },
  completions: { prompt: 'hi', max_tokens: 16 },
  responses: { input: 'hi', max_output_tokens: 16, store: false },
  embeddings: { input: 'hi' },
  moderations: { input: 'hi' },
  rerank: { query: 'hi', documents: ['hi'] },
  images: { prompt: 'a dot', n: 1 },
  speech: { input: 'hi', voice: 'alloy' },
  transcriptions: { response_format: 'json' },
}

/** Fields by model that are required or make it cheaper. Sizes: OpenAI API reference, "Images"; voices: integrations; read 2026-11-21. */
const particulars: ReadonlyArray<readonly [RegExp, JsonObject]> = [
  [/dall-e-2/, { size: '256x256' }],
  [/gpt-image/, { size: '1024x1024', quality: 'low' }],
  [/playai-tts/, { voice: 'Fritz-PlayAI' }],
  [/orpheus/, { voice: 'troy', response_format: 'wav' }],
]

/** The test request for a model: of the model's kind, or a chat if the vendor does not have that kind. */
export function probeRequest(vendor: Vendor, model: string): ProbeRequest {
  const named = kindOf(model)
  const kind = dialectOf(vendor, named) === null ? 'chat' : named
  const own = kind === 'chat' ? undefined : particulars.find(([form]) => form.test(model))?.[1]
  return { kind, body: { ...bodies[kind], ...own, model } }
}
