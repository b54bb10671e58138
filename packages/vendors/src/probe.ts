import { dialectOf } from './dialects.ts'
import type { JsonObject } from './json.ts'
import { kindOf, type ModelKind } from './kind-of.ts'
import type { Vendor } from './vendor.ts'

/** A request that tells whether a channel works. */
export interface ProbeRequest {
  readonly kind: ModelKind
  /** A sound has to go with those that are written down. */
  readonly body: JsonObject
}

/** The least that can be asked of a model of each kind. */
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

/** What makes it less still, or is needed, by name. Sizes: OpenAI API reference, "Images"; voices: as integrations list them; both read 2026-11-21. */
const particulars: ReadonlyArray<readonly [RegExp, JsonObject]> = [
  [/dall-e-2/, { size: '256x256' }],
  [/gpt-image/, { size: '1024x1024', quality: 'low' }],
  [/playai-tts/, { voice: 'Fritz-PlayAI' }],
  [/orpheus/, { voice: 'troy', response_format: 'wav' }],
]

/** What a vendor is asked to see whether a model of it answers: by the kind of the model, or a chat where the vendor has no such kind. */
export function probeRequest(vendor: Vendor, model: string): ProbeRequest {
  const named = kindOf(model)
  const kind = dialectOf(vendor, named) === null ? 'chat' : named
  const own = kind === 'chat' ? undefined : particulars.find(([form]) => form.test(model))?.[1]
  return { kind, body: { ...bodies[kind], ...own, model } }
}
