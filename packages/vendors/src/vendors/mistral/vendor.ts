import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { transcriptions } from '../../protocols/openai/audio.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { embeddings } from '../../protocols/openai/unstreamed-kinds.ts'
import { mistralBatches } from './batches.ts'
import { mistralChat } from './chat.ts'
import { mistralFillIn } from './fill-in.ts'
import { mistralModerations } from './moderations.ts'
import { mistralSpeech } from './speech.ts'

/**
 * Source: docs.mistral.ai, "Chat completion", "Function calling", "Reasoning" and "Models", and mistralai/client-python, stored copies read
 * 2026-11-22. Fields that it does not know are rejected with 422. Completions fill in the middle, which only its models of code do; OCR and
 * agents have no form in OpenAI's API, and only agents and conversations search the web ("Connectors", a stored copy read 2026-11-23). Devstral 2
 * and Mistral Nemo ended on 2026-07-31 (mistralai/platform-docs-public 496, read 2026-11-25); they are not listed and keep their prices.
 */
export const mistral: Vendor = {
  type: 28,
  name: 'Mistral AI',
  color: 'orange',
  docs: {
    page: 'https://docs.mistral.ai/api',
    chat: 'https://docs.mistral.ai/api/endpoint/chat',
    pages: { batches: 'https://docs.mistral.ai/api/endpoint/batch' },
  },
  group: 'global',
  // "Audio transcriptions" has no form, read 2026-11-30.
  transcriptForms: () => ['json'],
  dialects: {
    chat: openai,
    completions: mistralFillIn,
    embeddings: embeddings,
    moderations: mistralModerations,
    speech: mistralSpeech,
    transcriptions: transcriptions,
  },
  // Half, as jeremylongshore/claude-code-plugins-plus-skills and theneuralbase.com, "Cost advantage of batch", have it; its own pages, where copies could be
  // read on 2026-11-27, say "at reduced cost".
  batches: { factor: 0.5, form: mistralBatches },
  routes: { baseUrl: 'https://api.mistral.ai' },
  auth: bearer,
  key: { hint: 'API key' },
  chat: {
    drop: ['top_k', 'logit_bias', 'logprobs', 'top_logprobs', 'user', 'store', 'service_tier', 'verbosity', 'stream_options'],
    rename: { seed: 'random_seed', max_completion_tokens: 'max_tokens' },
    lacks: ['videos in', 'web search'],
    patch: mistralChat,
  },
  // Error 3210 beyond 512 (raphaelmansuy/edgequake-llm 74, read 2026-11-30).
  embeddingInputs: { most: 512, isTextOnly: true },
  models: {
    names: [
      'mistral-large-4',
      'mistral-large-4-0',
      'mistral-large-2512',
      'mistral-large-latest',
      'mistral-medium-3-5',
      'mistral-medium-2604',
      'mistral-medium-latest',
      'mistral-small-2603',
      'mistral-small-latest',
      'ministral-14b-2512',
      'ministral-8b-2512',
      'ministral-3b-2512',
      'codestral-2508',
      'codestral-latest',
      'voxtral-small-2507',
      'voxtral-mini-transcribe-2602',
      'mistral-embed',
      'codestral-embed-2505',
    ],
  },
  failures: {
    // 1500: the name of the model is wrong or retired; 3505: the tier has no capacity left.
    '1500': 'model_not_found',
    invalid_model: 'model_not_found',
    service_tier_capacity_exceeded: 'unavailable',
    '3505': 'unavailable',
    '1300': 'rate_limited',
    '400': [[/too large for model|maximum context length/i, 'context_length']],
  },
}
