import { bearer } from '../../core/auth.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { hasParts } from '../../core/split-key.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor, VendorVariant } from '../../core/vendor.ts'
import { askSignedAction } from '../../protocols/balances/action.ts'
import { effortIn, modelOf, withEffort, withoutFields } from '../../protocols/compat/fields.ts'
import { developerToSystem, withMessages } from '../../protocols/compat/messages.ts'
import { searchRequestOf } from '../../protocols/compat/web-search.ts'
import { floatEmbeddings } from '../../protocols/openai/float-embeddings.ts'
import { openaiSearching } from '../../protocols/openai/with-web-search.ts'
import { responses } from '../../protocols/responses/native.ts'
import { tencentChat } from './chat.ts'
import { tencentEmbeddings, tencentTextsMax } from './embeddings.ts'
import { tencentFailures } from './failures.ts'
import { drawsAtTencent, tencentImageEdits, tencentImages } from './images.ts'
import { tc3 } from './sign.ts'

/**
 * Source: cloud.tencent.com, "TokenHub: migration guide" (2026-05-11) and "Hunyuan: ChatCompletions", stored copies read 2026-11-22; Hy4 from an
 * article there of 2026-11-19. A key `AppId|SecretId|SecretKey` belongs to the platform before TokenHub, whose end was announced for 2026-09-30, and is
 * used there; only such a key can ask for the balance of its account.
 */
export const tencent: Vendor = {
  type: 23,
  searchesAlways: true,
  name: 'Tencent Hunyuan',
  nameZh: '腾讯混元',
  color: 'teal',
  docs: { page: 'https://cloud.tencent.com/document/product/1823/130079', without: ['balance'] },
  group: 'china',
  dialects: {
    chat: openaiSearching,
    responses: responses,
    embeddings: floatEmbeddings,
    images: (model) => (drawsAtTencent(model) ? tencentImages : null),
    'image-edits': (model) => (drawsAtTencent(model) ? tencentImageEdits : null),
  },
  optionalKinds: { responses: {} },
  routes: { baseUrl: 'https://tokenhub.tencentmaas.com/v1' },
  auth: bearer,
  variant: ({ key }) => (key.includes('|') ? signed : null),
  key: { hint: 'sk-... / AppId|SecretId|SecretKey', isValid: (key) => !key.includes('|') || hasParts(key, 3) },
  askBalance: askSignedAction,
  chat: {
    drop: ['logit_bias', 'n', 'logprobs', 'top_logprobs'],
    rename: { max_completion_tokens: 'max_tokens' },
    streamUsage: true,
    patch: (body) => withOwnSearch(withEffortField(withMessages(body, developerToSystem))),
  },
  failures: tencentFailures,
  embeddingInputs: { isTextOnly: true },
  unsupported: unsupportedByKind({
    chat: ({ n, logprobs }) => (typeof n === 'number' && n > 1 ? 'n' : logprobs === true ? 'logprobs' : null),
  }),
  models: {
    names: ['hy4', 'hy4-preview', 'hy3', 'hy3-preview', 'glm-5.3', 'glm-5.2', 'hunyuan-a13b', 'hunyuan-embedding', 'hy-image-v3.5-preview'],
  },
}

/** cloud.tencent.com, "TokenHub: web search" (1823/132358), as a page of 2026-07-30 there quotes it, read 2026-11-23. */
function withOwnSearch(body: JsonObject): JsonObject {
  const { web_search_options: options } = body
  if (isObject(options) && options['enable'] !== undefined) return body
  const searchRequest = searchRequestOf(body)
  return searchRequest === null
    ? withSearchResults(body)
    : { ...searchRequest.rest, web_search_options: { enable: true, search_source: 'standard' } }
}

/** Hunyuan's own search is billed, and its response shows one only if its pages are requested ("ChatCompletions", `SearchInfo`, named 2026-11-29). */
function withSearchResults(body: JsonObject): JsonObject {
  const isSearching = body['enable_enhancement'] === true || body['force_search_enhancement'] === true
  return isSearching ? { ...body, search_info: true } : body
}

/** OpenRouter's form of the field is not known. Its own models think or not ("TokenHub: deep thinking", 1823/131208, as models.dev quotes it on 2026-08-26). */
function withEffortField(body: JsonObject): JsonObject {
  if (/^hy\d/.test(modelOf(body))) return withEffort(body, noneOrHigh)
  const effort = effortIn(body)
  const rest = withoutFields(body, ['reasoning_effort', 'reasoning'])
  return effort === null ? rest : { ...rest, reasoning_effort: effort }
}

const noneOrHigh = { none: 'none', minimal: 'none', low: 'high', medium: 'high', high: 'high', xhigh: 'high', max: 'high' } as const

const signed: VendorVariant = {
  dialects: { chat: tencentChat, embeddings: tencentEmbeddings },
  routes: { baseUrl: 'https://hunyuan.tencentcloudapi.com' },
  auth: { signer: tc3 },
  embeddingInputs: { most: tencentTextsMax, isTextOnly: true },
  chat: {
    streamUsage: false,
    drop: [],
    rename: {},
    lacks: ['web search'],
    patch: undefined,
  },
}
