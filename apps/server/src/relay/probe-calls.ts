import { dialectOf } from '@sluice/vendors/dialects'
import type { JsonObject } from '@sluice/vendors/json'
import type { Kind } from '@sluice/vendors/kind'
import { kindOfModel } from '@sluice/vendors/model-kind'
import type { Vendor } from '@sluice/vendors/vendor'
import { speech, transcriptions } from './kinds/audio.ts'
import { chat } from './kinds/chat.ts'
import { images } from './kinds/images.ts'
import type { KindRules } from './kinds/kind-rules.ts'
import { completions, embeddings, moderations, rerank } from './kinds/text.ts'

/** What a test asks: the least that shows whether a model answers. */
export interface ProbeCall {
  readonly rules: KindRules
  readonly body: JsonObject
  /** A file that goes along in a form; `null`: the body is JSON. */
  readonly file: File | null
}

interface Row {
  readonly rules: KindRules
  readonly fields: JsonObject
  readonly file?: () => File
}

const chatRow: Row = { rules: chat, fields: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 16 } }

const rows: { readonly [K in Kind]?: Row } = {
  completions: { rules: completions, fields: { prompt: 'hi', max_tokens: 16 } },
  embeddings: { rules: embeddings, fields: { input: 'hi' } },
  moderations: { rules: moderations, fields: { input: 'hi' } },
  rerank: { rules: rerank, fields: { query: 'hi', documents: ['hello'] } },
  images: { rules: images, fields: { prompt: 'A dot', n: 1 } },
  speech: { rules: speech, fields: { input: 'hi', voice: 'alloy' } },
  transcriptions: { rules: transcriptions, fields: {}, file: halfASecondOfSilence },
}

/** By what the model is for, where its vendor can be asked that here; a chat otherwise. */
export function probeCall(vendor: Vendor, model: string): ProbeCall {
  const kind = kindOfModel(model)
  const row = dialectOf(vendor, kind) === null ? undefined : rows[kind]
  const { rules, fields, file } = row ?? chatRow
  return { rules, body: { model, ...fields }, file: file?.() ?? null }
}

/** A WAV file: 8,000 samples a second, one byte each, in which 128 is silence. */
function halfASecondOfSilence(): File {
  const samples = 4_000
  const head = Buffer.alloc(44)
  head.write('RIFF')
  head.writeUInt32LE(36 + samples, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(8_000, 24)
  head.writeUInt32LE(8_000, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples, 40)
  return new File([head, Buffer.alloc(samples, 128)], 'silence.wav', { type: 'audio/wav' })
}
