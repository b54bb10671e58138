import { tmpdir } from 'node:os'
import { ClientAbort } from '@sluice/http1/client-abort'
import { Garbage } from '@sluice/http1/garbage'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import type { ResponseStream } from '@sluice/http1/response'
import { AppError } from '../../apps/server/src/lib/app-error.ts'
import { isInSubnets, parseSubnet } from '../../apps/server/src/lib/cidr.ts'
import { systemClock } from '../../apps/server/src/lib/clock.ts'
import { createDeadlines } from '../../apps/server/src/lib/deadlines.ts'
import { noFailpoints } from '../../apps/server/src/lib/failpoints.ts'
import { createLargeJson } from '../../apps/server/src/lib/large-json.ts'
import { createMutex } from '../../apps/server/src/lib/mutex.ts'
import { createSpool } from '../../apps/server/src/lib/spool.ts'
import { createUnpacker } from '../../apps/server/src/lib/unpack.ts'
import { listsIn } from '../../apps/server/src/relay/ingress/form-lists.ts'
import { needJson } from '../../apps/server/src/relay/ingress/json-type.ts'
import { readMultipart } from '../../apps/server/src/relay/ingress/multipart.ts'
import { createMultipartParser } from '../../apps/server/src/relay/ingress/multipart-parser.ts'
import { preflight } from '../../apps/server/src/relay/ingress/preflight.ts'
import { headersIn } from '../../apps/server/src/relay/ingress/read-request.ts'
import { readFiles } from '../../apps/server/src/relay/ingress/read-task-params.ts'
import { keyOf } from '../../apps/server/src/relay/ingress/token-key.ts'
import type { Part } from '../../apps/server/src/relay/model/form.ts'
import { readDurationMs } from '../../apps/server/src/relay/pricing/audio-duration.ts'
import { readDocument } from '../../apps/server/src/relay/pricing/document-facts.ts'
import { PromptMedia } from '../../apps/server/src/relay/pricing/prompt-media.ts'
import { responseModels } from '../../apps/server/src/relay/pricing/response-model-price.ts'
import { withUnreadText } from '../../apps/server/src/relay/pricing/unread-text.ts'
import { asChat } from '../../apps/server/src/relay/response/chat-of-response.ts'
import { DeliveredText } from '../../apps/server/src/relay/response/delivered-text.ts'
import { asJsonArray } from '../../apps/server/src/relay/response/json-array.ts'
import { clientError } from '../../apps/server/src/relay/wire/error-response.ts'
import { createEventStreamReader } from '../../apps/server/src/relay/wire/event-stream.ts'
import { createNdjsonReader, createSkippingNdjsonReader } from '../../apps/server/src/relay/wire/ndjson.ts'
import { openAiProtocol } from '../../apps/server/src/relay/wire/protocols/open-ai.ts'
import { createSseReader, type SseReader } from '../../apps/server/src/relay/wire/sse.ts'
import { passedView, responseAsStream, translatedView } from '../../apps/server/src/relay/wire/stream-views.ts'
import type { Json } from '../../packages/vendors/src/core/json.ts'
import { noUsage } from '../../packages/vendors/src/core/no-usage.ts'
import { bodyUseOf } from '../../packages/vendors/src/protocols/bodies/body-use.ts'
import { pivotOf } from '../../packages/vendors/src/protocols/pivot-of.ts'
import { chatDialects } from '../../packages/vendors/test/chat-dialects.ts'
import { anyOf, bytes, json, textLists, texts, within } from './hostile-arguments.ts'
import { dataOf, events } from './hostile-events.ts'
import { many } from './hostile-json.ts'
import type { ParameterRow } from './place.ts'
import type { Row } from './rows.ts'

const encoder = new TextEncoder()
const options = { context: { id: 'a', created: 1_700_000_000, model: 'm' }, wantsUsage: true, streamError: openAiProtocol.streamError }

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : encoder.encode(String(value))
}

/** A reader gets the bytes at once, and in small chunks. */
const readerRow = (open: () => SseReader): Row => ({
  inputs: anyOf(bytes, eventBytes),
  calls: {
    'at once': (value) => readAll(open(), [bytesOf(value)]),
    'in chunks of 64 bytes': (value) => readAll(open(), chunksOf(bytesOf(value), 64)),
  },
})

const eventBytes = within(events, (list) => encoder.encode(streamText(list)))

function streamText(list: unknown): string {
  return dataOf(list)
    .map((data) => `data: ${data}\n\n`)
    .join('')
}

function readAll(reader: SseReader, chunks: readonly Uint8Array[]): unknown {
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...(reader.end?.() ?? [])]
}

