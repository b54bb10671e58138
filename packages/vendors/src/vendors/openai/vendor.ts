import { bearer } from '../../core/auth.ts'
import type { CallForm } from '../../core/call-form.ts'
import type { ChatDialect } from '../../core/dialect.ts'
import { openaiInputsMax } from '../../core/embedding-inputs.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { RequestRule } from '../../core/request-rule.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { askDashboard } from '../../protocols/balances/shapes.ts'
import { openaiBatches } from '../../protocols/batches/openai-forms.ts'
import { openaiIds } from '../../protocols/calls/call-ids.ts'
import { openaiSchemas } from '../../protocols/calls/tool-schemas.ts'
import { modelOf } from '../../protocols/compat/fields.ts'
import { everyKind } from '../../protocols/every-kind.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { separatesFunctions, withLevelOfModel } from '../../protocols/openai/effort.ts'
import { openaiVideos } from '../../protocols/openai/videos.ts'
import { openaiThinking } from '../../protocols/responses/reasoning-chats.ts'
import { isReasoningModel } from '../../protocols/shared/output-limit.ts'

export const openaiCalls: CallForm = { ids: openaiIds, schemas: openaiSchemas }

/**
 * Source: OpenAI API reference, "Chat completions" and "Models", read 2026-11-25; without models of the Responses API only (`-pro`), and without
 * those that were shut down ("Deprecations"; on 2026-07-23 and 2026-08-10 the chat models of GPT-5 to 5.3, on 2026-10-23 GPT-4, GPT-3.5 Turbo, o1, o3-mini,
 * o4-mini), which keep their prices. GPT-5 and o3 end on 2026-12-11, GPT-4o and GPT-4.1 on 2027-01-14.
 */
export const openaiVendor: Vendor = {
  type: 1,
  name: 'OpenAI',
  color: 'green',
  docs: {
    page: 'https://developers.openai.com/api/reference',
    pages: { batches: 'https://developers.openai.com/api/docs/guides/batch' },
    without: ['rerank'],
  },
  group: 'global',
  // OpenAI, "Create a model response": `max_tool_calls`; named 2026-11-30.
  limitsToolCalls: true,
  dialects: { ...everyKind, chat: chatDialectOf },
  tasks: { videos: openaiVideos },
  // Half ("Batch API FAQ", a stored copy read 2026-11-27).
  batches: { factor: 0.5, form: openaiBatches },
  routes: { baseUrl: 'https://api.openai.com' },
  auth: bearer,
  key: { hint: 'sk-...' },
  askBalance: askDashboard,
  balance: { unit: '$' },
  // Many channels of this type lead to servers of others that speak OpenAI's chats.
  optionalKinds: { responses: { chat: openai } },
  // "Create transcription", `response_format`, API reference, read 2026-11-30.
  transcriptForms: transcriptFormsOf,
  embeddingInputs: { most: openaiInputsMax },
  // "Compact a response", API reference, read 2026-11-30.
  compactsResponses: true,
  chat: {
    streamUsage: true,
    takesFunctions: true,
    calls: openaiCalls,
    lacksFor: (model) => (ownModel.test(model) ? partsLacked : noneLacked),
    patch: (body) => withoutRefused(withCompletionLimit(withLevelOfModel(body))),
  },
  models: {
    names: [
      'gpt-6.2-astra',
      'gpt-6.2-sol',
      'gpt-6.1-sol',
      'gpt-6.1-terra',
      'gpt-6-astra',
      'gpt-6-sol',
      'gpt-6-luna',
      'gpt-5.6',
      'gpt-5.6-sol',
      'gpt-5.6-terra',
      'gpt-5.6-luna',
      'gpt-5.5',
      'gpt-5.5-2026-04-23',
      'chat-latest',
      'gpt-5.4',
      'gpt-5.4-mini',
      'gpt-5.4-nano',
      'gpt-5.2',
      'gpt-5.1',
      'gpt-5',
      'gpt-5-mini',
      'gpt-5-nano',
      'o3',
      'gpt-4.1',
      'gpt-4.1-mini',
      'gpt-4o',
      'gpt-4o-mini',
      ...['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002', 'omni-moderation-latest'],
      ...['gpt-image-2.6-sunburst', 'gpt-image-2.6-flare', 'gpt-image-2'],
      ...['gpt-4o-mini-tts', 'tts-1', 'tts-1-hd', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'whisper-1'],
    ],
    rulesFor: openaiRulesFor,
  },
  unsupported: unsupportedByKind({ chat: changing }),
  patches: { responses: withLevelOfModel },
}

