import { bearer } from '../../core/auth.ts'
import { openaiInputsMax } from '../../core/embedding-inputs.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Vendor } from '../../core/vendor.ts'
import { effortIn, withEffort, withoutFields, withoutThinking } from '../../protocols/compat/fields.ts'
import { withSystemRole } from '../../protocols/compat/messages.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { images } from '../../protocols/openai/images.ts'
import { embeddings } from '../../protocols/openai/unstreamed-kinds.ts'
import { responses } from '../../protocols/responses/native.ts'
import { bytedanceEmbeddings } from './embeddings.ts'
import { bytedanceFailures } from './failures.ts'
import { doubaoVideos, videosAtDoubao } from './videos.ts'

/**
 * Source: Volcano Engine Ark, the chat API (82379), stored copies read 2026-11-22, and "Responses API" and "Web search" (1585128, 1958520),
 * read 2026-11-23. Endpoint ids (`ep-...`) and bots (`bot-...`) may stand in the place
 * of a model. BytePlus: https://ark.ap-southeast.bytepluses.com/api/v3.
 * Not listed, with their prices kept: Seedance 1.5 Pro, which ended on 2026-11-11 (cometapi-dev discussion 140), and Seedream 4.0, 4.5 and 5.0 Lite, which
 * ended on 2026-11-24 (chenyihang98-pixel/Modelwright 0.1.35), read 2026-11-27; nor Seedream 5.0 Pro, whose price is by pixels that were not found.
 */
export const doubao: Vendor = {
  type: 40,
  name: 'ByteDance Doubao',
  nameZh: '字节跳动豆包',
  color: 'blue',
  docs: {
    page: 'https://www.volcengine.com/docs/82379',
    chat: 'https://www.volcengine.com/docs/82379/1494384',
    pages: { batches: 'https://www.volcengine.com/docs/82379/1399517' },
    untranslated: ['batches'],
  },
  group: 'china',
  dialects: {
    chat: openai,
    responses: (model) => (model.startsWith('bot') ? null : responses),
    embeddings: (model) => (/embedding-vision/.test(model) ? bytedanceEmbeddings : embeddings),
    images: images,
  },
  tasks: { videos: (model) => (videosAtDoubao(model) ? doubaoVideos : null) },
  optionalKinds: { responses: {} },
  routes: {
    baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
    pathFor: (path, { model, channel: { baseUrl } }) => {
      const own = model.startsWith('bot') ? path.replace('/chat/', '/bots/chat/') : path
      return /\/v\d+$/.test(baseUrl) ? own : own.replace(/^\/v1/, '/api/v3')
    },
  },
  auth: bearer,
  key: { hint: '00000000-0000-0000-0000-000000000000' },
  chat: {
    drop: ['n', 'seed', 'top_k'],
    streamUsage: true,

    // It searches in responses only.
    lacks: ['files in', 'web search'],
    patch: (body) => {
      const rest = withEffort(withOneLimit(withSystemRole(body)), {
        minimal: 'minimal',
        low: 'low',
        medium: 'medium',
        high: 'high',
        xhigh: 'high',
        max: 'high',
      })
      return effortIn(body) === 'none' ? withoutThinking(rest) : rest
    },
  },
  // Models that see embed all parts of a request together.
  embeddingInputs: { most: (model) => (/embedding-vision/.test(model) ? 1 : openaiInputsMax), isTextOnly: true },
  // `max_tokens` bounds the response alone, as two clients measured in September 2026, read 2026-11-29.
  thinksBeyondLimit: true,
  models: {
    names: [
      'doubao-seed-2-1-pro-260628',
      'doubao-seed-2-1-turbo-260628',
      'doubao-seed-1-8-251228',
      'doubao-seed-1-6-251015',
      'doubao-seed-1-6-flash-250828',
      'doubao-seed-1-6-vision-250815',
      'doubao-seedream-5-5-261028',
      ...['doubao-seedance-2-0-260128', 'doubao-seedance-2-0-fast-260128', 'doubao-seedance-1-0-pro-250528'],
    ],
  },
  failures: bytedanceFailures,
}

/** Both names of the limit together are an error there; the newer one also counts reasoning. */
function withOneLimit(body: JsonObject): JsonObject {
  return 'max_tokens' in body && 'max_completion_tokens' in body ? withoutFields(body, ['max_tokens']) : body
}
