import { bearer } from '../auth.ts'
import type { JsonObject } from '../json.ts'
import type { Vendor } from '../vendor.ts'
import { effortIn, lowHighMax, withEffort, withoutFields } from './fields.ts'
import { withPlainResults, withSystemRole } from './messages.ts'
import { withinRanges } from './sampling.ts'
import { schemaAsInstruction } from './schema-as-instruction.ts'
import { zhipuFailures } from './zhipu-failures.ts'

/**
 * Source: docs.bigmodel.cn and docs.z.ai, "Chat completion", "API code" and "Pricing", stored copies read 2026-11-22. Not offered: several
 * choices and log probabilities; `seed` and the penalties only tune the sampling, so they are dropped.
 */
export const zhipu: Vendor = {
  type: 16,
  name: 'Zhipu ChatGLM',
  nameZh: '智谱 ChatGLM',
  color: 'violet',
  docs: {
    page: 'https://docs.bigmodel.cn/cn/api/introduction',
    pages: { 'files in': 'https://docs.bigmodel.cn/api-reference/%E6%A8%A1%E5%9E%8B-api/%E5%AF%B9%E8%AF%9D%E8%A1%A5%E5%85%A8' },
    untranslated: ['moderation', 'realtime'],
  },
  group: 'china',
  dialects: {
    chat: 'openai',
    embeddings: 'openai-floats',
    rerank: 'openai',
    images: 'openai',
    speech: 'openai',
    transcriptions: 'openai',
  },
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  pathFor: (path, { channel }) => (/^https?:\/\/[^/]+$/.test(channel.baseUrl) ? `/api/paas/v4${path.slice('/v1'.length)}` : path),
  auth: bearer,
  // The first interface took only a signed token; with this setting it is used in the present one, too.
  variant: ({ other, key }) => (other === 'jwt' && isPair(key) ? { auth: { signer: 'zhipu-jwt' } } : null),
  keyHint: 'id.secret',
  otherLabel: { en: 'Signature (jwt: a signed token instead of the key)', zh: '签名方式(填 jwt 则发送签名令牌而非密钥)' },
  drop: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'seed', 'top_k', 'parallel_tool_calls'],
  rename: { max_completion_tokens: 'max_tokens', user: 'user_id' },
  failures: zhipuFailures,
  // A picture comes as an address.
  patches: { images: (body) => withoutFields(body, ['response_format', 'n', 'style', 'background']) },
  refusals: { images: ({ n, background }) => (Number(n) > 1 ? 'n' : background === 'transparent' ? 'background' : null) },
  streamUsage: true,
  // Files have an address there, and no content.
  lacks: ['files in'],
  refuses: refusedBy,
  models: [
    ...['glm-5.3', 'glm-5.3-flash', 'glm-5.3-flashx', 'glm-5.2', 'glm-5.1', 'glm-5', 'glm-5-turbo', 'glm-5v-turbo', 'glm-4.7'],
    ...['glm-4.7-flashx', 'glm-4.6', 'glm-4.6v', 'glm-4.5', 'glm-4.5-air', 'glm-4.5v', 'glm-4-plus', 'glm-4-air-250414', 'glm-4-long'],
    ...['glm-z1-air', 'embedding-3', 'embedding-2', 'rerank', 'cogview-4', 'glm-image'],
  ],
  patch: (body) => schemaAsInstruction(withThinking(withinRanges(withStops(withPlainResults(withSystemRole(body))), ranges))),
}

const isPair = (key: string): boolean => /^[^.]+\.[^.]+$/.test(key)

const ranges = { temperature: [0, 1], top_p: [0.01, 1] } as const

function refusedBy({ n, logprobs, stop, tools, tool_choice: choice }: JsonObject): string | null {
  if (typeof n === 'number' && n > 1) return 'n'
  if (logprobs === true) return 'logprobs'
  if (Array.isArray(stop) && stop.filter((word) => word !== '').length > 1) return 'stop'
  return tools !== undefined && choice !== undefined && choice !== null && choice !== 'auto' && choice !== 'none' ? 'tool_choice' : null
}

/** One word in a list; and tools that are not to be used are left out, because the vendor knows only `auto`. */
function withStops(body: JsonObject): JsonObject {
  const { stop, tool_choice: choice } = body
  const listed = typeof stop === 'string' ? { ...body, stop: [stop] } : body
  const rest = withoutFields(listed, ['n', 'logprobs', 'top_logprobs'])
  return choice === 'none' ? withoutFields(rest, ['tools', 'tool_choice']) : rest
}

/** GLM-5.3 always thinks, at one of three levels; from GLM-4.5 on, models think or not. */
function withThinking(body: JsonObject): JsonObject {
  const model = String(body['model'])
  if (/^glm-5\.3(?!-flash)/.test(model)) return withEffort(withoutFields(body, ['thinking']), lowHighMax)
  const effort = effortIn(body)
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  if (effort === null || body['thinking'] !== undefined || !/^glm-(?:4\.[5-9]|[5-9])/.test(model)) return rest
  return { ...rest, thinking: { type: effort === 'none' || effort === 'minimal' ? 'disabled' : 'enabled' } }
}
