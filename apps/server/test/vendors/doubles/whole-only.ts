import { json } from '../../fake-upstream.ts'
import type { ScriptedError, VendorDouble } from '../vendor-double.ts'

// Vendors that never stream.

const lacksAll = ['events', 'tools', 'parallel tools', 'reasoning', 'cached', 'images', 'limit', 'usage'] as const

interface PalmRequest {
  readonly prompt: { readonly context?: string; readonly messages: ReadonlyArray<{ readonly author: string; readonly content: string }> }
}

const palmError = (code: number, status: string, message: string) => json({ error: { code, status, message } }, code)

/** PaLM's `generateMessage`. */
export const palmDouble: VendorDouble = {
  name: 'PaLM',
  type: 11,
  key: 'AIza-key-of-palm',
  model: 'PaLM-2',
  lacks: lacksAll,
  whole: ({ text = '', finish }) =>
    json(
      finish === 'content_filter' ? { filters: [{ reason: 'SAFETY' }] } : { candidates: [{ author: '1', content: text }], messages: [] },
    ),
  stream: () => ({ contentType: 'application/json', frames: [] }),
  error: (what: ScriptedError) =>
    ({
      bad_key: palmError(401, 'UNAUTHENTICATED', 'the key is not valid'),
      no_quota: null,
      rate_limited: palmError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded'),
      unavailable: palmError(503, 'UNAVAILABLE', 'The service is currently unavailable'),
      model_not_found: palmError(404, 'NOT_FOUND', 'Requested entity was not found'),
      bad_request: palmError(400, 'INVALID_ARGUMENT', 'Invalid value at temperature'),
      context_length: null,
      content_policy: null,
    })[what],
  errorFrame: () => null,
  read({ body }) {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { prompt } = JSON.parse(body) as PalmRequest
    const text = prompt.messages.findLast(({ author }) => author === '0')?.content ?? ''
    return { text, system: prompt.context ?? '', stream: false, tools: [], limit: undefined, images: [], results: [] }
  },
  isAuthorized: ({ headers, path }) =>
    headers['x-goog-api-key'] === 'AIza-key-of-palm' && path === '/v1beta2/models/chat-bison-001:generateMessage',
}

interface DeeplRequest {
  readonly text: readonly string[]
  readonly context?: string
}

/** DeepL's translation of a text. */
export const deeplDouble: VendorDouble = {
  name: 'DeepL',
  type: 38,
  key: 'key-of-deepl:fx',
  model: 'deepl-en',
  lacks: [...lacksAll, 'estimate', 'content_filter'],
  whole: ({ text = '' }) => json({ translations: [{ detected_source_language: 'DE', text }] }),
  stream: () => ({ contentType: 'application/json', frames: [] }),
  error(what) {
    const forms: Partial<Record<ScriptedError, readonly [status: number, message: string]>> = {
      bad_key: [403, 'Wrong endpoint or authorization failed'],
      no_quota: [456, 'Quota exceeded'],
      rate_limited: [429, 'Too many requests'],
      unavailable: [503, 'Resource currently unavailable'],
      bad_request: [400, 'Value for target_lang not supported'],
    }
    const [status, message] = forms[what] ?? []
    return status === undefined ? null : json({ message }, status)
  },
  errorFrame: () => null,
  read({ body }) {
    // Holds: the gateway sends JSON in this form, or the expectations of the suite fail.
    const { text, context = '' } = JSON.parse(body) as DeeplRequest
    return { text: text.join('\n'), system: context, stream: false, tools: [], limit: undefined, images: [], results: [] }
  },
  isAuthorized: ({ headers, path }) => headers['authorization'] === 'DeepL-Auth-Key key-of-deepl:fx' && path === '/v2/translate',
}
