import { bearer } from '../../core/auth.ts'
import { asText } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { effortIn, modelOf, withEffort, withoutFields, withoutThinking } from '../../protocols/compat/fields.ts'
import { developerToSystem, withMessages } from '../../protocols/compat/messages.ts'
import { withinRanges } from '../../protocols/compat/sampling.ts'
import { formatAsInstruction } from '../../protocols/compat/schema-as-instruction.ts'
import { forcesTool } from '../../protocols/compat/tool-choice.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { stopsIn } from '../../protocols/shared/chat-parts.ts'
import { minimaxEmbeddings } from './embeddings.ts'
import { minimaxFailures } from './failures.ts'
import { minimaxImages } from './images.ts'
import { minimaxSpeech } from './speech.ts'
import { minimaxTranscriptions } from './transcriptions.ts'
import { minimaxVideos, videosAtMinimax } from './videos.ts'

/**
 * Source: platform.minimaxi.com and platform.minimax.io, "Text: OpenAI compatible", "Speech: T2A v2", "Error codes", stored copies read
 * 2026-11-22; images as clients of 2026 ask for them. M3.1 Flash, which MiniMax serves at Alibaba Cloud, too: help.aliyun.com,
 * "MiniMax/MiniMax-M3.1-Flash", a stored copy read 2026-11-27. Embeddings need the group of the account (`other`). Not offered: several choices, log probabilities, a fixed seed.
 */
export const minimax: Vendor = {
  type: 27,
  name: 'MiniMax',
  color: 'red',
  docs: {
    page: 'https://platform.minimaxi.com/docs/api-reference/api-overview',
    chat: 'https://platform.minimaxi.com/docs/api-reference/text-openai-api',
    // A song comes with the response to its order, in a form of its own (its reference, read 2026-11-23).
    untranslated: ['songs'],
    // No readable page says what a transcript costs.
    otherModels: ['asr-1.0'],
  },
  group: 'china',
  dialects: {
    chat: openai,
    embeddings: minimaxEmbeddings,
    images: minimaxImages,
    speech: minimaxSpeech,
    transcriptions: minimaxTranscriptions,
  },
  tasks: { videos: (model) => (videosAtMinimax(model) ? minimaxVideos : null) },
  routes: {
    baseUrl: 'https://api.minimaxi.com/v1',

    // Hosts before 2025 have only the older path, with the same form.
    pathFor: (path, { channel, kind }) =>
      kind === 'chat' && channel.baseUrl.includes('api.minimax.chat') ? '/v1/text/chatcompletion_v2' : path,
  },
  auth: bearer,
  key: { hint: 'eyJ... / sk-api-...' },
  otherLabel: { en: 'Group id (for embeddings)', zh: 'GroupId(用于向量)' },
  chat: {
    drop: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'seed', 'n', 'logprobs', 'top_logprobs', 'top_k', 'parallel_tool_calls'],
    streamUsage: true,
    lacks: ['files in', 'audio in', 'web search'],
    patch: (body) =>
      withThinking(withOwnForm(withOwnTools(withinRanges(withMessages(body, developerToSystem), { temperature: [0.01, 1] })))),
  },
  failures: minimaxFailures,
  embeddingInputs: { isTextOnly: true },
  unsupported: unsupportedByKind({ chat: refusedBy }),
  models: {
    names: [
      ...[
        'MiniMax-M3.1-Flash',
        'MiniMax-M3',
        'MiniMax-M2.7',
        'MiniMax-M2.7-highspeed',
        'MiniMax-M2.5',
        'MiniMax-M2.5-highspeed',
        'MiniMax-M2.1',
        'MiniMax-M2',
      ],
      ...['MiniMax-M1', 'MiniMax-Text-01', 'embo-01', 'speech-2.8-turbo', 'speech-2.6-turbo'],
      ...['MiniMax-H3', 'MiniMax-Hailuo-2.3', 'MiniMax-Hailuo-2.3-Fast'],
    ],
  },
  // "Anthropic API compatible", a stored copy read 2026-11-24: stop sequences are left out, and a temperature is above 0.
  messages: {
    hosts: /^api\.minimaxi?\.(?:com|io)$/,
    path: '/anthropic/v1/messages',
    models: /^MiniMax-M(?:[2-9])/,
    ignores: ['stop_sequences'],
  },
  patches: { messages: (body) => withinRanges(body, { temperature: [0.01, 1] }) },
}

/** Its chats have no choice of a tool ("Text: OpenAI compatible", as the client of AgentScope reads the page in 2026, read 2026-11-23). */
function refusedBy(chat: JsonObject): string | null {
  const { n, logprobs, stop } = chat
  if (typeof n === 'number' && n > 1) return 'n'
  if (logprobs === true) return 'logprobs'
  // M3.1 Flash takes the words and does not stop at them.
  if (thinksAlways(chat) && stopsIn(stop).length > 0) return 'stop'
  return forcesTool(chat) ? 'tool_choice' : null
}

const thinksAlways = ({ model }: JsonObject): boolean => asText(model).startsWith('MiniMax-M3.1')

/** Levels of M3.1 Flash, which always thinks. */
const lowToMax = { none: 'low', minimal: 'low', low: 'low', medium: 'medium', high: 'high', xhigh: 'xhigh', max: 'max' } as const

/** Tools that are not to be used are left out. */
function withOwnTools(body: JsonObject): JsonObject {
  return withoutFields(body, body['tool_choice'] === 'none' ? ['tools', 'tool_choice'] : ['tool_choice'])
}

/** Only MiniMax-Text-01 has response formats; the others get them in the prompt. */
const withOwnForm = (body: JsonObject): JsonObject => (body['model'] === 'MiniMax-Text-01' ? body : formatAsInstruction(body))

/** Reasoning comes in a field of its own, instead of between `<think>` and `</think>` in the content. Thinking can be turned off for M3. */
function withThinking(body: JsonObject): JsonObject {
  const split = body['reasoning_split'] === undefined ? { ...body, reasoning_split: true } : body
  if (thinksAlways(body)) return withEffort(split, lowToMax)
  const effort = effortIn(body)
  const isOff = effort === 'none' && modelOf(body).startsWith('MiniMax-M3')
  return isOff ? withoutThinking(withoutFields(split, ['reasoning_effort', 'reasoning'])) : split
}
