import { bearer } from '../../core/auth.ts'
import { asNumber } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { modelOf, withoutFields } from '../../protocols/compat/fields.ts'
import { withPlainResults, withSystemRole, withTextRoles } from '../../protocols/compat/messages.ts'
import { withinRanges } from '../../protocols/compat/sampling.ts'
import { glmSpeech, glmSpeechRefused } from '../../protocols/media/glm-speech.ts'
import { speech, transcriptions } from '../../protocols/openai/audio.ts'
import { floatEmbeddings } from '../../protocols/openai/float-embeddings.ts'
import { images } from '../../protocols/openai/images.ts'
import { rerank } from '../../protocols/openai/unstreamed-kinds.ts'
import { openaiSearching } from '../../protocols/openai/with-web-search.ts'
import { responses } from '../../protocols/responses/native.ts'
import { stopsIn } from '../../protocols/shared/chat-parts.ts'
import { lackedIn } from '../../protocols/shared/feature-use.ts'
import { zhipuBatches } from './batches.ts'
import { seesParts, withOwnForm, withOwnSearch, withThinking } from './chat.ts'
import { zhipuFailures } from './failures.ts'
import { zhipuModerations } from './moderations.ts'
import { zhipuJwt } from './sign.ts'
import { makesVideos, zhipuVideos } from './videos.ts'

/**
 * Source: docs.bigmodel.cn and docs.z.ai, "Chat completion", "API code" and "Pricing", stored copies read 2026-11-22; "Create response"
 * (GLM-5.3 only), a stored copy, and "Thinking mode" and "Web search", as clients of August and September 2026 quote them, read 2026-11-23.
 * GLM-Z1 ended on 2025-11-15 ("Model overview", as wiseria-ai-labs/pie-ai-agent 106 quotes it, read 2026-11-25) and keeps its price.
 * Not offered: several choices and log probabilities; `seed` and the penalties only tune the sampling, so they are dropped.
 */
