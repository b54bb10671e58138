import { bearer } from '../../core/auth.ts'
import { textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Vendor } from '../../core/vendor.ts'
import { withoutFields } from '../../protocols/compat/fields.ts'
import { withSystemRole } from '../../protocols/compat/messages.ts'
import { speech, transcriptions, translations } from '../../protocols/openai/audio.ts'
import { completions } from '../../protocols/openai/completions.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { images } from '../../protocols/openai/images.ts'
import { embeddings, rerank } from '../../protocols/openai/unstreamed-kinds.ts'
import { togetherBatches } from './batches.ts'

const audioFile = { speech, transcriptions, translations } as const

/**
 * Source: docs.together.ai, "Chat completions", "Error codes", "Images" and the quickstart of GLM-5.3, stored copies read 2026-11-22.
 * Its log probabilities have another form than OpenAI's, so requests for them are refused. Gemma 4 31B ended on 2026-09-15, as theopenco/llmgateway
 * 3889 has it, read 2026-11-25; it is not listed and keeps its price.
 */
export const together: Vendor = {
  type: 39,
  name: 'together.ai',
  color: 'orange',
  docs: {
    page: 'https://docs.together.ai/reference/',
    chat: 'https://docs.together.ai/reference/chat-completions',
    pages: { batches: 'https://docs.together.ai/docs/batch-inference' },
    untranslated: ['videos'],
  },
  group: 'global',
  // "Speech to text", named 2026-11-30.
  transcriptForms: () => ['json', 'verbose_json'],
  dialects: { chat: openai, completions, embeddings, images, rerank, ...audioFile },
  batches: { form: togetherBatches },
  routes: { baseUrl: 'https://api.together.xyz' },
  auth: bearer,
  key: { hint: 'tgp_v1_...', prefix: 'tgp_' },
  chat: {
    drop: ['logprobs', 'top_logprobs'],
    streamUsage: true,
    lacks: ['files in', 'web search'],
    patch: withSystemRole,
  },
  embeddingInputs: { isTextOnly: true },
  models: {
    names: [
      ...['zai-org/GLM-5.3', 'zai-org/GLM-5.3-Flash', 'zai-org/GLM-5.2'],
      'deepseek-ai/DeepSeek-V4.1-Flash',
      'deepseek-ai/DeepSeek-V4-Pro',
      'moonshotai/Kimi-K2.7-Code',
      'MiniMaxAI/MiniMax-M3',
      'Qwen/Qwen3.7-Max',
      'Qwen/Qwen3.7-Plus',
      'Qwen/Qwen3.5-397B-A17B',
      'meta-llama/Llama-3.3-70B-Instruct-Turbo',
      'nvidia/nemotron-3-ultra-550b-a55b',
      'intfloat/multilingual-e5-large-instruct',
      'openai/whisper-large-v3',
      'hexgrad/Kokoro-82M',
    ],
  },
  failures: {
    '402': 'no_quota',
    '403': 'context_length',
    '413': 'context_length',
    '422': [[/tokens (?:\+|and) [`']max_new_tokens[`'] must/i, 'context_length']],
    '524': 'unavailable',
  },
  patches: { images: ofImage },
}

/** A size is a width and a height there, and bytes are `base64`. */
function ofImage(body: JsonObject): JsonObject {
  const [, width, height] = /^(\d+)x(\d+)$/.exec(textOr(body['size'], '')) ?? []
  const sized = width === undefined ? {} : { width: Number(width), height: Number(height) }
  const bytes = body['response_format'] === 'b64_json' ? { response_format: 'base64' } : {}
  return { ...withoutFields(body, ['size', 'quality', 'style', 'user']), ...sized, ...bytes }
}
