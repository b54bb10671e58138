import { isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { believed, laterUsage, partialUsage, sumOfUsages, withMedia } from '@sluice/vendors/core/no-usage'
import type { PassedEvent, Passthrough, StreamRepair } from '@sluice/vendors/core/passthrough'
import type { ReferableItem, ResponseContext } from '@sluice/vendors/core/response'
import type { ChatStream, StreamStep } from '@sluice/vendors/core/stream'
import type { Usage } from '@sluice/vendors/core/usage'
import { usageObject } from '@sluice/vendors/core/usage-object'
import { withSearches } from '@sluice/vendors/protocols/openai/search-results'
import { objectsIn } from '@sluice/vendors/protocols/shared/chat-parts'
import { mayHaveMedia } from '@sluice/vendors/protocols/shared/media-usage'
import type { ClientError } from '../model/client-error.ts'
import type { ErrorTeller, StreamError } from '../model/client-protocol.ts'
import type { AsStreamOptions } from '../model/kind-rules.ts'
import type { SseEvent } from '../model/sse-event.ts'
import type { StreamView, ViewEnd, ViewStep } from '../model/upstream-response.ts'
import { looseFailure, splitEvent } from './loose-events.ts'
import { SameEventReader } from './same-events.ts'
import { oneStep } from './single-step.ts'

const encoder = new TextEncoder()

/** Encodes one event in OpenAI's format. */
function encodeEvent(data: unknown): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(data)}\n\n`)
}

const lineFeed = 10
const doneEvent = encoder.encode('data: [DONE]\n\n')

export interface ViewOptions {
  readonly context: ResponseContext
  readonly wantsUsage: boolean
  readonly streamError: StreamError
  /** In its place, where the client gets more than the error. */
  readonly teller?: ErrorTeller | undefined
}

/** For a vendor that speaks the client's dialect: bytes pass unchanged, except for events that lack fields clients need. */
export function passedView(passthrough: Passthrough, options: ViewOptions): StreamView {
  return new PassedView(passthrough, options)
}

class PassedView implements StreamView {
  readonly #passthrough: Passthrough
  readonly #options: ViewOptions
  readonly #repair: StreamRepair | null
  readonly #reader: SameEventReader
  /** Events that the client got. */
  #eventCount = 0
  #usage: Usage | null = null
  /** Usage summed from single events, until the vendor sends the total. */
  #parts: Usage | null = null
  /** Images and audio so far. */
  #media: Usage | null = null
  #hasReasoning = false
  #isSourced = false
  #toolTokens = 0
  /** Web searches that single events reported. */
  #searches = 0
  #isFinished = false
  #terminator: Uint8Array | null = null
  #storedId: string | undefined
  #items: readonly ReferableItem[] | undefined
  /** The last event was rewritten instead of passed on. */
  #isRewritten = false
  /** The event of a finished response, held back because it may be the last one. */
  #held: Uint8Array | null = null

  constructor(passthrough: Passthrough, options: ViewOptions) {
    this.#passthrough = passthrough
    this.#options = options
    this.#repair = passthrough.repair?.(options.context, options.wantsUsage) ?? null
    const { changing, open } = passthrough
    const { teller } = options
    const note = teller === undefined ? undefined : (event: JsonObject) => teller.note(event)
    this.#reader = new SameEventReader(
      open === undefined ? passthrough : { event: open(note), ...(changing === undefined ? {} : { changing }) },
    )
  }

  event(event: SseEvent): ViewStep {
    const { raw } = event
    const same = this.#reader.same(event)
    if (same !== null) {
      this.#eventCount += 1
      return this.#stepOf(same, event)
    }
    const { data } = event
    const parts = splitEvent(event)
    if (parts !== null) return oneStep(parts.map((part) => this.event(part)))
    if (data === null)
      return { out: this.#withHeld(this.#isRestOf(raw) ? null : raw), text: '', failure: null, isTerminator: false, isEmpty: true }
    this.#eventCount += 1
    this.#countCompared()
    if (data !== this.#passthrough.terminator) return this.#stepOf(this.#read(data, event), event)
    this.#isFinished = true
    this.#terminator = raw
    return { out: null, text: '', failure: null, isTerminator: true, isEmpty: true }
  }

  end(): ViewEnd {
    this.#countCompared()
    return {
      isComplete: this.#isFinished,
      ...this.#known(),
      tail: this.#withHeld(this.#tail()),
      storedId: this.#storedId,
      items: this.#items,
      toolTokens: Math.ceil(this.#toolTokens),
    }
  }

  #read(data: string, event: SseEvent): PassedEvent {
    const read = this.#reader.read(data, event.raw)
    if (read.isEmpty !== true || read.failure !== null) return read
    return { ...read, failure: looseFailure(event, (error) => this.#passthrough.event(error).failure) }
  }

  /** What the vendor reported, or what is known before it does. */
  #known(): Pick<ViewEnd, 'usage' | 'isPartial'> {
    if (this.#usage !== null) return { isPartial: false, ...withMedia(withSearches(this.#usage, this.#searches), this.#media) }
    const searches = Math.max(this.#searches, this.#isSourced ? 1 : 0)
    const parts = sumOfUsages(this.#parts, this.#media)
    return { usage: partialUsage(parts, { hasReasoning: this.#hasReasoning, searches }), isPartial: true }
  }

  error(error: ClientError): Uint8Array | null {
    const { teller, streamError } = this.#options
    return teller?.error(error, this.#eventCount) ?? streamError(error)
  }

  /** Adds the terminator: some servers close a finished stream without it. */
  #tail(): Uint8Array | null {
    const { terminator, closing } = this.#passthrough
    if (!this.#isFinished) return this.#terminator
    if (terminator === undefined) return this.#terminator ?? (closing === undefined ? null : encoder.encode(eventText(closing)))
    const left = this.#repair?.end() ?? []
    return left.length === 0 ? (this.#terminator ?? doneEvent) : Buffer.concat([...left.map(encodeEvent), this.#terminator ?? doneEvent])
  }

  #withHeld(raw: Uint8Array | null): Uint8Array | null {
    const held = this.#held
    if (held === null) return raw
    this.#held = null
    return raw === null ? held : Buffer.concat([held, raw])
  }

  #stepOf(event: PassedEvent, received: SseEvent): ViewStep {
    const { usage, text, failure } = event
    const { raw } = received
    if (failure !== null) this.#eventCount -= 1
    if (event.hasReasoning === true) this.#hasReasoning = true
    if (event.toolTokens !== undefined) this.#toolTokens += event.toolTokens
    if (event.isOutputBlock === true) return this.#responseOf(event, raw)
    if (usage !== null) this.#count(usage, event.isPart === true)
    this.#media = sumOfUsages(this.#media, event.media ?? null)
    if (event.isSourced === true) this.#isSourced = true
    if (event.searches !== undefined) this.#searches = Math.max(this.#searches, event.searches)
    if (event.finished) this.#isFinished = true
    if (event.isLast === true) {
      this.#storedId = event.storedId
      this.#items = event.items
      this.#terminator = raw
      return { out: null, text, failure, isTerminator: true }
    }
    const isHidden = failure !== null || (event.usageOnly && !this.#options.wantsUsage)
    return {
      out: this.#withHeld(isHidden ? null : this.#bytesOf(event, received)),
      text,
      failure,
      isTerminator: false,
      hasMedia: text === '' && bringsMedia(event),
      isEmpty: isEmpty(event),
    }
  }

  /** Events with cumulative counts are read only when their sum is needed. */
  #countCompared(): void {
    const usage = this.#reader.takeUsage()
    if (usage !== null) this.#count(usage, false)
  }

  #count(usage: Usage, isPart: boolean): void {
    if (isPart) this.#parts = sumOfUsages(this.#parts, usage)
    else this.#usage = laterUsage(this.#usage, usage)
  }

  /** Whether this is the LF of a CRLF whose event was rewritten. */
  #isRestOf(raw: Uint8Array): boolean {
    const isRest = this.#isRewritten && raw.length === 1 && raw[0] === lineFeed
    this.#isRewritten = false
    return isRest
  }

  #bytesOf(event: PassedEvent, received: SseEvent): Uint8Array {
    const repaired = this.#repair?.event(received, event) ?? null
    this.#isRewritten = repaired !== null
    return repaired === null ? received.raw : encoder.encode(eventText(repaired))
  }

  #responseOf({ usage, text }: PassedEvent, raw: Uint8Array): ViewStep {
    this.#usage = sumOfUsages(this.#usage, usage)
    this.#isFinished = true
    const out = this.#withHeld(null)
    this.#held = raw
    return { out, text, failure: null, isTerminator: false }
  }
}

/** Whether it brings something of a response other than text. */
function bringsMedia({ media, usage, isPart }: PassedEvent): boolean {
  return media !== undefined || (isPart === true && (usage?.completionTokens ?? 0) > 0)
}

function isEmpty({ failure, usageOnly, isEmpty: hasNothing = usageOnly }: PassedEvent): boolean {
  return failure === null && (hasNothing || usageOnly)
}

/** Translates the vendor's events to those of the client's dialect. */
export function translatedView(stream: ChatStream, { context, wantsUsage, streamError, teller }: ViewOptions): StreamView {
  return {
    event(event) {
      const { data } = event
      if (data === null) return { out: null, text: '', failure: null, isTerminator: false, isEmpty: true }
      const step = stream.event(data, event.name)
      const { chunks, text, isLast = false } = step
      // An error may come in another form than the protocol has.
      const failure = step.failure ?? looseFailure(event, (error) => stream.event(error).failure)
      const isEmpty = failure === null && addsNothing(step)
      // Several objects are no JSON, so a dialect reads nothing of them.
      const parts = isEmpty ? splitEvent(event) : null
      if (parts !== null) return oneStep(parts.map((part) => this.event(part)))
      if (teller !== undefined) for (const chunk of chunks) teller.note(chunk)
      return { out: bytesOf(chunks), text, failure, isTerminator: isLast, hasMedia: text === '' && chunks.some(hasMedia), isEmpty }
    },
    end() {
      const { complete, usage: reportedUsage, isPartial = false, rest = [], last, items, hasReasoning = false, searches = 0 } = stream.end()
      const partial = reportedUsage === null ? partialUsage(null, { hasReasoning: hasReasoning, searches }) : null
      const known = partial === null ? { usage: reportedUsage, isPartial } : { usage: partial, isPartial: true }
      if (!complete) return { isComplete: false, ...known, tail: null }
      if (last !== undefined) return { isComplete: true, ...known, items, tail: encoder.encode(last.map(eventText).join('')) }
      const visibleUsage = wantsUsage ? believed(reportedUsage) : null
      const events = [...rest, ...(visibleUsage === null ? [] : [usageChunk(visibleUsage, context)])]
      return { isComplete: true, ...known, tail: Buffer.concat([...events.map(encodeEvent), doneEvent]) }
    },
    error: (error) => teller?.error(error, stream.end().count ?? 0) ?? streamError(error),
  }
}

/** The events of a step, of which nearly every one has one. */
function bytesOf(chunks: readonly JsonObject[]): Uint8Array | null {
  const [first] = chunks
  if (first === undefined) return null
  return encoder.encode(chunks.length === 1 ? eventText(first) : chunks.map(eventText).join(''))
}

const addsNothing = ({ chunks, text, isFinished }: StreamStep): boolean => chunks.length === 0 && text === '' && isFinished !== true

/** Whether a chunk brings images or audio. */
const hasMedia = ({ choices }: JsonObject): boolean => objectsIn(choices).some(({ delta }) => isObject(delta) && mayHaveMedia(delta))

/** An SSE event with data; if the data has a `type`, it is also the event's name. */
export function eventText(event: JsonObject): string {
  const { type } = event
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`
}

