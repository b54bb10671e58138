import type { Dialect } from '../../packages/vendors/src/core/dialect.ts'
import type { Json, JsonObject } from '../../packages/vendors/src/core/json.ts'
import { JsonCounter, JsonTally } from '../../packages/vendors/src/core/json-counter.ts'
import type { Kind } from '../../packages/vendors/src/core/kind.ts'
import { noUsage } from '../../packages/vendors/src/core/no-usage.ts'
import { Rewrites } from '../../packages/vendors/src/core/rewrites.ts'
import { ShallowReader } from '../../packages/vendors/src/core/shallow-json.ts'
import { MessageReader } from '../../packages/vendors/src/protocols/anthropic/message-reader.ts'
import { messageStream } from '../../packages/vendors/src/protocols/anthropic/message-stream.ts'
import { askAnthropicModels } from '../../packages/vendors/src/protocols/anthropic/model-list.ts'
import { anthropicStream } from '../../packages/vendors/src/protocols/anthropic/stream.ts'
import { askSignedAction } from '../../packages/vendors/src/protocols/balances/action.ts'
import { askCredits } from '../../packages/vendors/src/protocols/balances/credits.ts'
import { askDashboard } from '../../packages/vendors/src/protocols/balances/shapes.ts'
import { bodyUseOf } from '../../packages/vendors/src/protocols/bodies/body-use.ts'
import { CallParts } from '../../packages/vendors/src/protocols/gemini/call-parts.ts'
import { askGeminiModels } from '../../packages/vendors/src/protocols/gemini/model-list.ts'
import { geminiStream } from '../../packages/vendors/src/protocols/gemini/response.ts'
import { OpenCalls } from '../../packages/vendors/src/protocols/generate/open-calls.ts'
import { createResponse } from '../../packages/vendors/src/protocols/generate/response.ts'
import { createMessageEvents } from '../../packages/vendors/src/protocols/messages/message-events.ts'
import { openai } from '../../packages/vendors/src/protocols/openai/dialect.ts'
import { ToolCallIndexes } from '../../packages/vendors/src/protocols/openai/repair-tool-calls.ts'
import { ResponseSoFar } from '../../packages/vendors/src/protocols/responses/failed-response.ts'
import { OwnCalls } from '../../packages/vendors/src/protocols/responses/own-calls.ts'
import { createResponseEvents } from '../../packages/vendors/src/protocols/responses/response-events.ts'
import { createChatChunks } from '../../packages/vendors/src/protocols/responses/to-chunks.ts'
import { WrittenItems } from '../../packages/vendors/src/protocols/responses/written-items.ts'
import { causableUsage } from '../../packages/vendors/src/registry/causable-usage.ts'
import { dialectOf } from '../../packages/vendors/src/registry/dialect-of.ts'
import { vendors } from '../../packages/vendors/src/registry/list.ts'
import { buildRequest } from '../../packages/vendors/src/registry/request/build-request.ts'
import { askEntraToken } from '../../packages/vendors/src/vendors/azure/credential.ts'
import { askBaiduToken } from '../../packages/vendors/src/vendors/baidu/credential.ts'
import { askBedrockModels } from '../../packages/vendors/src/vendors/bedrock/model-list.ts'
import { createConverseReader, eventsOf } from '../../packages/vendors/src/vendors/bedrock/reader.ts'
import { askCloudflareModels } from '../../packages/vendors/src/vendors/cloudflare/model-list.ts'
import { askGoogleToken } from '../../packages/vendors/src/vendors/google/service-account.ts'
import { createHeldBack } from '../../packages/vendors/src/vendors/tencent/stop-words.ts'
import { exampleChannel, targetOf } from '../../packages/vendors/test/channel.ts'
import { taskContext } from '../../packages/vendors/test/tasks.ts'
import { anyOf, json, objectLists, textLists, texts, within } from './hostile-arguments.ts'
import { dataOf, events } from './hostile-events.ts'
import { hostileMembers, hostileTexts, isObject } from './hostile-json.ts'
import type { ParameterRow } from './place.ts'
import { chat, generated, message, response } from './protocol-documents.ts'
import type { Row } from './rows.ts'

const context = { id: 'a', created: 1_700_000_000, model: 'm' }

