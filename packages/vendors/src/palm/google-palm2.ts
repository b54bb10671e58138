import type { Vendor } from '../vendor.ts'

/** Source: PaLM API reference, `generateMessage`, a copy of 2023. Google ended the service in 2024; its successor is Gemini. */
export const googlePalm2: Vendor = {
  type: 11,
  name: 'Google PaLM2',
  color: 'grey',
  docs: { page: 'https://developers.generativeai.google/guide/palm_api_overview', untranslated: ['embeddings', 'model list'] },
  group: 'global',
  dialects: { chat: 'palm' },
  baseUrl: 'https://generativelanguage.googleapis.com',
  auth: { header: 'x-goog-api-key' },
  keyHint: 'AIza...',
  streamUsage: false,
  models: ['PaLM-2'],
}
