import { bearer } from '../../core/auth.ts'
import { rootOf } from '../../core/join-url.ts'
import type { Json } from '../../core/json.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { askField, inUnitsOf } from '../../protocols/balances/shapes.ts'
import { oneModelBatches } from '../../protocols/batches/openai-forms.ts'
import { withSystemRole } from '../../protocols/compat/messages.ts'
import { glmSpeech, glmSpeechRefused } from '../../protocols/media/glm-speech.ts'
import { speech } from '../../protocols/openai/audio.ts'
import { completions } from '../../protocols/openai/completions.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { embeddings, rerank } from '../../protocols/openai/unstreamed-kinds.ts'
import { drawsAtNovita, novitaImageTasks } from './image-tasks.ts'
import { novitaSpeech, speaksAtNovita } from './speech.ts'
import { hearsAtNovita, novitaTranscriptions } from './transcriptions.ts'

/** Source: novita.ai/docs, "LLM API", "Errors" and the changelog, stored copies read 2026-11-22. */
export const novita: Vendor = {
  type: 41,
  name: 'Novita',
  color: 'purple',
  docs: {
    page: 'https://novita.ai/docs/api-reference',
    chat: 'https://novita.ai/docs/api-reference/model-apis-llm-create-chat-completion',
    // Stored copies read 2026-11-23.
    pages: {
      speech: 'https://novita.ai/docs/api-reference/model-apis-txt2speech',
      batches: 'https://novita.ai/docs/guides/llm-batch-api',
    },
    untranslated: ['videos'],
    // No readable page says what they cost there.
    otherModels: ['minimax-speech-2.8-turbo', 'glm-tts', 'glm-asr', 'qwen-image'],
  },
  group: 'global',
  dialects: {
    chat: openai,
    completions: completions,
    embeddings: embeddings,
    rerank: rerank,
    speech: (model) => (speaksAtNovita(model) ? novitaSpeech : isGlmSpeech(model) ? speech : null),
    transcriptions: (model) => (hearsAtNovita(model) ? novitaTranscriptions : null),
  },
  tasks: { pictures: (model) => (drawsAtNovita(model) ? novitaImageTasks : null) },
  batches: { form: oneModelBatches },
  routes: {
    baseUrl: 'https://api.novita.ai/openai',
    pathFor(path, { kind, model, channel: { baseUrl } }) {
      if (kind === 'speech' && isGlmSpeech(model)) return `${new URL(baseUrl).origin}/v3/glm-tts`
      // The older address has no version behind it.
      return baseUrl.endsWith('/v3/openai') && path.startsWith('/') ? baseUrl + path.replace(/^\/v1/, '') : path
    },
  },
  auth: bearer,
  key: { hint: 'sk_...' },
  // At the root of the host, in ten-thousandths of a dollar.
  askBalance: inUnitsOf(
    10_000,
    askField(({ baseUrl }) => `${rootOf(baseUrl)}/openapi/v1/billing/balance/detail`, 'availableBalance'),
  ),
  embeddingInputs: { isTextOnly: true },
  chat: { streamUsage: true, lacks: ['files in', 'web search'], patch: withSystemRole },
  models: {
    names: [
      'deepseek/deepseek-v4-pro',
      'deepseek/deepseek-v4-flash',
      'deepseek/deepseek-v3.2',
      'moonshotai/kimi-k3',
      'moonshotai/kimi-k2.7-code',
      'zai-org/glm-5.2',
      'zai-org/glm-5.1',
      'zai-org/glm-4.7',
      'minimax/minimax-m3',
      'minimax/minimax-m2.7',
      'qwen/qwen3.7-max',
      'qwen/qwen3.5-397b-a17b',
      'xiaomimimo/mimo-v2.5-pro',
      'stepfun/step-3.7-flash',
      'meta-llama/llama-3.3-70b-instruct',
      'google/gemma-4-31b-it',
    ],
  },
  // A 403 may concern the key, a right or the balance: its reason says which.
  failures: {
    FAILED_TO_AUTH: 'bad_key',
    INVALID_API_KEY: 'bad_key',
    NOT_ENOUGH_BALANCE: 'no_quota',
    MODEL_NOT_FOUND: 'model_not_found',
    RATE_LIMIT_EXCEEDED: 'rate_limited',
    SERVICE_NOT_AVAILABLE: 'unavailable',
    '400': [[/maximum context length|context length exceeded/i, 'context_length']],
  },
  patches: { speech: (body) => (isGlmSpeech(body['model']) ? glmSpeech(body) : body) },
  unsupported: unsupportedByKind({ speech: (body) => (isGlmSpeech(body['model']) ? glmSpeechRefused(body) : null) }),
}

const isGlmSpeech = (model: Json | undefined): boolean => model === 'glm-tts'
