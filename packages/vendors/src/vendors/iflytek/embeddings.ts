import { base64 } from '../../core/crypto-functions.ts'
import type { Dialect } from '../../core/dialect.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { fromBase64 } from '../../protocols/embeddings/form.ts'
import { floatEmbeddings } from '../../protocols/openai/float-embeddings.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { failureIn } from './header-failure.ts'
import { appIdOf, postedAddress } from './hosts.ts'

const outputDimensions = 2560
/** What a text is: a question, or a part of a document. */
const domains: readonly (Json | undefined)[] = ['query', 'para']

/**
 * xfyun.cn, "Embedding", and clients of 2026 that quote it, read 2026-11-27: one text a request, returned as 32-bit floats, little-endian. How many
 * tokens it had is not reported.
 */
export const iflytekEmbeddings = {
  request(body, target) {
    const { echo } = floatEmbeddings.request(body, target)
    const text = textIn(body['input'])
    const messages = base64(new TextEncoder().encode(JSON.stringify({ messages: [{ content: text ?? '', role: 'user' }] })))
    const { domain } = body
    const refused = refusedIn(body, text)
    return {
      path: postedAddress('/', target.channel),
      headers: {},
      body: {
        header: { app_id: appIdOf(target.channel), status: 3 },
        parameter: {
          emb: {
            domain: domains.includes(domain) ? (domain ?? 'para') : 'para',
            feature: { encoding: 'utf8', compress: 'raw', format: 'plain' },
          },
        },
        payload: { messages: { encoding: 'utf8', compress: 'raw', format: 'json', status: 3, text: messages } },
      },
      ...(echo === undefined ? {} : { echo }),
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  response(json, context) {
    if (!isObject(json)) return null
    const failure = failureIn(json)
    if (failure !== null) return failure
    const { payload } = json
    const feature = isObject(payload) && isObject(payload['feature']) ? payload['feature'] : {}
    const embedding = fromBase64(textOr(feature['text'], ''))
    if (embedding === null) return null
    return floatEmbeddings.response({ object: 'list', data: [{ object: 'embedding', embedding, index: 0 }], model: context.model }, context)
  },
} satisfies Dialect

/** The only text of a request; `null` = it has several, or none. */
function textIn(input: Json | undefined): string | null {
  if (typeof input === 'string') return input
  const [first] = Array.isArray(input) && input.length === 1 ? input : []
  return typeof first === 'string' ? first : null
}

function refusedIn({ dimensions, domain }: JsonObject, text: string | null): string | null {
  if (text === null) return 'input'
  if (domain !== undefined && !domains.includes(domain)) return 'domain'
  return dimensions === undefined || dimensions === outputDimensions ? null : 'dimensions'
}
