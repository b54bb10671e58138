import type { Failure } from '@sluice/vendors/core/failure'
import type { ResponseContext } from '@sluice/vendors/core/response'
import type { ChatStream } from '@sluice/vendors/core/stream'
import { type Collector, createCollector } from '@sluice/vendors/protocols/shared/chat-collector'
import { excessIn } from '@sluice/vendors/protocols/shared/response-parts'
import type { SseEvent } from '../model/sse-event.ts'
import type { AttemptResponse, StreamSource } from '../model/upstream-response.ts'
import { looseFailure, splitEvent } from '../wire/loose-events.ts'

interface Collecting {
  readonly stream: ChatStream
  readonly context: ResponseContext
  /** Called for every sign of life from the vendor. */
  readonly alive: () => void
}

type Events = Exclude<Awaited<ReturnType<StreamSource['next']>>, null>

/** What was read of a response so far. */
interface Read {
  readonly collector: Collector
  readonly texts: string[]
  isOver: boolean
}

/**
 * Reads a whole response that comes as a stream, because some models can only stream. `null`: it ended before its end marker. An event: the
 * whole body is JSON.
 */
export async function collectStream(
  source: StreamSource,
  { stream, context, alive }: Collecting,
): Promise<AttemptResponse | Failure | SseEvent | null> {
  const read: Read = { collector: createCollector(), texts: [], isOver: false }
  for (let events = await source.next(); events !== null; events = await source.next()) {
    const whole = events.find(({ isWhole }) => isWhole === true)
    if (whole !== undefined) return whole
    const failure = readEvents(events, stream, read)
    if (failure !== null) {
      source.abort()
      return failure.unread === undefined ? failure : { ...failure, unread: { usage: stream.end().usage, text: read.texts.join('') } }
    }
    if (read.isOver) break
    alive()
  }
  source.close()
  return responseOf(stream, read, context)
}

/** `null`: it ended before its end marker. */
function responseOf(stream: ChatStream, read: Read, context: ResponseContext): AttemptResponse | null {
  const { complete, usage, isPartial, rest = [] } = stream.end()
  if (!complete) return null
  for (const chunk of rest) read.collector.add(chunk)
  const text = read.texts.join('')
  if (stream.whole === undefined) {
    const body = JSON.stringify(read.collector.whole({ usage: isPartial === true ? null : usage, context }))
    return { kind: 'whole', usage, isPartial, text, contentType: 'application/json', body }
  }
  const whole = stream.whole()
  if (whole === null) return null
  return 'response' in whole
    ? {
        kind: 'whole',
        usage: whole.usage,
        isPartial: whole.isPartial,
        text,
        items: whole.items,
        contentType: 'application/json',
        body: JSON.stringify(whole.response),
      }
    : { kind: 'whole', usage: whole.usage, text, contentType: whole.contentType, body: whole.bytes }
}

/** @returns the last failure among the events; `null` = there is none */
function readEvents(events: Events, stream: ChatStream, read: Read): Failure | null {
  const { collector, texts } = read
  let failure: Failure | null = null
  for (const event of events.flatMap((one) => splitEvent(one) ?? [one])) {
    const { data, name } = event
    if (data === null) continue
    const step = stream.event(data, name)
    if (stream.whole === undefined) for (const chunk of step.chunks) collector.add(chunk)
    texts.push(step.text)
    const loose = step.failure === null ? looseFailure(event, (error) => stream.event(error).failure) : null
    failure = step.failure ?? loose ?? excessIn(collector) ?? failure
    read.isOver = step.isLast === true
  }
  return failure
}
