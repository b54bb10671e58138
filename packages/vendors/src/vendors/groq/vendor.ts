import { bearer } from '../../core/auth.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Vendor } from '../../core/vendor.ts'
import { openaiBatches } from '../../protocols/batches/openai-forms.ts'
import { lowToHigh, modelOf, withEffort, withoutFields } from '../../protocols/compat/fields.ts'
import { developerToSystem, withMessages, withReasoningField } from '../../protocols/compat/messages.ts'
import { speech, transcriptions, translations } from '../../protocols/openai/audio.ts'
import { openai } from '../../protocols/openai/dialect.ts'

/**
 * "Structured outputs", JSON object mode: the prompt must ask for JSON (read 2026-11-29). Of reasoning it takes `reasoning` alone
 * (tashfeenahmed/freellmapi 1070, read 2026-11-30).
 */
const ownRules = [{ rule: 'json-word' }, { rule: 'without-members', members: ['reasoning_details'] }] as const

/**
 * Source: Groq, "OpenAI compatibility", "Reasoning", "Errors" and "Models", stored copies read 2026-11-21 and 2026-11-22. Several choices and log
 * probabilities are refused there. Its models search in forms of their own (`browser_search`, `compound_custom`), which are passed on; OpenAI's is
 * refused, because no response in a stream is documented to say how often they searched ("Built-in tools", a stored copy read 2026-11-23). "Deprecations", as Groq's
 * own changelog and langchain quote it, read 2026-11-25: Qwen3 32B and Llama 4 Scout ended on 2026-07-17, the other Llama models on 2026-08-16, but for
 * customers with a contract. They are no longer listed and keep their prices.
 */
export const groq: Vendor = {
  type: 29,
  name: 'Groq',
  color: 'orange',
  docs: {
    page: 'https://console.groq.com/docs/api-reference',
    // It lists the fields of OpenAI's chats that get an error 400.
    chat: 'https://console.groq.com/docs/openai',
    pages: {
      'files in': 'https://console.groq.com/docs/vision',
      'audio in': 'https://console.groq.com/docs/vision',
      batches: 'https://console.groq.com/docs/batch',
    },
  },
  group: 'global',
  // "Speech to text", read 2026-11-30.
  transcriptForms: () => ['json', 'verbose_json', 'text'],
  dialects: { chat: openai, speech: speech, transcriptions: transcriptions, translations: translations },
  // Half the price of synchronous calls ("Batch processing", a stored copy read 2026-11-27).
  batches: { factor: 0.5, form: openaiBatches },
  routes: { baseUrl: 'https://api.groq.com/openai' },
  auth: bearer,
  key: { hint: 'gsk_...', prefix: 'gsk_' },
  chat: {
    drop: ['logprobs', 'top_logprobs', 'logit_bias', 'top_k', 'n'],
    extras: ['reasoning_content'],
    streamUsage: true,
    takesFunctions: true,
    lacks: ['files in', 'audio in', 'videos in', 'web search'],
    patch: (body) => withLevel(withMessages(body, (message) => developerToSystem(withReasoningField(withoutFields(message, ['name']))))),
  },
  models: {
    names: [
      'openai/gpt-oss-120b',
      'openai/gpt-oss-20b',
      'openai/gpt-oss-safeguard-20b',
      'qwen/qwen3.8-27b',
      'qwen/qwen3.6-27b',
      'whisper-large-v3',
      'whisper-large-v3-turbo',
      'canopylabs/orpheus-v1-english',
      'canopylabs/orpheus-arabic-saudi',
    ],
    rulesFor: () => ownRules,
  },
  failures: {
    organization_restricted: 'bad_key',
    capacity_exceeded: 'unavailable',
    '498': 'unavailable',
    '424': 'unavailable',
    '400': [[/^organization has been restricted/i, 'bad_key']],
  },
}

/** `gpt-oss` has three levels of reasoning, Qwen is on or off, and other models refuse the field. */
function withLevel(body: JsonObject): JsonObject {
  const model = modelOf(body)
  if (model.includes('gpt-oss')) return withEffort(body, lowToHigh)
  if (!model.startsWith('qwen/')) return withoutFields(body, ['reasoning_effort', 'reasoning'])
  const on = { low: 'default', medium: 'default', high: 'default', xhigh: 'default', max: 'default' }
  return withEffort(body, { none: 'none', minimal: 'none', ...on })
}