/** Converts a whole response to a stream: one chunk per choice, its finish reason, the usage, the terminator. */
export function responseAsStream(response: Json, { usage, context, wantsUsage }: AsStreamOptions): string {
  const choices = isObject(response) && Array.isArray(response['choices']) ? response['choices'].filter(isObject) : []
  const { id, created, model } = context
  const head = { id, object: 'chat.completion.chunk', created, model }
  const chunk = {
    ...head,
    choices: choices.map((choice, index) => ({
      index,
      delta: indexToolCalls(choice['message']),
      finish_reason: choice['finish_reason'] ?? 'stop',
    })),
  }
  const visibleUsage = wantsUsage ? believed(usage) : null
  const events = [chunk, ...(visibleUsage === null ? [] : [usageChunk(visibleUsage, context)])]
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
}

/** Adds the `index` that tool calls must have in a stream; in a whole response they have none. */
function indexToolCalls(message: Json | undefined): Json {
  if (!isObject(message)) return {}
  const { tool_calls: calls } = message
  return Array.isArray(calls)
    ? { ...message, tool_calls: calls.map((call, index) => (isObject(call) ? { index, ...call } : call)) }
    : message
}

/** OpenAI API reference, chat streaming, read 2026-11-21: a last chunk without choices carries the usage of the whole request. */
function usageChunk(usage: Usage, { id, created, model }: ResponseContext) {
  const object = id.startsWith(completionPrefix) ? 'text_completion' : 'chat.completion.chunk'
  return { id, object, created, model, choices: [], usage: usageObject(usage) }
}

/** Of the ids of completions (`KindRules.idPrefix`), whose events have another name. */
const completionPrefix = 'cmpl-'
