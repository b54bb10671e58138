import { bearer } from '../../../core/auth.ts'
import { unsupportedByKind } from '../../../core/unsupported.ts'
import type { Vendor } from '../../../core/vendor.ts'
import { geminiRulesFor } from '../../../protocols/gemini/models.ts'
import { openai } from '../../../protocols/openai/dialect.ts'
import { searchParameter } from '../../../protocols/shared/web-search.ts'
import { isAccount, secretOf } from '../key.ts'
import { askGoogleToken } from '../service-account.ts'
import { isVeo } from '../veo/models.ts'
import { vertexAiVideos } from '../veo/videos.ts'
import { vertexAiGemini } from './chat.ts'
import { vertexAiClaude } from './claude.ts'
import { vertexAiImageEdits, vertexAiImages, vertexAiImageVariations, vertexAiSpeech } from './dialects.ts'
import { vertexAiEmbeddings, vertexTextsMax } from './embeddings.ts'
import { addressOf, isKey, placePath, regionalHost } from './host.ts'

/** Partners' models are named `publisher/model`, and are called as OpenAI's; so are Google's own under such a name. */
const isOpenModel = /^[^/]+\/[^/]+$/

/**
 * Source: Google Cloud, "Gemini Enterprise Agent Platform" (formerly Vertex AI): "Locations", "Authentication", "Partner models", stored
 * copies read 2026-11-22. Prices of some regions are a tenth higher. Not listed are Gemini 2.5, which ended there on 2026-10-20, and open models that ended
 * on 2026-10-21 ("Model versions" and "Deprecations", stored copies read 2026-11-25). They keep their prices.
 */
export const vertexAiVendor: Vendor = {
  type: 42,
  name: 'VertexAI',
  color: 'teal',
  docs: {
    // Stored copies read 2026-11-23 and 2026-11-27.
    page: 'https://docs.cloud.google.com/vertex-ai/docs/reference',
    chat: 'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference',
    pages: {
      songs: 'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/lyria-music-generation',
      batches: 'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/batch-prediction-gemini',
      realtime: 'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/live-api/get-started-websocket',
    },
    untranslated: ['songs', 'batches', 'realtime'],
  },
  group: 'global',
  dialects: {
    chat: (model) => (isOpenModel.test(model) ? openai : model.startsWith('claude') ? vertexAiClaude : vertexAiGemini),
    embeddings: vertexAiEmbeddings,
    speech: vertexAiSpeech,
    images: vertexAiImages,
    'image-edits': vertexAiImageEdits,
    'image-variations': vertexAiImageVariations,
  },
  tasks: { videos: (model) => (isVeo(model) ? vertexAiVideos : null) },
  routes: {
    // Videos may be in a bucket.
    keyHosts: ['googleapis.com'],
    baseUrl: regionalHost,
    addressFor: addressOf,
    pathFor: (path, { channel }) => (path === '/v1/chat/completions' ? `${placePath(channel)}/endpoints/openapi/chat/completions` : path),
  },
  auth: bearer,
  credential: askGoogleToken,
  variant: (channel) => (isAccount(secretOf(channel)) ? null : { auth: { header: 'x-goog-api-key' } }),
  key: {
    hint: 'region|project|{service account as JSON}, or region|project|API key',
    hintZh: 'region|project|{服务账号 JSON}，或 region|project|API 密钥',
    isValid: isKey,
    fields: ['region', 'vertex_ai_project_id', 'vertex_ai_adc'],
  },
  configFields: ['region', 'vertex_ai_project_id', 'vertex_ai_adc'],
  // Partners' models in OpenAI's form have no search; Gemini and Claude get it in their own.
  embeddingInputs: { most: vertexTextsMax, isTextOnly: true },
  models: {
    rulesFor: geminiRulesFor,
    names: [
      'gemini-4-argon',
      'gemini-3.8-flash',
      'gemini-3.6-flash',
      'gemini-3.5-flash',
      'gemini-3.5-flash-lite',
      'gemini-3.1-pro-preview',
      'gemini-3.1-flash-lite',
      'gemini-nano-banana-2.1',
      'gemini-3-pro-image',
      'gemini-3.1-flash-lite-image',
      'gemini-embedding-001',
      'gemini-embedding-2',
      'gemini-3.8-flash-tts',
      ...['veo-3.1-generate-001', 'veo-3.1-fast-generate-001'],
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'claude-fable-5-1',
      'claude-opus-5',
      'claude-sonnet-5',
      'claude-fable-5',
      'claude-opus-4-8',
      'claude-opus-4-7',
      'claude-opus-4-6',
      'claude-sonnet-4-6',
      'claude-opus-4-5@20251101',
      'claude-sonnet-4-5@20250929',
      'claude-haiku-4-5@20251001',
      'openai/gpt-oss-120b-maas',
    ],
  },
  unsupported: unsupportedByKind({ chat: searchParameter }),
  chat: { streamUsage: true },
  timeouts: { firstByteMs: 300_000, idleMs: 300_000 },
}
