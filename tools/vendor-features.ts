import { doubles } from '../apps/server/test/vendors/doubles/all.ts'
import type { VendorDouble } from '../apps/server/test/vendors/vendor-double.ts'
import type { Dialect } from '../packages/vendors/src/core/dialect.ts'
import type { Feature } from '../packages/vendors/src/core/feature.ts'
import type { JsonObject } from '../packages/vendors/src/core/json.ts'
import type { Kind } from '../packages/vendors/src/core/kind.ts'
import type { Outgoing } from '../packages/vendors/src/core/request.ts'
import type { TaskKind } from '../packages/vendors/src/core/task.ts'
import type { Vendor } from '../packages/vendors/src/core/vendor.ts'
import { openaiVideos } from '../packages/vendors/src/protocols/openai/videos.ts'
import { isOpenAIForm } from '../packages/vendors/src/protocols/shared/supports-extra.ts'
import { type Addressed, addressed } from '../packages/vendors/src/registry/channel-facts.ts'
import { dialectOf } from '../packages/vendors/src/registry/dialect-of.ts'
import { vendorByType } from '../packages/vendors/src/registry/list.ts'
import { buildRequest } from '../packages/vendors/src/registry/request/build-request.ts'
import { taskDialectOf } from '../packages/vendors/src/registry/task-dialect-of.ts'
import { modelQuery } from '../packages/vendors/src/registry/vendor-queries.ts'
import { exampleChannel, knownModels } from '../packages/vendors/test/channel.ts'

// What every channel type makes of every feature. Features of chats are read off the request that is built for an example of each.

/** Where the models of a vendor differ, a feature has the first of these states that it has with any of them. */
const states = ['translated', 'passed on', 'refused', 'not offered'] as const
export type State = (typeof states)[number]

const first = (offered: readonly State[]): State => states.find((state) => offered.includes(state)) ?? 'not offered'

const kinds = {
  embeddings: 'embeddings',
  rerank: 'rerank',
  pictures: 'images',
  speech: 'speech',
  transcripts: 'transcriptions',
  moderation: 'moderations',
  responses: 'responses',
  realtime: 'realtime',
} as const satisfies { readonly [F in Feature]?: Kind }

/** An example of a feature of chats. */
interface Example {
  readonly chat: JsonObject
  /** A text in it that the vendor must get; missing: the example must change what is sent. */
  readonly mark?: string
}

const text = { type: 'text', text: 'Hi' }
const ask = { role: 'user', content: 'Hi' }
const asking = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [text, part] }] })
const call = (id: string): JsonObject => ({ id, type: 'function', function: { name: 'weather', arguments: '{"city":"Porto"}' } })
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
const tools = [{ type: 'function', function: { name: 'weather', description: 'The weather', parameters: city } }]
const called: JsonObject = { role: 'assistant', content: null, tool_calls: [call('call_1'), call('call_2')] }
const toolResult = (id: string, content: string): JsonObject => ({ role: 'tool', tool_call_id: id, content })
const bytes = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'
const pdf = 'JVBERi0xLjQKMSAwIG9iago8PD4+CmVuZG9iagp0cmFpbGVyCjw8Pj4KJSVFT0Y='

const examples = {
  tools: { chat: { messages: [ask], tools }, mark: 'weather' },
  'parallel tools': {
    chat: { messages: [ask, called, toolResult('call_1', 'dry'), toolResult('call_2', '18 degrees')], tools },
    mark: '18 degrees',
  },
  'structured output': {
    chat: { messages: [ask], response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: city } } },
    mark: 'city',
  },
  'images in': { chat: asking({ type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } }), mark: bytes },
  'files in': {
    chat: asking({ type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } }),
    mark: pdf,
  },
  'audio in': { chat: asking({ type: 'input_audio', input_audio: { data: bytes, format: 'wav' } }), mark: bytes },
  reasoning: { chat: { messages: [ask], reasoning_effort: 'high' } },
} as const satisfies { readonly [F in Feature]?: Example }

/** A search of the web in OpenAI's form. */
const search: Example = { chat: { messages: [ask], web_search_options: {} } }

/** One model of a vendor, at one channel. */
interface Used extends Addressed {
  readonly model: string
}

const wireOf = ({ body, messages = [], bytes: upstreamBytes }: Outgoing): string =>
  JSON.stringify([body, messages, upstreamBytes === undefined ? '' : new TextDecoder().decode(upstreamBytes)])

function ofExample({ chat, mark }: Example, { vendor, facts, model }: Used): State {
  const dialect = dialectOf(vendor, 'chat', model)
  if (dialect === null) return 'not offered'
  const build = (body: JsonObject) => buildRequest(vendor, { model, ...body }, { kind: 'chat', model, stream: false, channel: facts })
  const upstreamRequest = build(chat)
  if (upstreamRequest.refused !== undefined) return 'refused'
  const { messages = [ask] } = chat
  const wire = wireOf(upstreamRequest)
  if (mark === undefined ? wire === wireOf(build({ messages })) : !wire.includes(mark)) return 'not offered'
  const isSame = Object.entries(chat).every(([name, value]) => JSON.stringify(upstreamRequest.body[name]) === JSON.stringify(value))
  return isOpenAIForm(dialect) && isSame ? 'passed on' : 'translated'
}

