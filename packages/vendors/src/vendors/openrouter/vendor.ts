import { bearer } from '../../core/auth.ts'
import { asText } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { askDifference } from '../../protocols/balances/shapes.ts'
import { openaiIds } from '../../protocols/calls/call-ids.ts'
import { withoutFields } from '../../protocols/compat/fields.ts'
import { speech, transcriptions } from '../../protocols/openai/audio.ts'
import { completions } from '../../protocols/openai/completions.ts'
import { images } from '../../protocols/openai/images.ts'
import { embeddings, rerank } from '../../protocols/openai/unstreamed-kinds.ts'
import { openaiSearching } from '../../protocols/openai/with-web-search.ts'
import { isWebSearch } from '../../protocols/shared/web-search.ts'
import { hasManyResults, openrouterChat } from './chat.ts'
import { openrouterFailures } from './failures.ts'
import { openrouterResponses } from './responses.ts'
import { openrouterVideos, videosAtOpenRouter } from './videos.ts'

/**
 * Source: OpenRouter, "API reference", "Errors and debugging" and "Streaming", stored copies read 2026-11-22; "Speech-to-Text" (also as OpenAI's
 * form, assemblyai.com, "OpenRouter"), "Text-to-Speech", `/rerank`, `/images` and `/videos` (its OpenAPI file), read 2026-11-27. Its list of models is longer than
 * this one; "fetch models" has it whole. It ignores fields that the model's provider does not have, so nothing is dropped here.
 */
export const openrouter: Vendor = {
  type: 20,
  name: 'proxy OpenRouter',
  nameZh: '代理 OpenRouter',
  color: 'violet',
  docs: {
    page: 'https://openrouter.ai/docs/api/reference/overview',
    pages: {
      // Its results are pages of one JSON object each, and not lines (read 2026-11-27).
      batches: 'https://openrouter.ai/docs/batch-quickstart',
    },
    untranslated: ['batches'],
  },
  group: 'proxies',
  // `STTRequest` of its API, read 2026-11-30.
  transcriptForms: () => ['json', 'verbose_json'],
  dialects: {
    ...{ chat: openaiSearching, completions: completions, embeddings: embeddings, rerank: rerank },
    ...{ images: images, speech: speech, transcriptions: transcriptions },
  },
  tasks: { videos: (model) => (videosAtOpenRouter(model) ? openrouterVideos : null) },
  routes: { baseUrl: 'https://openrouter.ai/api', paths: { images: '/v1/images' } },
  auth: bearer,
  key: { hint: 'sk-or-v1-...', prefix: 'sk-or-' },
  askBalance: askDifference('/v1/credits', { whole: ['data', 'total_credits'], used: ['data', 'total_usage'] }),
  chat: {
    extras: ['cache_control', 'images', 'reasoning_content', 'top_k'],
    streamUsage: true,

    // Its models of OpenAI have that vendor's limit (openclaw/openclaw 875, read 2026-11-30).
    calls: { ids: openaiIds },
    patch: openrouterChat,
  },
  reportsCost: true,
  responses: openrouterResponses,
  models: {
    names: [
      ...['openai/gpt-5.5', 'openai/gpt-5.4', 'openai/gpt-5.4-mini', 'openai/gpt-5.4-nano', 'openai/gpt-4o-mini'],
      'anthropic/claude-sonnet-5.5',
      'anthropic/claude-sonnet-5',
      'anthropic/claude-fable-5',
      'anthropic/claude-opus-4.8',
      'anthropic/claude-sonnet-4.6',
      'anthropic/claude-haiku-4.5',
      'google/gemini-3.5-flash',
      'google/gemini-3.1-pro-preview',
      'x-ai/grok-4.3',
      'deepseek/deepseek-v4-flash:free',
      ...['mistralai/mistral-large-2512', 'mistralai/mistral-medium-3-5', 'mistralai/mistral-small-2603'],
      'qwen/qwen3.7-plus',
      'qwen/qwen3.6-flash',
      'z-ai/glm-5',
      'perplexity/sonar-pro',
      ...[
        'google/veo-3.1',
        'google/veo-3.1-fast',
        'google/veo-3.1-lite',
        'kwaivgi/kling-v3.0-pro',
        'minimax/hailuo-3-max',
        'alibaba/wan-3.0',
      ],
      ...['cohere/rerank-v3.5', 'cohere/rerank-4-pro', 'cohere/rerank-4-fast'],
      ...['google/gemini-2.5-flash-image', 'google/gemini-3.1-flash-image', 'openai/gpt-5-image', 'bytedance-seed/seedream-4.5'],
      ...['black-forest-labs/flux.2-pro', 'black-forest-labs/flux.2-klein-4b'],
      ...['openai/gpt-4o-mini-tts-2025-12-15', 'mistralai/voxtral-mini-tts-2603', 'minimax/speech-2.8-turbo'],
      ...['openai/whisper-1', 'openai/gpt-4o-transcribe', 'openai/whisper-large-v3-turbo'],
    ],
  },
  failures: openrouterFailures,
  // The model decides whether it searches.
  unsupported: unsupportedByKind({
    chat: (body) => (isWebSearch(body['tool_choice'] ?? null) ? 'tool_choice' : hasManyResults(body) ? 'tools' : null),
    speech: ({ response_format: format }) => (['mp3', 'pcm'].includes(asText(format ?? 'mp3')) ? null : 'response_format'),
    // The price of these goes by the megapixel, and `size` says the same as this.
    images: ({ model, resolution }) => (resolution !== undefined && pricedByMegapixels.test(asText(model)) ? 'resolution' : null),
  }),
  // Images come as data; OpenAI's default of speech is `mp3`, the vendor's is `pcm`.
  patches: {
    images: imageParams,
    speech: (body) => ({ ...body, response_format: body['response_format'] ?? 'mp3' }),
  },
}

const pricedByMegapixels = /^black-forest-labs\//

/**
 * `size` is pixels or a step such as `2K`, in place of `resolution` and `aspect_ratio`, and must not contradict them ("Image generation", a stored
 * copy read 2026-11-27); OpenAI's `auto` is the model's own choice, as without it.
 */
function imageParams(body: JsonObject): JsonObject {
  return withoutFields(body, ['response_format', 'style', ...(body['size'] === 'auto' ? ['size'] : [])])
}
