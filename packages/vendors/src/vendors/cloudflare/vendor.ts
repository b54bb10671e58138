import { bearer } from '../../core/auth.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { embeddings } from '../../protocols/openai/unstreamed-kinds.ts'
import { responses } from '../../protocols/responses/native.ts'
import { cloudflareImages } from './images.ts'
import { askCloudflareModels } from './model-list.ts'
import { cloudflareRerank } from './rerank.ts'
import { cloudflareSpeech } from './speech.ts'
import { cloudflareTranscriptions, cloudflareTranslations } from './transcriptions.ts'

/**
 * Source: Cloudflare Workers AI, "OpenAI compatible API endpoints", "Errors" (2026-07-29) and "Models", stored copies read 2026-11-22, and the pages of
 * the models that draw, speak, transcribe and rank, which `ai/run` runs, read 2026-11-23. A base URL of the AI Gateway (`.../workers-ai`) works too.
 * Images are not edited: images that are sent have a price of their own, by the tile.
 */
export const cloudflare: Vendor = {
  type: 37,
  name: 'Cloudflare',
  color: 'orange',
  docs: {
    page: 'https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility',
    pages: { batches: 'https://developers.cloudflare.com/workers-ai/features/batch-api' },
    untranslated: ['batches'],
  },
  group: 'global',
  dialects: {
    chat: openai,
    embeddings: embeddings,
    images: cloudflareImages,
    rerank: cloudflareRerank,
    speech: cloudflareSpeech,
    transcriptions: cloudflareTranscriptions,
    // Of the other models that hear, no page says that they translate.
    translations: (model) => (model.endsWith('/whisper-large-v3-turbo') ? cloudflareTranslations : null),
    // Only these have an interface for responses.
    responses: (model) => (/\/gpt-oss-/.test(model) ? responses : null),
  },
  models: {
    ask: askCloudflareModels,
    names: [
      '@cf/openai/gpt-oss-120b',
      '@cf/openai/gpt-oss-20b',
      '@cf/meta/llama-4-scout-17b-16e-instruct',
      '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
      '@cf/meta/llama-3.1-8b-instruct-fp8',
      '@cf/zai-org/glm-5.3',
      '@cf/zai-org/glm-5.3-flash',
      '@cf/zai-org/glm-5.2',
      '@cf/zai-org/glm-4.7-flash',
      '@cf/moonshotai/kimi-k2.7-code',
      '@cf/qwen/qwen3.8-27b',
      '@cf/qwen/qwen3-30b-a3b-fp8',
      '@cf/mistralai/mistral-small-3.1-24b-instruct',
      '@cf/google/gemma-4-26b-a4b-it',
      '@cf/nvidia/nemotron-3-120b-a12b',
      '@cf/ibm-granite/granite-4.0-h-micro',
      '@cf/baai/bge-m3',
      '@cf/baai/bge-large-en-v1.5',
      '@cf/qwen/qwen3-embedding-0.6b',
      '@cf/baai/bge-reranker-base',
      '@cf/black-forest-labs/flux-1-schnell',
      '@cf/black-forest-labs/flux-2-dev',
      '@cf/black-forest-labs/flux-2-klein-4b',
      '@cf/leonardo/lucid-origin',
      '@cf/leonardo/phoenix-1.0',
      '@cf/deepgram/aura-1',
      '@cf/deepgram/aura-2-en',
      '@cf/deepgram/aura-2-es',
      '@cf/deepgram/nova-3',
      '@cf/openai/whisper',
      '@cf/openai/whisper-large-v3-turbo',
    ],
  },
  routes: { baseUrl: 'https://api.cloudflare.com/client/v4/accounts/{user_id}/ai' },
  auth: bearer,
  key: { hint: 'API token' },
  configFields: ['user_id'],
  chat: {
    drop: ['logit_bias', 'logprobs', 'top_logprobs', 'n', 'store', 'metadata', 'service_tier'],
    rename: { max_completion_tokens: 'max_tokens' },

    // Its own default truncates output after 256 tokens.
    patch: (body) => (typeof body['max_tokens'] === 'number' ? body : { ...body, max_tokens: 2_048 }),
    streamUsage: true,
    lacks: ['web search'],
  },
  unsupported: unsupportedByKind({
    chat: ({ n, logprobs }) => (typeof n === 'number' && n > 1 ? 'n' : logprobs === true ? 'logprobs' : null),
  }),
  failures: {
    // Neurons of the day are used up until midnight UTC: no retry helps, and nobody has to change the key.
    3036: 'plan_used_up',
    3040: 'unavailable',
    5007: 'model_not_found',
    5016: 'forbidden',
    5018: 'forbidden',
    3023: 'forbidden',
    3041: 'forbidden',
    3042: 'model_not_found',
    3007: 'unavailable',
    3008: 'unavailable',
    10000: 'bad_key',
    400: [[/context (?:window|length)|maximum context|tokens? .{0,200} exceed/i, 'context_length']],
    413: 'context_length',
  },
  // 100 texts a request (cloudflare/cloudflare-docs 11316, and the schema of `@cf/baai/bge-*`, read 2026-11-30).
  embeddingInputs: { most: 100, isTextOnly: true },
}
