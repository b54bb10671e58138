import { FrameReader } from '@sluice/http1/web-socket-frames'
import type { StreamView } from '../apps/server/src/relay/model/upstream-response.ts'
import { frameReaderFor, messagesType } from '../apps/server/src/relay/wire/frame-readers.ts'
import { openAiProtocol } from '../apps/server/src/relay/wire/protocols/open-ai.ts'
import { passedView, translatedView } from '../apps/server/src/relay/wire/stream-views.ts'
import type { Script } from '../apps/server/test/fake-upstream.ts'
import { doubles } from '../apps/server/test/vendors/doubles/all.ts'
import { openaiDouble } from '../apps/server/test/vendors/doubles/openai.ts'
import type { ScriptedResponse, VendorDouble } from '../apps/server/test/vendors/vendor-double.ts'
import type { ChatDialect, Dialect } from '../packages/vendors/src/core/dialect.ts'
import { parseJson } from '../packages/vendors/src/core/is-object.ts'
import type { JsonObject } from '../packages/vendors/src/core/json.ts'
import { collected } from '../packages/vendors/src/protocols/shared/chat-collector.ts'
import { dialectOf } from '../packages/vendors/src/registry/dialect-of.ts'
import { buildRequest } from '../packages/vendors/src/registry/request/build-request.ts'
import { chatDialects } from '../packages/vendors/test/chat-dialects.ts'
import { channelOf } from '../tools/vendor-features.ts'

export interface Work {
  readonly work: () => void
  /** How many pieces it is about. */
  readonly count: number
}

/** The work for one dialect. */
export interface Wire {
  readonly name: string
  /** `null`: it has no streams. */
  readonly chunks: Work | null
  readonly request: () => void
  readonly whole: () => void
}

const context = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm' }
const chunkCount = 200
const usage = { prompt: 1_000, completion: 200 }

const tool = (name: string): JsonObject => ({
  type: 'function',
  function: {
    name,
    description: `${name}: looks up what is known about a place at a time. `.repeat(4),
    parameters: {
      type: 'object',
      properties: {
        place: { type: 'string', description: 'The name of the place.' },
        day: { type: 'string', enum: ['today', 'tomorrow'] },
      },
      required: ['place'],
    },
  },
})

/** A chat of usual size: eight kilobytes in ten turns, and two tools. */
const chat: JsonObject = {
  messages: [
    { role: 'system', content: 'Answer briefly, and say so where you are not sure. '.repeat(20) },
    ...Array.from({ length: 9 }, (_turn, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content: 'What do we know about the history of this place, and who wrote about it first? '.repeat(9),
    })),
  ],
  tools: [tool('weather'), tool('history')],
  temperature: 0.7,
  max_tokens: 1_000,
}

/** One for each chat dialect, in the order of its table. */
export function* wires(): Iterable<Wire> {
  for (const [name, dialect] of Object.entries(chatDialects)) yield wireOf(name, dialect)
}

/** Placeholders that some servers send as counts are the only difference of a dialect without a double. */
function wireOf(name: string, dialect: ChatDialect): Wire {
  const double = doubles.find((each) => speaks(each, dialect)) ?? openaiDouble
  const { vendor, facts, model } = channelOf(double)
  const own = { ...vendor, dialects: { chat: dialect } }
  const params = { kind: 'chat', model, stream: true, channel: facts } as const
  return {
    name,
    chunks: double.lacks?.includes('events') === true ? null : chunksOf(double, dialect),
    request: () => void JSON.stringify(buildRequest(own, chat, params).body),
    whole: wholeOf(double, dialect),
  }
}

function speaks(double: VendorDouble, dialect: ChatDialect): boolean {
  const { vendor, model } = channelOf(double)
  return dialectOf(vendor, 'chat', model) === dialect
}

