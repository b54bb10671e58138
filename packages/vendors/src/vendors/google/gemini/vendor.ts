import type { Vendor } from '../../../core/vendor.ts'
import { gemini } from '../../../protocols/gemini/dialect.ts'
import { geminiEmbeddings, geminiTextsMax } from '../../../protocols/gemini/embeddings.ts'
import { geminiRulesFor } from '../../../protocols/gemini/models.ts'
import { isLyria, lyriaSongs } from '../lyria/songs.ts'
import { isOmni } from '../omni/models.ts'
import { omniVideos } from '../omni/videos.ts'
import { isVeo } from '../veo/models.ts'
import { geminiVideos } from '../veo/videos.ts'
import { geminiImageEdits, geminiImages, geminiImageVariations, geminiSpeech } from './dialects.ts'

/**
 * Source: Gemini API, "Models", "Deprecations" and the pages of each feature, stored copies of October and November 2026, read
 * 2026-11-22. `gemini-3.7-flash` and `gemini-3.5-flash` are served by their successors; 2.5 Pro and Flash will be from 2026-12-01.
 */
export const geminiVendor: Vendor = {
  type: 24,
  name: 'Google Gemini',
  color: 'blue',
  docs: {
    page: 'https://ai.google.dev/api',
    // Its members are all settings of a chat; the newest models refuse several responses and log probabilities.
    chat: 'https://ai.google.dev/api/generate-content',
    // Stored copies read 2026-11-23 and 2026-11-27. A transcript is the response of a chat that hears.
    pages: {
      transcripts: 'https://ai.google.dev/gemini-api/docs/audio',
      batches: 'https://ai.google.dev/gemini-api/docs/batch-api',
      realtime: 'https://ai.google.dev/gemini-api/docs/live-api/get-started-websocket',
    },
    untranslated: ['batches', 'realtime'],
  },
  group: 'global',
  dialects: {
    chat: gemini,
    embeddings: geminiEmbeddings,
    speech: geminiSpeech,
    images: geminiImages,
    'image-edits': geminiImageEdits,
    'image-variations': geminiImageVariations,
  },
  tasks: {
    videos: (model) => (isVeo(model) ? geminiVideos : isOmni(model) ? omniVideos : null),
    songs: (model) => (isLyria(model) ? lyriaSongs : null),
  },
  routes: {
    // Its videos are behind addresses there.
    keyHosts: ['googleapis.com'],
    baseUrl: 'https://generativelanguage.googleapis.com',
  },
  auth: { header: 'x-goog-api-key' },
  key: { hint: 'AIza...' },
  otherLabel: { en: 'API version (v1beta if empty)', zh: 'API 版本（默认 v1beta）' },
  embeddingInputs: { most: geminiTextsMax, isTextOnly: true },
  models: {
    rulesFor: geminiRulesFor,
    names: [
      'gemini-4-argon',
      'gemini-3.8-flash',
      'gemini-3.7-flash',
      'gemini-3.6-flash',
      'gemini-3.5-flash',
      'gemini-3.5-flash-lite',
      'gemini-3.1-pro-preview',
      'gemini-3.1-pro-preview-customtools',
      'gemini-3.1-flash-lite',
      'gemini-3-flash-preview',
      'gemini-2.5-pro',
      'gemini-2.5-flash',
      'gemini-2.5-flash-lite',
      'gemini-embedding-001',
      'gemini-embedding-2',
      'gemini-3.8-flash-tts',
      'gemini-3.8-flash-lite-tts',
      'gemini-2.5-flash-preview-tts',
      'gemini-2.5-pro-preview-tts',
      'gemini-omni-1.1-flash',
      'gemini-omni-1.2-flash',
      'lyria-3-clip-preview',
      'lyria-3-pro-preview',
    ],
  },
  // Its largest models may think for minutes before the first word.
  timeouts: { firstByteMs: 300_000, idleMs: 300_000 },
}
