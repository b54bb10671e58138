import type { ChatStream, PassedEvent, Passthrough, ReplyContext, Usage } from '@sluice/vendors/dialect'
import { isObject } from '@sluice/vendors/is-object'
import type { Json, JsonObject } from '@sluice/vendors/json'
import { addUsage, believed, laterUsage } from '@sluice/vendors/no-usage'
import { usageObject } from '@sluice/vendors/usage-object'
import type { StreamView, ViewStep } from './answer.ts'
import type { AsStreamOptions, StreamError } from './kinds/kind-rules.ts'

const encoder = new TextEncoder()

/** An event in the client's form (OpenAI). */
function encodeEvent(data: unknown): Uint8Array {
  return encoder.encode(`data: ${JSON.stringify(data)}\n\n`)
}

const doneEvent = encoder.encode('data: [DONE]\n\n')

const silent = { text: '', failure: null, isTerminator: false } as const

export interface PassedViewOptions {
  readonly wantsUsage: boolean
  readonly streamError?: StreamError | undefined
}

/** Client and vendor speak the same: bytes go on as they came, and are only looked at. */
export function passedView(passthrough: Passthrough, { wantsUsage, streamError = encodeEvent }: PassedViewOptions): StreamView {
  let came = 0
  let usage: Usage | null = null
  let isFinished = false
  let terminator: Uint8Array | null = null
  let keptAs: string | undefined
  /** An answer of its own that may be the last. */
  let held: Uint8Array | null = null

  function withHeld(raw: Uint8Array | null): Uint8Array | null {
    const out = held === null || raw === null ? (held ?? raw) : Buffer.concat([held, raw])
    held = null
    return out
  }

  function answerOf({ usage: more, text }: PassedEvent, raw: Uint8Array): ViewStep {
    if (more !== null) usage = usage === null ? more : addUsage(usage, more)
    isFinished = true
    const out = withHeld(null)
    held = raw
    return { ...silent, out, text }
  }

  function stepOf(event: PassedEvent, raw: Uint8Array): ViewStep {
    if (event.isAnswer === true) return answerOf(event, raw)
    if (event.usage !== null) usage = laterUsage(usage, event.usage)
    if (event.finished) isFinished = true
    if (event.isLast === true) {
      keptAs = event.keptAs
      terminator = raw
      return { out: null, text: event.text, failure: event.failure, isTerminator: true }
    }
    const isHidden = event.failure !== null || (event.usageOnly && !wantsUsage)
    return { out: withHeld(isHidden ? null : raw), text: event.text, failure: event.failure, isTerminator: false }
  }

  return {
    event({ data, raw }) {
      if (data === null) return { ...silent, out: withHeld(raw) }
      came += 1
      if (data !== passthrough.terminator) return stepOf(passthrough.event(data), raw)
      isFinished = true
      terminator = raw
      return { ...silent, out: null, isTerminator: true }
    },
    end: () => ({ isComplete: isFinished, usage, tail: withHeld(terminator), keptAs }),
    error: (error) => streamError(error, came),
  }
}

interface TranslatedViewOptions extends PassedViewOptions {
  readonly context: ReplyContext
}

/** Vendor events in, events of the client's kind out. */
export function translatedView(stream: ChatStream, { context, wantsUsage, streamError = encodeEvent }: TranslatedViewOptions): StreamView {
  return {
    event({ data }) {
      if (data === null) return { ...silent, out: null }
      const { chunks, text, failure, isLast = false } = stream.event(data)
      return { out: chunks.length === 0 ? null : encoder.encode(chunks.map(eventText).join('')), text, failure, isTerminator: isLast }
    },
    end() {
      const { complete, usage, last } = stream.end()
      if (!complete) return { isComplete: false, usage, tail: null }
      if (last !== undefined) return { isComplete: true, usage, tail: encoder.encode(last.map(eventText).join('')) }
      const shown = wantsUsage ? believed(usage) : null
      const usageEvent = shown === null ? new Uint8Array() : encodeEvent(usageChunk(shown, context))
      return { isComplete: true, usage, tail: Buffer.concat([usageEvent, doneEvent]) }
    },
    error: (error) => streamError(error, stream.end().count ?? 0),
  }
}

/** Events that have a type are named by it. */
export function eventText(event: JsonObject): string {
  const { type } = event
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`
}

/** A whole answer as the stream that was asked for: one chunk an answer, its end, the usage, the terminator. */
export function replyAsStream(reply: Json, { usage, context, wantsUsage }: AsStreamOptions): string {
  const choices = isObject(reply) && Array.isArray(reply['choices']) ? reply['choices'].filter(isObject) : []
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
  const shown = wantsUsage ? believed(usage) : null
  const events = [chunk, ...(shown === null ? [] : [usageChunk(shown, context)])]
  return `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
}

/** Tool calls of a stream carry their index; those of a whole answer stand in a list. */
function indexToolCalls(message: Json | undefined): Json {
  if (!isObject(message)) return {}
  const { tool_calls: calls } = message
  return Array.isArray(calls)
    ? { ...message, tool_calls: calls.map((call, index) => (isObject(call) ? { index, ...call } : call)) }
    : message
}

/** OpenAI API reference, chat streaming, read 2026-11-21: one more chunk without choices carries the usage of the whole request. */
function usageChunk(usage: Usage, { id, created, model }: ReplyContext) {
  return { id, object: 'chat.completion.chunk', created, model, choices: [], usage: usageObject(usage) }
}