function ofKind(kind: Kind, { vendor, model }: Used): State {
  const dialect = dialectOf(vendor, kind, model)
  if (dialect === null) return 'not offered'
  return dialect.passthrough !== undefined && dialect.fallbackKind === undefined ? 'passed on' : 'translated'
}

/** The channel of a double. */
export function channelOf({ type, key, config, other = '', model }: VendorDouble): Used {
  const vendor = vendorByType(type)
  const channel = vendor && addressed(vendor, { baseUrl: 'https://upstream.example', key, config: JSON.stringify(config ?? {}), other })
  if (channel === null) throw new Error(`there is no channel of type ${type}`)
  return { ...channel, model }
}

/** The doubles that speak a dialect. */
const speakers = (dialect: Dialect): readonly VendorDouble[] =>
  doubles.filter((double) => {
    const { vendor, model } = channelOf(double)
    return dialectOf(vendor, 'chat', model) === dialect
  })

const countsFromCache = { usage: { prompt_tokens: 9, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 8 } } }

/** Whether counts of cached tokens are read: of OpenAI's form by a trial, of others by what the suite says. */
function ofCache({ vendor, model }: Used): State {
  const dialect = dialectOf(vendor, 'chat', model)
  if (dialect === null) return 'not offered'
  if (dialect.passthrough === undefined)
    return speakers(dialect).some(({ lacks = [] }) => !lacks.includes('cached')) ? 'translated' : 'not offered'
  const message = { role: 'assistant', content: 'Hi' }
  const seen = dialect.passthrough.response({ choices: [{ index: 0, message, finish_reason: 'stop' }], ...countsFromCache })
  return seen !== null && 'usage' in seen && seen.usage?.cachedTokens === 8 ? 'passed on' : 'not offered'
}

function ofStream(used: Used): State {
  const dialect = dialectOf(used.vendor, 'chat', used.model)
  return dialect?.passthrough === undefined && dialect?.stream === undefined ? 'not offered' : ofKind('chat', used)
}

/** Work that takes minutes, where the vendor has it so. */
const tasks = { pictures: 'pictures', videos: 'videos', songs: 'songs' } as const satisfies { readonly [F in Feature]?: TaskKind }

/** OpenAI's own form of videos is passed on, but for what a gateway must respond to itself. */
function ofTask(kind: TaskKind, { vendor, model }: Used): State {
  const dialect = taskDialectOf(vendor, kind, model)
  if (dialect === null) return 'not offered'
  return dialect === openaiVideos ? 'passed on' : 'translated'
}

/** Those in Anthropic's form are passed on. */
function ofBatches({ vendor }: Used): State {
  if (vendor.batches === undefined) return 'not offered'
  return 'dialect' in vendor.batches ? 'passed on' : 'translated'
}

const isKey = <T extends object>(table: T, name: string | number | symbol): name is keyof T => name in table

/** @param used a model of the vendor */
export function stateOf(feature: Feature, used: Used): State {
  if (isKey(examples, feature)) return ofExample(examples[feature], used)
  if (isKey(tasks, feature))
    return first([ofTask(tasks[feature], used), isKey(kinds, feature) ? ofKind(kinds[feature], used) : 'not offered'])
  if (isKey(kinds, feature)) return ofKind(kinds[feature], used)
  switch (feature) {
    case 'chat':
      return ofKind('chat', used)
    case 'stream':
      return ofStream(used)
    case 'cache usage':
      return ofCache(used)
    case 'batches':
      return ofBatches(used)
    case 'balance':
      return used.vendor.askBalance === undefined ? 'not offered' : 'passed on'
    case 'model list':
      return modelQuery(used.vendor) === null ? 'not offered' : 'passed on'
  }
}

/** The models that are tried. */
function modelsOf(vendor: Vendor): readonly string[] {
  const all = knownModels(vendor)
  return all.length === 0 ? ['any'] : all
}

/** What a vendor makes of a search of the web in a chat. */
export function searchOf(vendor: Vendor): State {
  if (vendor.rawProxy !== undefined) return 'passed on'
  const models = modelsOf(vendor)
  return first(models.map((model) => ofExample(search, { ...exampleChannel(vendor), model })))
}

/** What a vendor's present interface makes of a feature. */
export function featureOf(vendor: Vendor, feature: Feature): State {
  if (vendor.docs?.without?.includes(feature) === true) return 'not offered'
  if (vendor.rawProxy !== undefined) return feature === 'balance' ? 'not offered' : 'passed on'
  const models = modelsOf(vendor)
  const key = isKey(kinds, feature) ? vendor.docs?.keyOfKinds : undefined
  const state = first(models.map((model) => stateOf(feature, { ...exampleChannel(vendor, key), model })))
  return state === 'not offered' && vendor.docs?.untranslated?.includes(feature) === true ? 'refused' : state
}
