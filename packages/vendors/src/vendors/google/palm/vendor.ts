import type { Vendor } from '../../../core/vendor.ts'
import { palm } from './chat.ts'

/** Source: PaLM API reference, `generateMessage`, a copy of 2023. Google ended the service on 2024-08-15 ("PaLM API", a stored copy read 2026-11-23); its successor is Gemini. */
export const googlePalm2: Vendor = {
  type: 11,
  name: 'Google PaLM2',
  color: 'grey',
  docs: { page: 'https://ai.google.dev/palm_docs', chat: 'https://ai.google.dev/api/palm', untranslated: ['embeddings', 'model list'] },
  group: 'global',
  dialects: { chat: palm },
  routes: { baseUrl: 'https://generativelanguage.googleapis.com' },
  auth: { header: 'x-goog-api-key' },
  key: { hint: 'AIza...' },
  chat: { lacks: ['web search'] },
  models: { names: ['PaLM-2'] },
}