/** What OpenAI's models write transcripts in: whisper in everything, later ones in JSON alone, and words alone with the speakers. */
export function transcriptFormsOf(model: string): readonly string[] | null {
  if (!/^gpt-4o(?:-mini)?-transcribe/.test(model)) return null
  return model.includes('-diarize') ? ['json', 'text', 'diarized_json'] : ['json']
}

/** The newest models get chats with functions as responses. */
export function chatDialectOf(model: string): ChatDialect {
  return separatesFunctions(model) ? openaiThinking : openai
}

/** Messages of the assistant have no reasoning ("Create chat completion", `messages`, read 2026-11-30). */
const noReasoning: RequestRule = {
  rule: 'without-members',
  members: ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking_blocks'],
}
/** Of other vendors behind this interface, some want their reasoning back. */
const isOfOpenAI = /^(?:ft:)?(?:gpt-(?!oss)|chatgpt-|chat-latest|o\d)/

const foreign: readonly RequestRule[] = [{ rule: 'json-word' }]
const always: readonly RequestRule[] = [...foreign, noReasoning]
/** Parts that OpenAI's chats do not have ("Create chat completion", `messages`, and "File inputs", read 2026-11-30). Other servers at its channels may, with models of other names. */
const partsLacked = ['files by address', 'audio by address', 'videos in'] as const
const noneLacked: readonly [] = []
const ownModel = /^(?:ft:)?(?:gpt-|o\d|chatgpt-|chat-latest|codex-)/

/**
 * Models that reason have no stop sequences ("Create chat completion", `stop`, of o3 and o4-mini; langgenius/dify 18971, huggingface/smolagents 1671
 * and 1895 of o4-mini and GPT-5 to 5.2, read 2026-11-29).
 */
const reasoning: readonly RequestRule[] = [...always, { rule: 'without', parameter: 'stop' }]

/** What OpenAI's models do not take, wherever they are served. JSON wants its word ("JSON mode", read 2026-11-29). */
export function openaiRulesFor(model: string): readonly RequestRule[] {
  if (isReasoningModel(model)) return reasoning
  return isOfOpenAI.test(model) ? always : foreign
}

const searching = /-search-(?:preview|api)/

const sampling = ['temperature', 'top_p']
const probabilities = ['logprobs', 'top_logprobs']
const penalties = ['presence_penalty', 'frequency_penalty', 'logit_bias']

/** Reasoning models refuse `max_tokens`, because the limit includes reasoning (OpenAI, "Reasoning models", read 2026-11-21). */
function withCompletionLimit(body: JsonObject): JsonObject {
  if (body['max_tokens'] === undefined || !isReasoningModel(modelOf(body))) return body
  const { max_tokens: limit, ...rest } = body
  return { ...rest, max_completion_tokens: body['max_completion_tokens'] ?? limit }
}

function withoutRefused(body: JsonObject): JsonObject {
  const own = refusedBy(modelOf(body), body['reasoning_effort'] === 'none')
  // `none` is the default.
  const refused = own.length === 0 || body['logprobs'] === true ? own : [...own, ...probabilities]
  return refused.length === 0 ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !refused.includes(name)))
}

/** What some models refuse, and what would change the response if it were left out. */
function changing(body: JsonObject): string | null {
  const { n, logprobs, reasoning_effort: effort } = body
  const model = modelOf(body)
  if (searching.test(model)) return typeof n === 'number' && n > 1 ? 'n' : null
  return logprobs === true && reasons(model, effort) ? 'logprobs' : null
}

/** Models from GPT-5.1 on reason only on request ("GPT-5.1 parameter compatibility", a stored copy read 2026-11-21). */
function reasons(model: string, effort: Json | undefined): boolean {
  return isReasoningModel(model) && (/^gpt-5\.\d/.test(model) ? (effort ?? 'none') !== 'none' : effort !== 'none')
}

const nothing: readonly string[] = []

/** @param isQuick reasoning is off: later models then accept sampling settings (OpenAI, "GPT-5.1 parameter compatibility") */
function refusedBy(model: string, isQuick: boolean): readonly string[] {
  if (searching.test(model)) return [...sampling, 'presence_penalty', 'frequency_penalty']
  if (!isReasoningModel(model)) return nothing
  return isQuick ? penalties : [...sampling, ...penalties]
}
