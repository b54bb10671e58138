import type { JsonObject } from '../json.ts'
import type { Vendor } from '../vendor.ts'

/** Models that refuse `max_tokens` and sampling settings (OpenAI, "Reasoning models", read 2026-11-21). */
const reasoningModel = /^(o[134](-|$)|gpt-5)/
const refusedByReasoning = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'logprobs', 'top_logprobs', 'logit_bias']
/** The chat variants of those families take the settings like older models. */
const chatVariant = /-chat-latest$|-search/

/** Source: OpenAI API reference, read 2026-11-21. */
export const openaiVendor: Vendor = {
  type: 1,
  name: 'OpenAI',
  color: 'green',
  speaks: { chat: 'openai' },
  baseUrl: 'https://api.openai.com',
  auth: 'bearer',
  keyHint: 'sk-...',
  streamUsage: true,
  models: [
    'gpt-5.6',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-5.5',
    'gpt-5.5-pro',
    'gpt-5.4',
    'gpt-5.4-mini',
    'gpt-5.4-nano',
    'gpt-5.4-pro',
    'gpt-5.3-chat-latest',
    'gpt-5.2',
    'gpt-5.2-pro',
    'gpt-5.1',
    'gpt-5.1-chat-latest',
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-nano',
    'gpt-5-chat-latest',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-nano',
    'gpt-4o',
    'gpt-4o-mini',
    'chatgpt-4o-latest',
    'o4-mini',
    'o3',
    'o3-mini',
    'o1',
    'gpt-4-turbo',
    'gpt-4',
    'gpt-3.5-turbo',
  ],
  patch: fitReasoningModel,
}

function fitReasoningModel(body: JsonObject): JsonObject {
  const { model, max_tokens: maxTokens, ...rest } = body
  if (typeof model !== 'string' || !reasoningModel.test(model) || chatVariant.test(model)) return body
  const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !refusedByReasoning.includes(name)))
  const limit = maxTokens === undefined || typeof body['max_completion_tokens'] === 'number' ? {} : { max_completion_tokens: maxTokens }
  return { model, ...kept, ...limit }
}
