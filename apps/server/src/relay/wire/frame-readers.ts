import { createEventStreamReader } from './event-stream.ts'
import { createNdjsonReader } from './ndjson.ts'
import { createSseReader, type SseReader } from './sse.ts'

/** Splits the bytes of a stream into events, whatever pieces they come in. */
export type FrameReader = SseReader

/** The content type that stands for the messages of a WebSocket, which have none of their own. */
export const messagesType = 'application/x-websocket-messages'

const decoder = new TextDecoder()
/** Every piece is a message. */
const messageReader: FrameReader = { push: (message) => [{ data: decoder.decode(message), raw: message }] }

/** Readers of streams by content type: how bytes become events follows from the response, not from the vendor. */
const readers: ReadonlyMap<string, (lineMax: number | undefined) => FrameReader> = new Map([
  ['text/event-stream', createSseReader],
  ['application/x-ndjson', createNdjsonReader],
  ['application/ndjson', createNdjsonReader],
  ['application/jsonl', createNdjsonReader],
  ['application/vnd.amazon.eventstream', createEventStreamReader],
  [messagesType, () => messageReader],
])

/** @param lineMax longest line, or frame, in bytes. `null`: the type is not one of a stream of events */
export function frameReaderFor(mediaType: string, lineMax: number | undefined): FrameReader | null {
  return readers.get(mediaType)?.(lineMax) ?? null
}