function chunksOf(all: Uint8Array, length: number): readonly Uint8Array[] {
  return many(all.length, length, (index) => all.subarray(index * length, (index + 1) * length))
}

/** A view gets the events of a stream as they are read. */
function view(open: () => ReturnType<typeof passedView>): Row {
  return {
    inputs: eventBytes,
    call(value) {
      const stream = open()
      for (const event of createSseReader().push(bytesOf(value))) stream.event(event)
      return stream.end()
    },
  }
}

/** A request with a body, which comes in chunks. */
function request(body: Uint8Array, headers: Readonly<Record<string, string>>): IncomingRequest {
  const left = [...chunksOf(body, 16 * 1024)]
  const next = async (): Promise<Uint8Array | null> => left.shift() ?? null
  const fields = new Map(Object.entries(headers))
  return {
    method: 'POST',
    url: '/v1/chat/completions',
    headers: { get: (name) => fields.get(name) ?? null, has: (name) => fields.has(name) },
    signal: new ClientAbort(),
    bodyLength: body.byteLength,
    body: { read: next, bytes: async () => body, taken: () => null, cancel: () => undefined },
  }
}

/** One header of a request after the other is hostile. */
const headers = (...names: readonly string[]): ParameterRow => {
  const [first = texts, ...others] = names.map((name) => within(texts, (text) => ({ [name]: String(text) })))
  return anyOf(first, ...others)
}

const withHeaders = (inputs: ParameterRow, call: (received: IncomingRequest) => unknown): Row => ({
  inputs,
  // Holds: the inputs are headers by name.
  call: (value) => call(request(new Uint8Array(), value as Readonly<Record<string, string>>)),
})

const formDeps = {
  deadlines: createDeadlines(systemClock),
  openSpool: () => createSpool({ reached: noFailpoints, folders: [tmpdir()] }),
  spooling: createMutex(2),
  unpacker: createUnpacker(() => createSpool({ reached: noFailpoints, folders: [tmpdir()] })),
  garbage: new Garbage(1024 * 1024),
}
const limits = { bodyBytesMax: 64 * 1024 * 1024, bodyMs: 600_000 }

/** Forms with a hostile header of a part, hostile content, and many parts. */
const forms: ParameterRow = anyOf(
  within(texts, (text) => encoder.encode(`--b\r\nContent-Disposition: form-data; name="a"\r\nX:${String(text)}\r\n\r\na\r\n--b--\r\n`)),
  within(texts, (text) => encoder.encode(`--b\r\nContent-Disposition: ${String(text)}\r\n\r\na\r\n--b--\r\n`)),
  within(texts, (text) => encoder.encode(`--b\r\nContent-Disposition: form-data; name="${String(text)}"\r\n\r\na\r\n--b--\r\n`)),
  within(texts, (text) => encoder.encode(`--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${String(text)}\r\n--b--\r\n`)),
  {
    plain: new Uint8Array(),
    hostile: () => [
      { name: 'many parts', make: (length) => encoder.encode(`${many(length, 60, partOf).join('')}--b--\r\n`) },
      { name: 'many boundaries that are cut', make: (length) => encoder.encode(`--b\r\n\r\n\r\n${'\r\n--'.repeat(length / 4)}`) },
    ],
  },
)

function partOf(index: number): string {
  return `--b\r\nContent-Disposition: form-data; name="a${index}[]"\r\n\r\na\r\n`
}

async function readForm(value: unknown): Promise<unknown> {
  const form = await readMultipart(request(bytesOf(value), { 'content-type': 'multipart/form-data; boundary=b' }), limits, formDeps)
  await form.close()
  return form.fields
}

function partsOf(names: readonly string[]): readonly Part[] {
  return names.map((name) => ({ name, fileName: null, contentType: null, byteLength: 1, read: async () => new Uint8Array(1) }))
}

/** A converted response writes its stream to nobody. */
function drain(
  convert: (response: { status: number; headers: Record<string, string>; body: (out: ResponseStream) => void }) => unknown,
  value: unknown,
): unknown {
  const response = convert({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: (out) => chunksOf(bytesOf(value), 64).map((chunk) => out.write(chunk)),
  })
  if (typeof response !== 'object' || response === null || !('body' in response) || typeof response.body !== 'function') return null
  return response.body({ write: () => true, end: () => undefined, reset: () => undefined, drained: () => undefined })
}

