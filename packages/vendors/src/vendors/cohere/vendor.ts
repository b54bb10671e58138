import { bearer } from '../../core/auth.ts'
import { asText } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { transcriptions } from '../../protocols/openai/audio.ts'
import { rerank } from '../../protocols/openai/unstreamed-kinds.ts'
import { cohere, cohereEmbeddings, cohereTextsMax } from './chat.ts'

/**
 * Source: docs.cohere.com, "Chat (v2)", "Embed (v2)", "Rerank (v2)", "Errors" and "Deprecations" (cohere-ai/cohere-developer-experience, August
 * 2026), stored copies read 2026-11-22. Models that ended on 2025-09-15 and 2026-04-04 are not listed. `logit_bias`, `parallel_tool_calls` and
 * `user` have no equal there and are left out.
 */
export const cohereVendor: Vendor = {
  type: 35,
  name: 'Cohere',
  color: 'violet',
  docs: {
    page: 'https://docs.cohere.com/reference/about',
    // It lists the parameters of OpenAI's chats that the vendor has not.
    chat: 'https://docs.cohere.com/docs/compatibility-api',
    pages: {
      'forced tool': 'https://docs.cohere.com/reference/chat',
      batches: 'https://docs.cohere.com/reference/create-batch',
    },
    untranslated: ['batches'],
  },
  group: 'global',
  dialects: { chat: cohere, embeddings: cohereEmbeddings, rerank: rerank, transcriptions: transcriptions },
  routes: { baseUrl: 'https://api.cohere.ai', paths: { rerank: '/v2/rerank', transcriptions: '/v2/audio/transcriptions' } },
  auth: bearer,
  key: { hint: 'Cohere API key' },
  failures: {
    498: 'bad_key',
    400: [[/^too many tokens/i, 'context_length']],
    422: [[/^too many tokens/i, 'context_length']],
    499: 'unavailable',
  },
  chat: { lacks: ['files in', 'audio in', 'videos in', 'web search'] },
  unsupported: unsupportedByKind({ transcriptions: refusedOfAudio }),
  embeddingInputs: { most: cohereTextsMax, isTextOnly: true },
  models: {
    names: [
      'command-a-plus-05-2026',
      'command-a-03-2025',
      'command-a-reasoning-08-2025',
      'command-a-vision-07-2025',
      'command-a-translate-08-2025',
      'command-r-plus-08-2024',
      'command-r-08-2024',
      'command-r7b-12-2024',
      'c4ai-aya-expanse-32b',
      'c4ai-aya-vision-32b',
      'embed-v4.0',
      'embed-english-v3.0',
      'embed-english-light-v3.0',
      'embed-multilingual-v3.0',
      'embed-multilingual-light-v3.0',
      'rerank-v4.0-pro',
      'rerank-v4.0-fast',
      'rerank-v3.5',
      'cohere-transcribe-03-2026',
    ],
  },
}

/** "Create a transcription", a stored copy read 2026-11-24: the response has the text alone. */
function refusedOfAudio({ response_format: format, timestamp_granularities: times, stream }: JsonObject): string | null {
  if (format !== undefined && format !== null && format !== 'json') return 'response_format'
  if (times !== undefined && times !== null) return 'timestamp_granularities'
  return asText(stream) === 'true' ? 'stream' : null
}
