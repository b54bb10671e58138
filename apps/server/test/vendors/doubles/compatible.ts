import { json } from '../../fake-upstream.ts'
import { type ScriptedError, sse, type VendorDouble } from '../vendor-double.ts'
import { openaiDouble } from './openai.ts'

/** An error, and the status that it has. */
type ErrorForm = readonly [status: number, type: string, message: string]

const moonshotErrors: Readonly<Record<ScriptedError, ErrorForm>> = {
  bad_key: [401, 'incorrect_api_key_error', 'Incorrect API key provided'],
  no_quota: [429, 'exceeded_current_quota_error', 'The account is suspended'],
  rate_limited: [429, 'rate_limit_reached_error', 'Too many requests'],
  unavailable: [429, 'engine_overloaded_error', 'The engine is overloaded'],
  model_not_found: [404, 'resource_not_found_error', 'The model was not found'],
  bad_request: [400, 'invalid_request_error', 'The temperature must be 1'],
  context_length: [400, 'invalid_request_error', 'Input token length too long'],
  content_policy: [400, 'content_filter', 'The request was considered high risk'],
}

/** OpenAI's wire with errors of its own: the status alone would mean something else. */
export const moonshotDouble: VendorDouble = {
  ...openaiDouble,
  name: 'a compatible vendor with errors of its own',
  type: 25,
  model: 'kimi-k3',
  error(what) {
    const [status, type, message] = moonshotErrors[what]
    return json({ error: { type, message } }, status)
  },
  errorFrame: () => sse([{ error: { type: 'engine_overloaded_error', message: 'The engine is overloaded' } }])[0] ?? null,
}

/** OpenAI's wire with content in parts and errors at the top of the body. */
export const mistralDouble: VendorDouble = {
  ...openaiDouble,
  name: 'a compatible vendor with content in parts',
  type: 28,
  model: 'mistral-medium-latest',
  whole(response) {
    const { text = '', reasoning, finish = 'stop' } = response
    if (reasoning === undefined) return openaiDouble.whole(response)
    const thinkingBlock = { type: 'thinking', thinking: [{ type: 'text', text: reasoning }] }
    const message = { role: 'assistant', content: [thinkingBlock, { type: 'text', text }] }
    const usage = { prompt_tokens: response.usage?.prompt ?? 1, completion_tokens: response.usage?.completion ?? 1 }
    return json({
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    })
  },
  stream(response) {
    const { reasoning } = response
    if (reasoning === undefined) return openaiDouble.stream(response)
    const { reasoning: _thought, ...rest } = response
    const delta = { role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: reasoning }] }] }
    const chunk = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] }
    const { contentType, frames } = openaiDouble.stream(rest)
    return { contentType, frames: [...sse([chunk]), ...frames] }
  },
  error(what) {
    const forms: Partial<Record<ScriptedError, ErrorForm>> = {
      bad_key: [401, 'unauthorized', 'Unauthorized'],
      rate_limited: [429, 'rate_limited', 'Rate limit exceeded'],
      unavailable: [429, 'service_tier_capacity_exceeded', 'The tier has no capacity'],
      model_not_found: [400, 'invalid_model', 'Invalid model: x'],
      bad_request: [400, 'invalid_request_error', 'Extra inputs are not permitted'],
      context_length: [400, 'invalid_request_error', 'Prompt contains 9 tokens, too large for model with 8 maximum context length'],
    }
    const [status, type, message] = forms[what] ?? []
    return status === undefined ? null : json({ object: 'error', message, type, param: null, code: null }, status)
  },
}
