import type { Dialect } from '../../core/dialect.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Passthrough } from '../../core/passthrough.ts'
import type { Outgoing } from '../../core/request.ts'
import type { ResponseContext } from '../../core/response.ts'
import { vectorAs } from '../embeddings/form.ts'
import { listMember, member, objectMember } from '../shared/proto-members.ts'

/** Embeddings in OpenAI's form; `refused` is the member of the request that it cannot hold. */
export interface Embeddings {
  readonly body: JsonObject
  readonly refused: string | null
}

/** The requests of a call: one, or those of a batch. */
function requestsIn(body: JsonObject): readonly JsonObject[] {
  return member(body, 'requests') === undefined ? [body] : listMember(body, 'requests')
}

/** Names of settings: that which dialects of embeddings read, and the client's. */
const settingNames = { dimensions: 'outputDimensionality', task_type: 'taskType', title: 'title' } as const

/** The client's names of the settings that two requests of a batch do not share. */
function differing(one: JsonObject, other: JsonObject): readonly string[] {
  return Object.entries(settingNames).flatMap(([ours, theirs]) => (one[ours] === other[ours] ? [] : [theirs]))
}

/** The settings of a request under the names that dialects of embeddings read. */
function settingsOf(request: JsonObject): JsonObject {
  const settings = Object.fromEntries(Object.entries(settingNames).map(([ours, theirs]) => [ours, member(request, theirs)] as const))
  const type = lookUp(inputTypes, textOr(settings['task_type'], '').toUpperCase())
  return Object.fromEntries(Object.entries({ ...settings, input_type: type }).filter(([, value]) => value !== undefined))
}

/** What Cohere calls the tasks ("Embed API (v2)", `input_type`, named 2026-11-30). */
const inputTypes: Readonly<Record<string, string>> = {
  RETRIEVAL_QUERY: 'search_query',
  QUESTION_ANSWERING: 'search_query',
  FACT_VERIFICATION: 'search_query',
  CODE_RETRIEVAL_QUERY: 'search_query',
  RETRIEVAL_DOCUMENT: 'search_document',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
}

function partsOf(request: JsonObject): readonly JsonObject[] {
  return listMember(objectMember(request, 'content'), 'parts')
}

/** `embedContent` and `batchEmbedContents` as embeddings (Gemini API reference, "Embeddings", a stored copy read 2026-11-23). */
function toEmbeddings(body: JsonObject): Embeddings {
  const requests = requestsIn(body)
  const [first = {}] = requests
  const settings = settingsOf(first)
  const odd = requests.map(settingsOf).flatMap((one) => differing(one, settings))[0]
  const hasMedia = requests.some((request) => partsOf(request).some(({ text }) => typeof text !== 'string'))
  const input = requests.map((request) =>
    partsOf(request)
      .map(({ text }) => (typeof text === 'string' ? text : ''))
      .join('\n'),
  )
  return {
    body: { input, ...settings },
    refused: hasMedia ? 'content.parts[].inlineData' : odd === undefined ? null : `requests[].${odd}`,
  }
}

/** The two calls of a vendor that has embeddings in another form. What only tunes them is sent to vendors that translate it. */
export function embedByEmbeddings(inner: Dialect): Dialect {
  return {
    fallbackKind: 'embeddings',
    failure: inner.failure,
    request(body, target): Outgoing {
      const { body: request, refused } = toEmbeddings(body)
      const { task_type: _task, input_type: _type, title: _title, ...plain } = request
      const outgoing = inner.request({ ...(inner.passthrough === undefined ? request : plain), model: target.model }, target)
      const field = refused ?? outgoing.refused
      return {
        ...outgoing,
        echo: { ...outgoing.echo, isBatch: member(body, 'requests') !== undefined },
        ...(field === undefined ? {} : { refused: field }),
      }
    },
    response(json, context) {
      const read = readBy(inner, json, context)
      if (read === null || 'kind' in read) return read
      const vectors = (Array.isArray(read.response['data']) ? read.response['data'] : []).map((row) => ({
        values: isObject(row) ? vectorAs('float', row['embedding'] ?? []) : [],
      }))
      const isBatch = context.echo?.['isBatch'] === true
      return { usage: read.usage, response: isBatch ? { embeddings: vectors } : { embedding: vectors[0] ?? { values: [] } } }
    },
  }
}

function readBy(inner: Dialect, json: Json, context: ResponseContext) {
  const { isBatch: _ours, ...echo } = context.echo ?? {}
  const read = inner.response?.(json, { ...context, echo: Object.keys(echo).length === 0 ? undefined : echo })
  if (read !== undefined) return read === null || 'kind' in read || 'response' in read ? read : null
  const seen = inner.passthrough?.response(json) ?? null
  if (seen === null || 'kind' in seen) return seen
  return isObject(json) ? { response: json, usage: seen.usage } : null
}

/** Reads responses in the protocol's form. */
export const embedResponses: Passthrough = {
  response: (json) =>
    isObject(json) && (isObject(json['embedding']) || Array.isArray(json['embeddings'])) ? { usage: null, text: '' } : null,
  event: () => ({ usage: null, text: '', finished: false, usageOnly: false, failure: null }),
}
