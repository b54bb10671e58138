import { bearer } from '../../core/auth.ts'
import type { EmbeddingInputs } from '../../core/embedding-inputs.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { hasParts } from '../../core/split-key.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor, VendorVariant } from '../../core/vendor.ts'
import { effortIn, withoutFields } from '../../protocols/compat/fields.ts'
import { developerToSystem, withMessages } from '../../protocols/compat/messages.ts'
import { searchRequestOf } from '../../protocols/compat/web-search.ts'
import { floatEmbeddings } from '../../protocols/openai/float-embeddings.ts'
import { images } from '../../protocols/openai/images.ts'
import { rerank } from '../../protocols/openai/unstreamed-kinds.ts'
import { openaiSearching } from '../../protocols/openai/with-web-search.ts'
import { baiduChat } from './chat.ts'
import { askBaiduToken } from './credential.ts'
import { baiduEmbeddings } from './embeddings.ts'
import { baiduFailures } from './failures.ts'

/** "Embeddings" of Qianfan, a stored copy read 2026-11-30: 16 texts, and one of tao-8k. */
const baiduInputs: EmbeddingInputs = { most: (model) => (/^tao-8k/i.test(model) ? 1 : 16), isTextOnly: true }

/**
 * Source: cloud.baidu.com, "Qianfan: text generation", "Image understanding" (2025-03-17), "Error codes" and "Pricing", stored copies read
 * 2026-11-22 and 2026-11-23. A key `APIKey|SecretKey` belongs to
 * the interface of 2023, whose token is fetched (same site, "ERNIE Bot"). The vendor ended that interface on 2026-08-31 ("End of the V1 interface and
 * migration", cloud.baidu.com/doc/qianfan/s/rmse4vxp8, a stored copy read 2026-11-27); it stays for such keys at other hosts that still have it. The same
 * page names the path of reranks. ERNIE Character 8K ended on 2026-04-23, as a public importer of its prices notes (read 2026-11-28), and keeps its price.
 * Not offered: several choices and log probabilities.
 */
export const baidu: Vendor = {
  type: 15,
  searchesAlways: true,
  name: 'Baidu Wenxin Qianfan',
  nameZh: '百度文心千帆',
  color: 'blue',
  docs: {
    page: 'https://cloud.baidu.com/doc/qianfan-api/s/wmwbl48n4',
    chat: 'https://cloud.baidu.com/doc/qianfan-api/s/3m7of64lb',
    pages: {
      'files in': 'https://cloud.baidu.com/doc/WENXINWORKSHOP/s/Jm72xry91',
      'audio in': 'https://cloud.baidu.com/doc/WENXINWORKSHOP/s/Jm72xry91',
    },
    // Made as tasks, in forms of their own (their references, read 2026-11-23).
    untranslated: ['videos'],
  },
  group: 'china',
  dialects: { chat: openaiSearching, embeddings: floatEmbeddings, rerank: rerank, images: images },
  routes: { baseUrl: 'https://qianfan.baidubce.com/v2' },
  auth: bearer,
  variant: ({ key }) => (key.includes('|') ? first : null),
  key: { hint: 'bce-v3/ALTAK-... / APIKey|SecretKey', isValid: (key) => !key.includes('|') || hasParts(key, 2) },
  chat: {
    drop: ['logit_bias', 'n', 'logprobs', 'top_logprobs'],
    streamUsage: true,
    lacks: ['files in', 'audio in'],
    patch: (body) => withOwnSearch(withThinking(withMessages(body, developerToSystem))),
  },
  failures: baiduFailures,
  // An image comes as an address.
  patches: { images: (body) => withoutFields(body, ['response_format', 'style', 'quality', 'background']) },
  embeddingInputs: baiduInputs,
  unsupported: unsupportedByKind({
    chat: ({ n, logprobs }) => (typeof n === 'number' && n > 1 ? 'n' : logprobs === true ? 'logprobs' : null),
  }),
  models: {
    names: [
      ...['ernie-5.1', 'ernie-5.0', 'ernie-x1.1', 'ernie-x1-turbo', 'ernie-4.5', 'ernie-4.5-turbo-128k', 'ernie-4.5-turbo-32k'],
      ...['ernie-4.5-turbo-vl', 'ernie-4.0-turbo-8k', 'ernie-4.0-turbo-128k', 'ernie-3.5-8k', 'ernie-3.5-128k', 'ernie-speed-pro-128k'],
      ...['ernie-lite-pro-128k', 'ernie-novel-8k', 'embedding-v1', 'bge-large-zh', 'tao-8k', 'qwen3-embedding-0.6b', 'qwen3-embedding-4b'],
      ...['qwen3-reranker-4b', 'irag-1.0'],
    ],
  },
}

/** "Qianfan: text generation", `web_search`, as a client of 2026 has it, read 2026-11-23; the pages come only if they are requested. */
function withOwnSearch(body: JsonObject): JsonObject {
  const searchRequest = searchRequestOf(body)
  if (searchRequest === null) return withSearchResults(body)
  return {
    ...searchRequest.rest,
    web_search: { enable: true, enable_trace: true, ...(searchRequest.isForced ? { search_mode: 'required' } : {}) },
  }
}

/** The vendor bills each search, and its response shows one only if its pages are requested. */
function withSearchResults(body: JsonObject): JsonObject {
  const { web_search: own } = body
  return isObject(own) && own['enable'] === true ? { ...body, web_search: { ...own, enable_trace: true } } : body
}

/** The interface of 2023. */
const first: VendorVariant = {
  dialects: { chat: baiduChat, embeddings: baiduEmbeddings },
  routes: { baseUrl: 'https://aip.baidubce.com', paths: {} },
  auth: { query: 'access_token' },
  credential: askBaiduToken,
  embeddingInputs: baiduInputs,
  chat: {
    streamUsage: false,
    drop: [],
    lacks: ['web search'],
    patch: undefined,
  },
}

function withThinking(body: JsonObject): JsonObject {
  const effort = effortIn(body)
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  return effort === null || body['enable_thinking'] !== undefined
    ? rest
    : { ...rest, enable_thinking: effort !== 'none' && effort !== 'minimal' }
}