/** The frames of a stream with many pieces of text: the piece in the middle is repeated. */
function longStream(double: VendorDouble): { readonly contentType: string; readonly frames: readonly Uint8Array[] } {
  const ask = (letter: string): ScriptedResponse => ({ text: letter.repeat(24), usage })
  const { contentType, frames } = double.stream(ask('a'))
  const others = double.stream(ask('b')).frames
  const at = frames.findIndex((frame, index) => Buffer.compare(frame, others[index] ?? frame) !== 0) + 1
  const piece = frames[at]
  if (piece === undefined) throw new Error(`${double.name} has no piece of text`)
  return { contentType, frames: [...frames.slice(0, at), ...Array.from({ length: chunkCount }, () => piece), ...frames.slice(at)] }
}

/** The frames of a WebSocket are taken off before its messages are read. */
function readerOf(contentType: string) {
  const reader = frameReaderFor(contentType, undefined)
  if (reader === null) throw new Error(`${contentType} has no reader`)
  if (contentType !== messagesType) return (frame: Uint8Array) => reader.push(frame)
  const queue: Uint8Array[] = []
  const sink = {
    message: ({ bytes }: { readonly bytes: Buffer }) => void queue.push(new Uint8Array(bytes)),
    ping() {},
    pong() {},
    close() {},
  }
  const messages = new FrameReader({ sink, isMasked: false, messageBytesMax: 1024 * 1024 })
  return (frame: Uint8Array) => {
    messages.push(Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength))
    return queue.splice(0).flatMap((message) => reader.push(message))
  }
}

/** A stream from the vendor's frames to the client's events, by a dialect of any kind. */
export function chunksOf(double: VendorDouble, dialect: Dialect, { streamError } = openAiProtocol): Work {
  const { contentType, frames } = longStream(double)
  const options = { context, wantsUsage: true, streamError }
  const { passthrough } = dialect
  const check = { isComplete: false }
  const viewOf = (): StreamView => {
    if (passthrough !== undefined) return passedView(passthrough, options)
    if (dialect.stream === undefined) throw new Error(`${double.name} has no streams`)
    return translatedView(dialect.stream(context), options)
  }
  const work = (): void => {
    const read = readerOf(contentType)
    const view = viewOf()
    for (const frame of frames) for (const event of read(frame)) view.event(event)
    check.isComplete = view.end().isComplete
  }
  work()
  if (!check.isComplete) throw new Error(`the stream of ${double.name} has no end`)
  return { work, count: frames.length }
}

const bytesOf = (script: Script): readonly Uint8Array[] => script.flatMap((step) => (step.do === 'send' ? [Buffer.from(step.bytes)] : []))

/** A whole response of 800 characters, from its bytes to the bytes that the client gets. */
function wholeOf(double: VendorDouble, dialect: ChatDialect): () => void {
  const script = double.whole({ text: 'lorem ipsum dolor sit amet '.repeat(30), usage })
  const [head] = script
  const contentType = head?.do === 'head' ? (head.headers?.['content-type'] ?? '') : ''
  if (frameReaderFor(contentType, undefined) !== null) return collecting(contentType, bytesOf(script), dialect)
  const bytes = Buffer.concat(bytesOf(script))
  const decoder = new TextDecoder()
  return () => {
    const json = parseJson(decoder.decode(bytes)) ?? null
    if (dialect.passthrough !== undefined) dialect.passthrough.response(json)
    else JSON.stringify(dialect.response(json, context))
  }
}

function collecting(contentType: string, frames: readonly Uint8Array[], dialect: ChatDialect): () => void {
  return () => {
    const read = readerOf(contentType)
    const stream = dialect.stream(context)
    const steps = frames.flatMap(read).map(({ data, name }) => stream.event(data ?? '', name))
    JSON.stringify(collected(steps, { usage: stream.end().usage, context }))
  }
}

/** A frame of each kind, with a hundred characters of text. */
export function* frameWorks(): Iterable<Work & { readonly name: string }> {
  const seen = new Set<string>()
  for (const double of doubles) {
    if (double.lacks?.includes('events') === true) continue
    const { contentType, frames } = double.stream({ text: 'a'.repeat(300), usage })
    if (seen.has(contentType)) continue
    seen.add(contentType)
    const work = (): void => {
      const read = readerOf(contentType)
      for (const frame of frames) for (const { data } of read(frame)) void data
    }
    yield { name: contentType, work, count: frames.length }
  }
}