const subnets = ['10.0.0.0/8', 'fd00::/8'].flatMap((text) => [parseSubnet(text)]).filter((subnet) => subnet !== null)
const server = 'apps/server/src'
const holder: Row = { none: 'Holds what it is given by key or by number, and searches nothing.' }
const error: Row = { none: 'An error: it is made of texts that were cut, and does nothing with them.' }
const step: Row = { none: 'A step of a request over parts that have rows: the parser of forms, the readers of JSON and of kinds.' }

export const rowsOfServer: Readonly<Record<string, Row>> = {
  // lib
  [`${server}/lib/map-in-steps.ts#mapInSteps`]: { none: 'Calls a function for each item, which its caller gives.' },
  [`${server}/lib/read-in-steps.ts#readInSteps`]: { none: 'Calls a function that reads from the database, which its caller gives.' },
  [`${server}/lib/activity-board.ts#noBoard`]: { none: 'Does nothing.' },
  [`${server}/lib/app-error.ts#AppError`]: error,
  [`${server}/lib/forbidden-address.ts#ForbiddenAddress`]: error,
  [`${server}/lib/forbidden-address.ts#PrivateAddress`]: error,
  [`${server}/lib/pair-cache.ts#PairCache`]: holder,
  [`${server}/lib/short-lived-map.ts#ShortLivedMap`]: holder,
  [`${server}/lib/cidr.ts#isInSubnets`]: {
    inputs: anyOf(texts, textLists),
    call: (value) => isInSubnets(Array.isArray(value) ? '10.0.0.1' : String(value), subnets),
  },
  [`${server}/lib/large-json.ts#createLargeJson`]: {
    inputs: anyOf(
      bytes,
      within(json, (value) => encoder.encode(JSON.stringify(value))),
    ),
    call: (value) => createLargeJson().read(bytesOf(value)),
  },
  [`${server}/lib/body-chunks.ts#bodyChunks`]: step,
  [`${server}/lib/body-chunks.ts#codingOf`]: step,
  [`${server}/lib/read-json.ts#readJson`]: step,
  // relay/ingress
  [`${server}/relay/ingress/read-batch.ts#readBatch`]: step,
  [`${server}/relay/ingress/read-task-params.ts#readTaskParams`]: step,
  [`${server}/relay/ingress/read-task-params.ts#readFiles`]: { inputs: textLists, call: (list) => readFiles(partsOf(dataOf(list))) },
  [`${server}/relay/ingress/read-request.ts#readRequest`]: step,
  [`${server}/relay/ingress/read-request.ts#headersIn`]: withHeaders(headers('anthropic-beta'), (received) =>
    headersIn(received, ['anthropic-beta']),
  ),
  [`${server}/relay/ingress/json-type.ts#needJson`]: withHeaders(headers('content-type'), needJson),
  [`${server}/relay/ingress/preflight.ts#preflight`]: withHeaders(headers('access-control-request-headers'), (received) =>
    preflight({ request: received, requestId: 'a' }),
  ),
  [`${server}/relay/ingress/token-key.ts#keyOf`]: withHeaders(headers('authorization', 'x-api-key', 'sec-websocket-protocol'), (received) =>
    keyOf({ ...received, url: `/v1?key=${received.headers.get('authorization') ?? ''}` }, ['authorization', 'query', 'subprotocol']),
  ),
  [`${server}/relay/ingress/form-lists.ts#listsIn`]: {
    inputs: textLists,
    call: (list) => listsIn({ fields: new Map(), parts: partsOf(dataOf(list)), write: unused, close: async () => undefined }),
  },
  [`${server}/relay/ingress/multipart.ts#readMultipart`]: {
    inputs: headers('content-type'),
    call: async (value) =>
      (await readMultipart(request(new Uint8Array(), value as Readonly<Record<string, string>>), limits, formDeps)).close(),
  },
  [`${server}/relay/ingress/multipart-parser.ts#createMultipartParser`]: {
    inputs: forms,
    calls: {
      'at once': (value) => createMultipartParser('b').push(bytesOf(value)),
      'in chunks of 64 bytes': (value) => {
        const parser = createMultipartParser('b')
        return chunksOf(bytesOf(value), 64).map((chunk) => parser.push(chunk))
      },
      'as a whole form': readForm,
    },
  },
  // relay/pricing
  [`${server}/relay/pricing/response-model-price.ts#responseModels`]: {
    inputs: textLists,
    call: (list) => {
      const use = bodyUseOf('chat', { models: dataOf(list) })
      return responseModels({ params: { model: 'm', use }, usage: noUsage, isTold: false, channel: null })
    },
  },
  [`${server}/relay/pricing/audio-duration.ts#readDurationMs`]: {
    inputs: bytes,
    call: (value) => readDurationMs({ byteLength: bytesOf(value).length, read: async (from, to) => bytesOf(value).subarray(from, to) }),
  },
  [`${server}/relay/pricing/document-facts.ts#readDocument`]: {
    inputs: bytes,
    call: (value) => {
      const base64 = Buffer.from(bytesOf(value).toBase64())
      return readDocument({ byteLength: base64.length, read: async (from, to) => base64.subarray(from, to) })
    },
  },
  [`${server}/relay/pricing/frames/audio-frames.ts#framesSeconds`]: { none: 'Called by readDurationMs.' },
  [`${server}/relay/pricing/measure-media.ts#measureMedia`]: {
    none: 'Calls pictureTokens, audioTokens and documentTokens for each part; all are called by themselves.',
  },
  [`${server}/relay/pricing/measure-media.ts#mediaTokens`]: { none: 'Called by measureMedia.' },
  [`${server}/relay/pricing/prompt-media.ts#PromptMedia`]: {
    inputs: texts,
    call(value) {
      const media = new PromptMedia('gpt-4o')
      media.addImage(String(value))
      media.addAddress(String(value))
      media.addFile(String(value), String(value))
      return media.params
    },
  },
  [`${server}/relay/pricing/charge-text.ts#chargedText`]: { none: 'Line items of our own prices.' },
  [`${server}/relay/pricing/charge-text.ts#toolFormulaOf`]: { none: 'Line items of our own prices.' },
  [`${server}/lib/readable-output.ts#readableOutput`]: {
    none: 'Sixteen rows at a time, which their schema has checked anyway; one copy, and one step for each issue.',
  },
  [`${server}/relay/pricing/unread-text.ts#withUnreadText`]: {
    inputs: json,
    // Holds: the inputs are JSON.
    call(value) {
      const params = { model: 'm', isStream: false, wantsUsage: false, maxTokens: null, choices: 1, promptTokens: 0 }
      return withUnreadText(params, 'chat', { response_format: value as Json, other: value as Json })
    },
  },
  // relay/response
  [`${server}/relay/response/converted-stream.ts#ConvertedStream`]: {
    none: 'Sends on what asJsonArray and asChat make of a stream, which have rows.',
  },
  [`${server}/relay/response/delivered-text.ts#DeliveredText`]: {
    inputs: textLists,
    call(list) {
      const text = new DeliveredText()
      for (const piece of dataOf(list)) text.add(piece)
      return text.between(0, text.length)
    },
  },
  [`${server}/relay/response/json-array.ts#asJsonArray`]: { inputs: eventBytes, call: (value) => drain(asJsonArray, value) },
  [`${server}/relay/response/chat-of-response.ts#asChat`]: {
    inputs: eventBytes,
    call: (value) => drain((response) => asChat(response, true), value),
  },
  // relay/wire
  [`${server}/relay/wire/sse.ts#createSseReader`]: readerRow(() => createSseReader()),
  [`${server}/relay/wire/ndjson.ts#createNdjsonReader`]: readerRow(() => createNdjsonReader()),
  [`${server}/relay/wire/ndjson.ts#createSkippingNdjsonReader`]: readerRow(() => createSkippingNdjsonReader(1024)),
  [`${server}/relay/wire/event-stream.ts#createEventStreamReader`]: readerRow(() => createEventStreamReader()),
  [`${server}/relay/wire/sse.ts#SseLineTooLong`]: error,
  [`${server}/relay/wire/event-stream.ts#BrokenEventStream`]: error,
  [`${server}/relay/wire/same-events.ts#SameEventReader`]: { none: 'Called by passedView, which has a row.' },
  [`${server}/relay/wire/stream-views.ts#passedView`]: view(() => passedView(pivotOf('chat'), options)),
  [`${server}/relay/wire/stream-views.ts#translatedView`]: view(() => translatedView(chatDialects.gemini.stream(options.context), options)),
  [`${server}/relay/wire/stream-views.ts#responseAsStream`]: {
    inputs: json,
    // Holds: the inputs are JSON.
    call: (value) =>
      responseAsStream(value as Parameters<typeof responseAsStream>[0], { usage: null, context: options.context, wantsUsage: true }),
  },
  [`${server}/relay/wire/error-response.ts#clientError`]: {
    inputs: texts,
    call: (text) => clientError(new AppError('invalid_json', { params: { detail: String(text) } }), 'a'),
  },
  [`${server}/relay/wire/error-response.ts#errorResponse`]: { none: 'Writes what clientError makes, which has a row.' },
}

function unused(): never {
  throw new Error('no form is written')
}