function counted(pieces: readonly string[]): JsonCounter {
  const counter = new JsonCounter()
  for (const piece of pieces) counter.pushText(piece)
  return counter
}

interface Chunks {
  chunk(chunk: JsonObject): unknown
  end(usage: null): unknown
  whole?(usage: null): unknown
}

/** Chunks of a chat are written as the events of another protocol. */
const writerRow = (open: () => Chunks): Row => ({
  inputs: events,
  call(list) {
    const writer = open()
    for (const chunk of chunksIn(list)) writer.chunk(chunk)
    return [writer.end(null), writer.whole?.(null)]
  },
})

function chunksIn(list: unknown): readonly JsonObject[] {
  return dataOf(list).flatMap((data) => {
    const value: unknown = JSON.parse(data)
    return isObject(value) ? [value] : []
  })
}

interface Stream {
  event(data: string): unknown
  end(): unknown
}

/** A stream gets its events one after the other, and ends. */
const streamRow = (open: () => Stream): Row => ({
  inputs: events,
  call(list) {
    const stream = open()
    for (const data of dataOf(list)) stream.event(data)
    return stream.end()
  },
})

type Query = (context: ReturnType<typeof taskContext>, responses: readonly Json[]) => unknown

/** A query gets the same response twice. */
const queryRow = (query: Query): Row => ({
  inputs: within(json, (value) => [value, value]),
  // Holds: the inputs are lists of JSON.
  call: (responses) => query(taskContext('https://a.example'), responses as readonly Json[]),
})

/** Bodies of one protocol, one text after the other hostile, and one member after the other of another form. */
const bodies = (document: JsonObject): ParameterRow => ({
  plain: document,
  hostile: () => [...hostileTexts(document), ...hostileMembers(document)],
})

/** Every vendor with a request of its own form gets the chat. */
const ofVendors: Row = {
  inputs: bodies(chat),
  calls: Object.fromEntries(
    vendors.map((vendor) => [
      vendor.name,
      (body) => {
        const { vendor: addressed, facts } = exampleChannel(vendor, 'a|b|c')
        // Holds: the inputs are objects.
        const request = body as JsonObject
        return buildRequest(addressed, request, { kind: 'chat', model: vendor.models.names[0] ?? 'm', stream: false, channel: facts })
      },
    ]),
  ),
}

/** The dialects of a kind that are made of chats: one for each dialect of chats. */
function dialectsFromChats(kind: Kind): ReadonlyMap<string, Dialect> {
  const dialects = vendors.map((vendor) => [dialectOf(vendor, kind, vendor.models.names[0] ?? 'm'), `${kind} by ${vendor.name}`] as const)
  return new Map([...new Map(dialects)].flatMap(([dialect, name]) => (dialect === null ? [] : [[name, dialect]])))
}

function callsOf(kind: Kind, call: (dialect: Dialect, value: unknown) => unknown): Readonly<Record<string, (value: unknown) => unknown>> {
  return Object.fromEntries([...dialectsFromChats(kind)].map(([name, dialect]) => [name, (value) => call(dialect, value)]))
}

/** Holds: the inputs are objects. */
const requestOf = (dialect: Dialect, body: unknown): unknown => dialect.request(body as JsonObject, targetOf({ model: 'm', stream: true }))

function streamOf(dialect: Dialect, list: unknown): unknown {
  const stream = dialect.stream?.(context)
  for (const data of dataOf(list)) stream?.event(data)
  return [stream?.end(), stream?.whole?.()]
}

const folder = 'packages/vendors/src'
const storage: Row = { none: 'Holds what it is given by key, and searches nothing: its users have rows.' }

/** Names of models in a body, and the same ones in the usage of its response. */
const namedModels: Row = {
  inputs: textLists,
  call(list) {
    const names = dataOf(list)
    const use = bodyUseOf('chat', { models: names, fallbacks: names })
    const delegated = names.map((name) => ({ models: [name, name] as const, usage: noUsage }))
    const cause = { use, model: 'm', nameOf: (model: string) => model, images: 0, characters: 0, hasAudio: false }
    return causableUsage({ ...noUsage, delegated, responseModel: names[0] ?? 'm' }, cause)
  },
}

