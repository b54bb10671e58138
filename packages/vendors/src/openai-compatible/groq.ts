import { bearer } from '../auth.ts'
import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import type { Vendor } from '../vendor.ts'
import { developerToSystem, withMessages } from './messages.ts'

/** Source: Groq, "OpenAI compatibility", a stored copy read 2026-11-21; reasoning, speech and models as integrations list them. */
export const groq: Vendor = {
  type: 29,
  name: 'Groq',
  color: 'orange',
  group: 'global',
  dialects: { chat: 'openai', speech: 'openai', transcriptions: 'openai', translations: 'openai' },
  baseUrl: 'https://api.groq.com/openai',
  auth: bearer,
  keyHint: 'gsk_...',
  drop: ['logprobs', 'top_logprobs', 'logit_bias', 'top_k', 'n'],
  streamUsage: true,
  models: [
    'openai/gpt-oss-120b',
    'openai/gpt-oss-20b',
    'openai/gpt-oss-safeguard-20b',
    'qwen/qwen3.6-27b',
    'qwen/qwen3-32b',
    'llama-3.3-70b-versatile',
    'llama-3.1-8b-instant',
    'meta-llama/llama-4-scout-17b-16e-instruct',
  ],
  patch: (body) => withReasoningEffort(withMessages(body, (message) => developerToSystem(withoutName(message)))),
}

/** `messages[].name` is refused. */
function withoutName({ name: _name, ...message }: JsonObject): JsonObject {
  return message
}

/** `reasoning: { effort }`, which other vendors know, is `reasoning_effort` here. */
function withReasoningEffort(body: JsonObject): JsonObject {
  const { reasoning, ...rest } = body
  if (!isObject(reasoning)) return body
  return { ...(reasoning['effort'] === undefined ? {} : { reasoning_effort: reasoning['effort'] }), ...rest }
}
