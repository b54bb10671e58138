import { bearer } from '../../core/auth.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor } from '../../core/vendor.ts'
import { openaiBatches } from '../../protocols/batches/openai-forms.ts'
import { openaiStreamed } from '../../protocols/openai/always-stream.ts'
import { floatEmbeddings } from '../../protocols/openai/float-embeddings.ts'
import { realtime } from '../../protocols/openai/realtime.ts'
import { rerank } from '../../protocols/openai/unstreamed-kinds.ts'
import { openaiSearching } from '../../protocols/openai/with-web-search.ts'
import { alibabaChat } from './chat.ts'
import { alibabaFailures } from './failures.ts'
import { alibabaImageTasks, drawsLater } from './image-tasks.ts'
import { alibabaImageEdits, alibabaImages } from './images.ts'
import { alibabaModels } from './models.ts'
import { alibabaRerank } from './rerank.ts'
import { alibabaSpeech } from './speech.ts'
import { alibabaTranscriptions } from './transcriptions.ts'
import { alibabaVideos, videosAtAlibaba } from './videos.ts'

/** "JSON mode": the prompt must have the word (Model Studio, "Structured output", read 2026-11-29). */
const jsonByWord = [{ rule: 'json-word' }] as const

/**
 * Source: Alibaba Cloud Model Studio, "OpenAI compatible - Chat", "Deep thinking", "Error codes", stored copies read 2026-11-22;
 * "Qwen-Omni-Realtime" (OpenAI's events), read 2026-11-24. Chats and embeddings use the compatible interface, images, reranks and audio the native
 * one at the same host.
 */
export const alibaba: Vendor = {
  type: 17,
  name: 'Alibaba Tongyi Qianwen',
  nameZh: '阿里通义千问',
  color: 'orange',
  docs: {
    page: 'https://help.aliyun.com/zh/model-studio/models',
    chat: 'https://help.aliyun.com/zh/model-studio/qwen-api-via-openai-chat-completions',
    pages: { batches: 'https://help.aliyun.com/zh/model-studio/batch-interfaces-compatible-with-openai' },
  },
  group: 'china',
  dialects: {
    chat: (model) => (onlyStreams.test(model) ? openaiStreamed : openaiSearching),
    embeddings: floatEmbeddings,
    rerank: (model) => (model.startsWith('qwen3-rerank') ? rerank : alibabaRerank),
    images: (model) => (drawsLater(model) ? null : alibabaImages),
    'image-edits': alibabaImageEdits,
    speech: alibabaSpeech,
    transcriptions: alibabaTranscriptions,
    realtime: realtime,
  },
  tasks: {
    pictures: (model) => (drawsLater(model) ? alibabaImageTasks : null),
    videos: (model) => (videosAtAlibaba(model) ? alibabaVideos : null),
  },
  // Half the price of calls in real time ("OpenAI compatible - Batch (file input)", a stored copy read 2026-11-27).
  batches: { factor: 0.5, form: openaiBatches },
  routes: {
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    pathFor: (path, { kind, channel }) => {
      const { origin, pathname } = new URL(channel.baseUrl)
      if (kind === 'realtime') return `${origin}/api-ws/v1/realtime`
      if (path === '/v1/rerank' && kind === 'rerank') return `${origin}/compatible-api/v1/reranks`
      if (path.startsWith('/api/')) return origin + path
      return pathname === '/' ? `${origin}/compatible-mode${path}` : path
    },
  },
  auth: bearer,
  key: { hint: 'sk-...' },
  chat: {
    drop: ['frequency_penalty', 'logit_bias'],
    rename: { max_completion_tokens: 'max_tokens' },
    extras: ['cache_control', 'thinking_budget', 'top_k'],
    streamUsage: true,
    lacks: ['files in'],
    patch: alibabaChat,
  },
  failures: alibabaFailures,
  // "Text embedding", batch size, of 2025-12-22, read 2026-11-30: 10, and 25 of the first two models.
  embeddingInputs: { most: (model) => (/^text-embedding-v[12]\b/.test(model) ? 25 : 10), isTextOnly: true },
  // Model Studio, "Deep thinking" and the chat API, copies of 2026: `max_tokens` bounds the response, `thinking_budget` the reasoning; read 2026-11-29.
  thinksBeyondLimit: true,
  searchesAlways: true,
  unsupported: unsupportedByKind({ chat: ({ tool_choice: choice }) => (choice === 'required' ? 'tool_choice' : null) }),
  models: { names: alibabaModels, rulesFor: () => jsonByWord },
  // "Anthropic-compatible Messages", a stored copy read 2026-11-24.
  messages: {
    hosts: /^(?:[\w-]+\.)?dashscope(?:-\w+)?\.aliyuncs\.com$|\.maas\.aliyuncs\.com$/,
    path: '/apps/anthropic/v1/messages',
    models: /^qwen(?:[34](?:\.\d+)?)?-(?:max|plus|flash|coder)/,
  },
}

/** Models that respond only as a stream: those that always think, open ones that think by default, and those that speak. */
const onlyStreams = /^(?:qwq|qvq)|omni|-thinking|^qwen3-\d+(?:\.\d+)?b(?:-a\d+b)?$/
