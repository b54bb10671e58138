import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { withAtMost } from '../../protocols/compat/fields.ts'
import { withPlainResults, withSystemRole } from '../../protocols/compat/messages.ts'
import { formatAsInstruction } from '../../protocols/compat/schema-as-instruction.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { embeddings } from '../../protocols/openai/unstreamed-kinds.ts'

/**
 * Source: platform.baichuan-ai.com, "API", and names in current clients, stored copies read 2026-11-22. Penalties only tune sampling and are
 * dropped. Its errors: "Chat", statuses, a stored copy (f8cxtsvnr8.apifox.cn) read 2026-11-23; no page shows their body.
 */
export const baichuan: Vendor = {
  type: 26,
  name: 'Baichuan',
  nameZh: '百川智能',
  color: 'orange',
  docs: {
    page: 'https://platform.baichuan-ai.com/docs/api',
    chat: 'https://f8cxtsvnr8.apifox.cn/api-135483694',
    without: ['cache usage'],
  },
  group: 'china',
  dialects: { chat: openai, embeddings: embeddings },
  routes: { baseUrl: 'https://api.baichuan-ai.com' },
  auth: bearer,
  key: { hint: 'sk-...' },
  chat: {
    drop: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'presence_penalty', 'frequency_penalty', 'seed', 'reasoning_effort', 'reasoning'],
    rename: { max_completion_tokens: 'max_tokens' },

    // Files are named by the id that its own call gives them.
    lacks: ['images in', 'files in', 'audio in', 'videos in', 'web search'],
    patch: (body) => withAtMost(withAtMost(formatAsInstruction(withPlainResults(withSystemRole(body))), 'temperature', 1), 'top_k', 20),
  },
  // 16 texts (`BaichuanTextEmbeddings` of langchain-community, `chunk_size`, read 2026-11-30).
  embeddingInputs: { most: 16, isTextOnly: true },
  models: {
    names: [
      'Baichuan-M3-Plus',
      'Baichuan-M3',
      'Baichuan-M2-Plus',
      'Baichuan-M2',
      'Baichuan4-Turbo',
      'Baichuan4-Air',
      'Baichuan-Text-Embedding',
    ],
  },
  failures: {
    insufficient_quota: 'no_quota',
    rate_limit: 'rate_limited',
    '429': [[/^insufficient account balance/i, 'no_quota']],
    '400': [[/maximum context length|context length exceeded|too long/i, 'context_length']],
  },
}
