import type { VendorDialects } from '../core/dialects-of-vendor.ts'
import { speech, transcriptions, translations } from './openai/audio.ts'
import { completions, edits } from './openai/completions.ts'
import { openai } from './openai/dialect.ts'
import { imageEdits, images, imageVariations } from './openai/images.ts'
import { realtime } from './openai/realtime.ts'
import { embeddings, moderations, rerank } from './openai/unstreamed-kinds.ts'
import { responses } from './responses/native.ts'

/** All kinds that OpenAI and fully compatible servers support. */
export const everyKind = {
  chat: openai,
  completions,
  edits,
  embeddings,
  moderations,
  rerank,
  images,
  'image-edits': imageEdits,
  'image-variations': imageVariations,
  speech,
  transcriptions,
  translations,
  responses,
  realtime,
} as const satisfies VendorDialects
