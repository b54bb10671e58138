import { bearer } from '../auth.ts'
import type { JsonObject } from '../json.ts'
import type { Vendor } from '../vendor.ts'
import { alibabaFailures } from './alibaba-failures.ts'
import { alibabaModels } from './alibaba-models.ts'
import { effortIn, withoutFields } from './fields.ts'
import { developerToSystem, withMessages } from './messages.ts'
import { withinRanges } from './sampling.ts'

/**
 * Source: Alibaba Cloud Model Studio, "OpenAI compatible - Chat", "Deep thinking", "Error codes", stored copies read 2026-11-22. Chats and
 * embeddings use the compatible interface, pictures, reranks and sound the native one at the same host.
 */
export const alibaba: Vendor = {
  type: 17,
  name: 'Alibaba Tongyi Qianwen',
  nameZh: '阿里通义千问',
  color: 'orange',
  docs: { page: 'https://help.aliyun.com/zh/model-studio/', untranslated: ['realtime'] },
  group: 'china',
  dialects: {
    chat: (model) => (onlyStreams.test(model) ? 'openai-streamed' : 'openai'),
    embeddings: 'openai-floats',
    rerank: (model) => (model.startsWith('qwen3-rerank') ? 'openai' : 'alibaba'),
    images: 'alibaba',
    'image-edits': 'alibaba',
    speech: 'alibaba',
    transcriptions: 'alibaba',
  },
  baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
  pathFor: (path, { kind, channel }) => {
    const { origin, pathname } = new URL(channel.baseUrl)
    if (path === '/v1/rerank' && kind === 'rerank') return `${origin}/compatible-api/v1/reranks`
    if (path.startsWith('/api/')) return origin + path
    return pathname === '/' ? `${origin}/compatible-mode${path}` : path
  },
  auth: bearer,
  keyHint: 'sk-...',
  drop: ['frequency_penalty', 'logit_bias'],
  rename: { max_completion_tokens: 'max_tokens' },
  failures: alibabaFailures,
  streamUsage: true,
  refuses: ({ tool_choice: choice }) => (choice === 'required' ? 'tool_choice' : null),
  models: alibabaModels,
  patch: (body) => withThinkingOf(withinRanges(withMessages(body, developerToSystem), { top_p: [0.001, 0.999], temperature: [0, 1.99] })),
}

/** Models that answer only as a stream: those that always think, open ones that think unless told otherwise, and those that speak. */
const onlyStreams = /^(?:qwq|qvq)|omni|-thinking|^qwen3-\d+(?:\.\d+)?b(?:-a\d+b)?$/

/** Models that think or not, as `enable_thinking` says. */
const hybrid = /^(?:qwen3(?!.*(?:coder|instruct|-thinking))|qwen-(?:plus|flash|turbo)|deepseek-v(?:3\.[12]|4)|glm-|kimi-k2\.)/
/** Most tokens of thoughts; more effort has no limit. */
const budgets: Readonly<Record<string, number>> = { low: 2_048, medium: 8_192 }

function withThinkingOf(body: JsonObject): JsonObject {
  const effort = effortIn(body)
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  const model = String(body['model'])
  if (effort === null) return rest
  if (model.startsWith('qwen3.8-max')) return { ...rest, reasoning_effort: namedEffort(effort) }
  if (!hybrid.test(model) || body['enable_thinking'] !== undefined) return rest
  if (isQuick(effort)) return { ...rest, enable_thinking: false }
  const budget = budgets[effort]
  return { ...rest, enable_thinking: true, ...(budget === undefined ? {} : { thinking_budget: budget }) }
}

const isQuick = (effort: string): boolean => effort === 'none' || effort === 'minimal'

function namedEffort(effort: string): string {
  if (effort === 'medium') return 'medium'
  return isQuick(effort) || effort === 'low' ? 'low' : 'xhigh'
}
