import { bearer } from '../../core/auth.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Vendor } from '../../core/vendor.ts'
import { withPlainResults, withSystemRole } from '../../protocols/compat/messages.ts'
import { formatAsInstruction } from '../../protocols/compat/schema-as-instruction.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { images } from '../../protocols/openai/images.ts'
import { embeddings } from '../../protocols/openai/unstreamed-kinds.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { isOwnImageModel, zhinaoImages } from './images.ts'

/**
 * Source: ai.360.com as current clients call it, stored copies read 2026-11-22, and the list of all its calls there (`docs.page`), with Anthropic's
 * messages at 417283364e0, read 2026-11-27; a client of 2026-05-30 names its page about chats. The models that reason, and whole responses beside
 * tools, by lobehub/lobe-chat, read 2026-11-26. Images of other companies' models, such as `google/gemini-3-pro-image-preview`, are requested in
 * OpenAI's form, as public programs call them, read 2026-11-28. No page shows the body of its errors, or what its searches (`web_search`) cost, so
 * these are refused. Searched again 2026-11-28: no page has a call for reranks, and that of embeddings is called as OpenAI's.
 */
export const zhinao: Vendor = {
  type: 19,
  name: '360 Zhinao',
  nameZh: '360 智脑',
  color: 'blue',
  docs: {
    page: 'https://ai.360.com/docs/437061603e0',
    read: '2026-11-27',
    chat: 'https://ai.360.com/docs/413291990e0',
    without: ['cache usage'],
    // The pages of these calls, as a survey of vendors names them, read 2026-11-28; no copy of them was found.
    pages: { pictures: 'https://ai.360.com/docs/413292017e0', speech: 'https://ai.360.com/docs/413292021e0' },
    // The list has these calls; no copy of a page with their form was found.
    untranslated: ['videos', 'speech', 'moderation'],
  },
  group: 'china',
  dialects: {
    chat: openai,
    embeddings: embeddings,
    images: (model) => (isOwnImageModel(model) ? zhinaoImages : model.includes('/') ? images : null),
  },
  routes: { baseUrl: 'https://api.360.cn' },
  auth: bearer,
  key: { hint: 'API key' },
  chat: {
    drop: ['n', 'logprobs', 'top_logprobs', 'logit_bias', 'reasoning_effort', 'reasoning'],
    rename: { max_completion_tokens: 'max_tokens' },
    lacks: ['files in', 'audio in', 'web search'],
    patch: (body) => wholeBesideTools(formatAsInstruction(withPlainResults(withSystemRole(body)))),
  },
  embeddingInputs: { isTextOnly: true },
  messages: { hosts: /^api\.360\.cn$/, path: '/v1/messages', models: /^anthropic\// },
  models: {
    names: [
      ...['360zhinao3-o1.5', '360zhinao2-o1.5', '360zhinao2-o1', '360gpt2-o1'],
      ...['360gpt2-pro', '360gpt-pro', '360gpt-turbo', '360gpt-turbo-responsibility-8k', 'embedding_s1_v1', '360CV_S0_V5'],
    ],
  },
  failures: { '400': [[/maximum context length|context length exceeded|too long/i, 'context_length']] },
}

/** It does not stream while it may call functions. */
function wholeBesideTools(body: JsonObject): JsonObject {
  return body['stream'] === true && objectsIn(body['tools']).length > 0 ? { ...body, stream: false } : body
}
