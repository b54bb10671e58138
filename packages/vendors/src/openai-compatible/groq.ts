import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import type { Vendor } from '../vendor.ts'
import { developerToSystem } from './system-role.ts'

/** Source: Groq, "OpenAI compatibility" and "API reference", read 2026-11-21. */
export const groq: Vendor = {
  type: 29,
  name: 'Groq',
  color: 'orange',
  speaks: { chat: 'openai' },
  baseUrl: 'https://api.groq.com/openai',
  auth: 'bearer',
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
  patch: (body) => developerToSystem(withoutNames(body)),
}

/** `messages[].name` is refused. */
function withoutNames(body: JsonObject): JsonObject {
  const { messages } = body
  if (!Array.isArray(messages)) return body
  return {
    ...body,
    messages: messages.map((message) =>
      isObject(message) ? Object.fromEntries(Object.entries(message).filter(([key]) => key !== 'name')) : message,
    ),
  }
}