export const zhipu: Vendor = {
  type: 16,
  searchesAlways: true,
  name: 'Zhipu ChatGLM',
  nameZh: '智谱 ChatGLM',
  color: 'violet',
  docs: {
    page: 'https://docs.bigmodel.cn/cn/api/introduction',
    chat: 'https://docs.bigmodel.cn/api-reference/%E6%A8%A1%E5%9E%8B-api/%E5%AF%B9%E8%AF%9D%E8%A1%A5%E5%85%A8',
    pages: {
      realtime: 'https://docs.bigmodel.cn/cn/guide/models/sound-and-video/glm-realtime',
      batches: 'https://docs.bigmodel.cn/cn/guide/tools/batch',
    },
    // A session names its model in its events, and may change it there.
    untranslated: ['realtime'],
  },
  group: 'china',
  // "Speech to text" has no form, read 2026-11-30.
  transcriptForms: () => ['json'],
  dialects: {
    chat: openaiSearching,
    responses: (model) => (model === 'glm-5.3' ? responses : null),
    embeddings: floatEmbeddings,
    rerank: rerank,
    moderations: zhipuModerations,
    images: images,
    speech: speech,
    transcriptions: transcriptions,
  },
  tasks: { videos: (model) => (makesVideos(model) ? zhipuVideos : null) },
  // "Batch API", FAQ, a stored copy read 2026-11-27: half of the standard price.
  batches: {
    factor: 0.5,
    form: zhipuBatches,
    models: /^glm-(?:4(?:-(?:flash|air|plus|0520|air-250414|long|flashx-250414))?|4v(?:-plus-0111)?|3-turbo)$/i,
  },
  routes: {
    baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
    pathFor: (path, { channel, kind }) =>
      kind === 'responses' ? `${new URL(channel.baseUrl).origin}/api/v1/responses` : atRoot(path, channel.baseUrl),
  },
  // An account that bought a plan has chats only.
  optionalKinds: { responses: {} },
  auth: bearer,
  // The first interface took only a signed token; with this setting it is used in the present one, too.
  variant: ({ other, key, baseUrl }) => ({
    ...(other === 'jwt' && isPair(key) ? { auth: { signer: zhipuJwt } as const } : {}),
    ...(baseUrl.includes('/coding/') ? { dialects: ofPlans, tasks: {}, batches: undefined } : {}),
  }),
  key: { hint: 'id.secret', isOwn: (key) => isPair(key) },
  otherLabel: { en: 'Signature (jwt: a signed token instead of the key)', zh: '签名方式(填 jwt 则发送签名令牌而非密钥)' },
  chat: {
    drop: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'seed', 'top_k', 'parallel_tool_calls'],
    rename: { max_completion_tokens: 'max_tokens', user: 'user_id' },
    extras: ['reasoning_content'],
    streamUsage: true,
    patch: (body) =>
      withOwnSearch(withOwnForm(withThinking(withinRanges(withStops(withPlainResults(withTextRoles(withSystemRole(body)))), ranges)))),
  },
  failures: zhipuFailures,
  // An image comes as an address.
  patches: { images: (body) => withoutFields(body, ['response_format', 'n', 'style', 'background']), speech: glmSpeech },
  // Addresses as its guide for Claude Code and clients of 2026 name them, read 2026-11-24.
  messages: { hosts: /^(?:open\.bigmodel\.cn|api\.z\.ai)$/, path: '/api/anthropic/v1/messages', models: /^glm-(?:4\.[5-9]|[5-9])(?!.*v)/ },
  // docs.bigmodel.cn, "Text embedding", `input`, read 2026-11-30: 64 texts; of embedding-2 8K tokens, of which each text may have 512.
  embeddingInputs: { most: (model) => (model === 'embedding-2' ? 16 : 64), isTextOnly: true },
  unsupported: unsupportedByKind({
    chat: refusedBy,
    speech: glmSpeechRefused,
    images: ({ n, background }) => (asNumber(n) > 1 ? 'n' : background === 'transparent' ? 'background' : null),
  }),
  models: {
    names: [
      ...['glm-5.3', 'glm-5.3-flash', 'glm-5.3-flashx', 'glm-5.2', 'glm-5.1', 'glm-5', 'glm-5-turbo', 'glm-5v-turbo', 'glm-4.7'],
      ...['glm-4.7-flashx', 'glm-4.6', 'glm-4.6v', 'glm-4.5', 'glm-4.5-air', 'glm-4.5v', 'glm-4-plus', 'glm-4-air-250414', 'glm-4-long'],
      ...['embedding-3', 'embedding-2', 'rerank', 'moderation', 'cogview-4', 'glm-image', 'cogvideox-3', 'glm-tts', 'glm-asr-2512'],
    ],
  },
}

/** What plans for coding tools have. */
const ofPlans = { chat: openaiSearching } as const

const atRoot = (path: string, baseUrl: string): string =>
  /^https?:\/\/[^/]+$/.test(baseUrl) ? `/api/paas/v4${path.slice('/v1'.length)}` : path

const isPair = (key: string): boolean => /^[^.]+\.[^.]+$/.test(key)

const ranges = { temperature: [0, 1], top_p: [0.01, 1] } as const

/** Most stop words ("Chat completion" as clients of August 2026 quote it; one until then). */
const stopsMax = 4

function refusedBy(chat: JsonObject): string | null {
  const { n, logprobs, stop, tools, tool_choice: choice } = chat
  if (typeof n === 'number' && n > 1) return 'n'
  if (logprobs === true) return 'logprobs'
  if (stopsIn(stop).length > stopsMax) return 'stop'
  const lacked = lackedIn(chat, seesParts(modelOf(chat)) ? ['web search'] : ['files in'])
  if (lacked !== null) return lacked
  return tools !== undefined && choice !== undefined && choice !== null && choice !== 'auto' && choice !== 'none' ? 'tool_choice' : null
}

/** Words in a list; and tools that are not to be used are left out, because the vendor knows only `auto`. */
function withStops(body: JsonObject): JsonObject {
  const { stop, tool_choice: choice } = body
  const words = stopsIn(stop)
  const listed = words.length === 0 ? withoutFields(body, ['stop']) : { ...body, stop: words }
  const rest = withoutFields(listed, ['n', 'logprobs', 'top_logprobs'])
  return choice === 'none' ? withoutFields(rest, ['tools', 'tool_choice']) : rest
}