export const rowsOfVendors: Readonly<Record<string, Row>> = {
  [`${folder}/protocols/responses/own-calls.ts#OwnCalls`]: {
    inputs: objectLists,
    call(list) {
      const own = new OwnCalls()
      // Holds: the inputs are lists of objects.
      return (list as readonly JsonObject[]).map((item) => own.read(item))
    },
  },
  [`${folder}/protocols/gemini/call-parts.ts#CallParts`]: {
    inputs: textLists,
    call(list) {
      const calls = new CallParts()
      const part = (jsonPath: string) => ({ partialArgs: [{ jsonPath, stringValue: 'a' }], willContinue: true })
      calls.take({ name: 'a', ...part('$.a') }, undefined)
      for (const path of dataOf(list)) for (const one of [`$${path}`, `$.a['${path}']`]) calls.take(part(one), undefined)
      return calls.end()
    },
  },
  [`${folder}/registry/causable-usage.ts#causableUsage`]: namedModels,
  [`${folder}/protocols/bodies/body-use.ts#withCallLimit`]: { none: 'It takes the smaller of counts that bodyUseOf has read.' },
  [`${folder}/core/rewrites.ts#Rewrites`]: {
    inputs: textLists,
    call(list) {
      const rewrites = new Rewrites()
      for (const text of dataOf(list)) rewrites.note('tool_names', text)
      return rewrites.entries
    },
  },
  [`${folder}/protocols/anthropic/message-reader.ts#MessageReader`]: streamRow(() => new MessageReader()),
  [`${folder}/protocols/anthropic/message-stream.ts#messageStream`]: streamRow(() => messageStream(context, (data) => data)),
  [`${folder}/protocols/anthropic/stream.ts#anthropicStream`]: streamRow(() => anthropicStream(context)),
  [`${folder}/protocols/gemini/response.ts#geminiStream`]: streamRow(() => geminiStream(context)),
  [`${folder}/protocols/messages/message-events.ts#createMessageEvents`]: writerRow(() => createMessageEvents(context)),
  [`${folder}/protocols/responses/response-events.ts#createResponseEvents`]: writerRow(() => createResponseEvents(context)),
  [`${folder}/protocols/generate/response.ts#createResponse`]: writerRow(() => createResponse(context)),
  [`${folder}/protocols/responses/to-chunks.ts#createChatChunks`]: streamRow(() => ({
    event: createChatChunks(true).event,
    end: () => null,
  })),
  [`${folder}/protocols/openai/repair.ts#createChatRepair`]: { none: 'Called as the member `repair` of what is passed through.' },
  [`${folder}/protocols/openai/repair-tool-calls.ts#ToolCallIndexes`]: {
    inputs: objectLists,
    call(list) {
      const indexes = new ToolCallIndexes()
      // Holds: the inputs are lists of objects.
      return indexes.kept(list as readonly JsonObject[], 'a')
    },
  },
  [`${folder}/protocols/responses/failed-response.ts#ResponseSoFar`]: {
    inputs: objectLists,
    call(list) {
      const response = new ResponseSoFar()
      // Holds: the inputs are lists of objects.
      for (const event of list as readonly JsonObject[]) response.note({ type: 'response.output_item.added', output_index: 1, ...event })
      return response.failed({ code: null, message: '' }, { id: 'a', created: 1, model: 'm' })
    },
  },
  [`${folder}/protocols/responses/written-items.ts#WrittenItems`]: {
    inputs: json,
    call(value) {
      const items = new WrittenItems()
      const seen = { usage: null, text: '', finished: false, usageOnly: false, failure: null }
      // Holds: the inputs are JSON.
      return items.whole(
        { type: 'response.output_item.done', item: isObject(value) ? (value as JsonObject) : { output: value as Json } },
        seen,
      )
    },
  },
  [`${folder}/protocols/generate/open-calls.ts#OpenCalls`]: {
    inputs: textLists,
    call(list) {
      const calls = new OpenCalls()
      const ids = dataOf(list)
      for (const id of ids) calls.add({ id, name: 'a' })
      return ids.map((id) => [calls.takeById(id), calls.takeNamed('a')])
    },
  },
  [`${folder}/core/json-counter.ts#JsonTally`]: {
    inputs: textLists,
    call(list) {
      const tally = new JsonTally()
      for (const text of dataOf(list)) tally.add(text)
      return tally.excess
    },
  },
  [`${folder}/core/json-counter.ts#JsonCounter`]: {
    inputs: anyOf(
      texts,
      within(json, (value) => JSON.stringify(value)),
    ),
    calls: {
      'at once': (text) => counted([String(text)]),
      'in pieces of 7 characters': (text) => counted(String(text).match(/.{1,7}/gs) ?? []),
    },
  },
  [`${folder}/core/shallow-json.ts#ShallowReader`]: {
    inputs: anyOf(
      texts,
      within(json, (value) => JSON.stringify(value)),
    ),
    call(text) {
      const bytes = new TextEncoder().encode(String(text))
      const reader = new ShallowReader(bytes)
      while (reader.advance(4_096));
      return reader.value
    },
  },
  [`${folder}/protocols/shared/repeated-calls.ts#WholeCalls`]: storage,
  [`${folder}/vendors/tencent/stop-words.ts#createHeldBack`]: {
    inputs: textLists,
    call(list) {
      const held = createHeldBack(['END', '\n\n'])
      return [...dataOf(list).map((text) => held.add(text)), held.end(true)]
    },
  },
  [`${folder}/protocols/rules/cut-at-stops.ts#cutting`]: {
    inputs: textLists,
    call(list) {
      const stream = openai.stream({ ...context, cutAt: ['END', `${'\n'.repeat(63)}a`] })
      const content = dataOf(list).join('')
      return [stream.event(JSON.stringify({ choices: [{ index: 0, delta: { content } }] })), stream.end()]
    },
  },
  [`${folder}/vendors/bedrock/reader.ts#createConverseReader`]: {
    inputs: json,
    call(value) {
      const reader = createConverseReader(context)
      // Holds: the inputs are JSON.
      for (const event of eventsOf(value as Json) ?? []) reader.take(event)
      return reader.end()
    },
  },
  [`${folder}/registry/request/build-request.ts#buildRequest`]: ofVendors,
  [`${folder}/protocols/messages/by-chat.ts#messagesByChat`]: { inputs: bodies(message), calls: callsOf('messages', requestOf) },
  [`${folder}/protocols/responses/by-chat.ts#byChat`]: { inputs: bodies(response), calls: callsOf('responses', requestOf) },
  [`${folder}/protocols/generate/by-chat.ts#generateByChat`]: { inputs: bodies(generated), calls: callsOf('generate', requestOf) },
  [`${folder}/registry/dialect-of.ts#dialectOf`]: {
    inputs: events,
    calls: { ...callsOf('messages', streamOf), ...callsOf('responses', streamOf), ...callsOf('generate', streamOf) },
  },
  [`${folder}/protocols/openai/stream-usage.ts#passing`]: { none: 'Makes dialects of the table, whose members are called.' },
  ...Object.fromEntries(
    Object.entries({
      'protocols/anthropic/model-list.ts#askAnthropicModels': askAnthropicModels,
      'vendors/bedrock/model-list.ts#askBedrockModels': askBedrockModels,
      'vendors/cloudflare/model-list.ts#askCloudflareModels': askCloudflareModels,
      'protocols/gemini/model-list.ts#askGeminiModels': askGeminiModels,
      'protocols/balances/action.ts#askSignedAction': askSignedAction,
      'protocols/balances/credits.ts#askCredits': askCredits,
      'protocols/balances/shapes.ts#askDashboard': askDashboard,
      'vendors/azure/credential.ts#askEntraToken': askEntraToken,
      'vendors/baidu/credential.ts#askBaiduToken': askBaiduToken,
      'vendors/google/service-account.ts#askGoogleToken': askGoogleToken,
    }).map(([name, query]) => [`${folder}/${name}`, queryRow(query)]),
  ),
  ...Object.fromEntries(
    ['vendors/google/omni/video-params.ts#bodyFor', 'vendors/pixverse/video-params.ts#bodyFor'].map((name) => [
      `${folder}/${name}`,
      { none: 'Called by `submit` of its task, with what paramsOf has read.' },
    ]),
  ),
}
