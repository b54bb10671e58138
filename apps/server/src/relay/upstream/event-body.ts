import type { SseEvent } from '../model/sse-event.ts'
import type { StreamSource } from '../model/upstream-response.ts'
import { isWholeData, splitEvent } from '../wire/loose-events.ts'
import { createNdjsonReader } from '../wire/ndjson.ts'
import { createSseReader, imageLineBytesMax, type SseReader } from '../wire/sse.ts'
import type { BodySink, UpstreamResponse } from './http1/client.ts'

const decoder = new TextDecoder()
const [lineFeed, openBrace] = [0x0a, 0x7b]
/** Longest beginning of a body that is looked at. */
const beginningBytes = 64

/** Whether a body is one of server-sent events, whatever its content type says. */
function beginsEvents(bytes: Uint8Array): boolean {
  // Nearly every body is an object.
  if (bytes[0] === openBrace) return false
  return /^\s*(?:data:|event:|id:|retry:|:)/.test(decoder.decode(bytes.subarray(0, beginningBytes)))
}

/** Longest first line of lines of JSON that is looked for. */
const firstLineBytesMax = 64 * 1024

/** Whether a body is one of lines of JSON, as Ollama streams, whatever its content type says: its first line is an object, and another follows. */
function beginsLines(bytes: Uint8Array): boolean {
  if (bytes[0] !== openBrace) return false
  const end = bytes.subarray(0, firstLineBytesMax).indexOf(lineFeed)
  return end !== -1 && !isBlank(bytes.subarray(end)) && isWholeData(decoder.decode(bytes.subarray(0, end)))
}

/** How the events of a body are read, by its beginning; `null`: it is none of events, or its first line is all that has come. */
export function readerOf(bytes: Uint8Array, lineMax: number | undefined): SseReader | null {
  if (beginsEvents(bytes)) return createSseReader(lineMax)
  return beginsLines(bytes) ? createNdjsonReader(lineMax) : null
}

/** The events of a whole body. @throws SseLineTooLong */
export function eventsIn(bytes: Uint8Array): readonly SseEvent[] {
  const reader = readerOf(bytes, imageLineBytesMax) ?? createSseReader(imageLineBytesMax)
  const events = [...reader.push(bytes), ...(reader.end?.() ?? [])]
  return events.flatMap((event) => splitEvent(event) ?? [event])
}

/** Events that have come whole. @throws SseLineTooLong */
export function receivedSource(bytes: Uint8Array): StreamSource {
  let events: readonly SseEvent[] | null = eventsIn(bytes)
  function taken(): readonly SseEvent[] | null {
    const all = events
    events = null
    return all
  }
  const nothing = (): void => undefined
  return {
    next: () => Promise.resolve(taken()),
    flow(sink) {
      const all = taken()
      if (all !== null) sink.events(all)
      sink.end()
    },
    pause: nothing,
    resume: nothing,
    close: nothing,
    abort: nothing,
  }
}

/** A response whose first bytes have been looked at. */
interface Peeked {
  readonly first: Uint8Array
  /** The whole of it. */
  readonly response: UpstreamResponse
}

/** Most bytes of blank lines in front of a body that are waited for. */
const blankBytesMax = 64 * 1024

/** Waits for the first bytes of a body that say something. @param alive called for each sign of life */
export async function peeked(response: UpstreamResponse, alive: () => void): Promise<Peeked> {
  const held: Uint8Array[] = []
  const begun = Promise.withResolvers<Uint8Array>()
  let blankBytes = 0
  let sink: BodySink | null = null
  let ended: ((sink: BodySink) => void) | null = null
  response.pipe({
    data(bytes) {
      if (sink !== null) {
        sink.data(bytes)
        return
      }
      held.push(bytes)
      blankBytes += bytes.length
      if (isBlank(bytes) && blankBytes < blankBytesMax) {
        alive()
        return
      }
      response.pause()
      begun.resolve(bytes)
    },
    end() {
      ended = (to) => to.end()
      sink?.end()
      begun.resolve(new Uint8Array())
    },
    fail(error) {
      ended = (to) => to.fail(error)
      sink?.fail(error)
      begun.reject(error)
    },
  })
  const first = await begun.promise
  return {
    first,
    response: {
      status: response.status,
      header: (name) => response.header(name),
      pause: () => response.pause(),
      resume: () => response.resume(),
      abort: () => response.abort(),
      pipe(to) {
        for (const bytes of held.splice(0)) to.data(bytes)
        sink = to
        if (ended === null) response.resume()
        else ended(to)
      },
    },
  }
}

/** Whether bytes are nothing but blanks and ends of lines. */
export const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0x0a || byte === 0x0d || byte === 0x20)
