import type { Dialect } from '@sluice/vendors/core/dialect'
import type { Failure } from '@sluice/vendors/core/failure'
import { readFailureOf } from '@sluice/vendors/core/failure-rules'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import type { Json } from '@sluice/vendors/core/json'
import { reportedUsage, withUsageOf } from '@sluice/vendors/core/no-usage'
import { conformToSchema } from '@sluice/vendors/registry/request/schema-in-prompt'
import type { AttemptFailure } from '../model/attempt-failure.ts'
import type { Attempt, AttemptResponse, StreamSource, StreamView, ViewStep } from '../model/upstream-response.ts'
import { channelFailure, spentOn } from '../wire/channel-failure.ts'
import { streamHeaders } from '../wire/error-response.ts'
import { type FrameReader, frameReaderFor } from '../wire/frame-readers.ts'
import { openAiProtocol } from '../wire/protocols/open-ai.ts'
import { passedView, translatedView, type ViewOptions } from '../wire/stream-views.ts'
import { collectStream } from './collect-stream.ts'
import { beyondLimits, failed, type Try } from './current-attempt.ts'
import { peeked, readerOf, receivedSource } from './event-body.ts'
import type { UpstreamResponse } from './http1/client.ts'
import { lacksBytes, responseWithBytes } from './images-as-bytes.ts'
import { openStream, pieceReader } from './open-stream.ts'
import { beginBytes, mediaTypeOf, readText } from './plain-responses.ts'
import { readCapped } from './read-capped.ts'
import { type ReceivedResponse, readBody, readWholeResponse } from './read-whole-response.ts'
import { waitIn } from './retry-after.ts'
import { firstSteps } from './stream-prefix.ts'

/** Maximum bytes read of an error body. */
const errorBytesMax = 64 * 1024

/** Not `async`, like other functions that run for every request and only pass a promise on: each such one costs a microsecond. */
export function readResponse(response: UpstreamResponse, current: Try): Promise<Attempt> {
  if (response.status >= 300 && response.status < 400) {
    current.abort('not_wanted')
    return Promise.resolve(failed('upstream_redirect'))
  }
  if (response.status >= 400) return readFailure(response, current)
  const type = mediaTypeOf(response)
  const { params, rules } = current.call
  const reader = params.isStream || current.dialect.passthrough === undefined ? frameReaderFor(type, rules.lineBytesMax) : null
  if (reader !== null)
    return params.isStream && current.schemaInPrompt === undefined
      ? readStreamStart(response, current, reader)
      : readCollected(response, current, reader)
  const how = rules.plain?.get(type) ?? 'json'
  return how === 'json' && params.isStream ? readUnnamed(response, current) : readers[how](response, current)
}

/** A stream was requested, and the content type is not one of events: the first bytes show whether it is one. */
async function readUnnamed(response: UpstreamResponse, current: Try): Promise<Attempt> {
  const { first, response: whole } = await peeked(response, current.alive)
  const reader = current.schemaInPrompt === undefined ? readerOf(first, current.call.rules.lineBytesMax) : null
  return await (reader === null ? readWhole(whole, current) : readStreamStart(whole, current, reader))
}

/** Readers of responses other than event streams, by content type. */
const readers = {
  json: readWhole,
  text: async (response: UpstreamResponse) => attemptOf(await readText(response)),
  bytes: async (response: UpstreamResponse, current: Try) =>
    attemptOf(await beginBytes(response, sourceOf(response, current, pieceReader), current.deps.audioLength)),
} as const

function attemptOf(response: AttemptResponse | null): Attempt {
  return response === null ? failed('upstream_invalid_response') : { isOk: true, response }
}

async function readFailure(response: UpstreamResponse, current: Try): Promise<Attempt> {
  const { bytes } = await readCapped(response, errorBytesMax)
  const {
    routes: { errorHeader },
    failures,
  } = current.channel.vendor
  const type = errorHeader === undefined ? undefined : (response.header(errorHeader) ?? undefined)
  const failure = readFailureOf(current.dialect, failures, { status: response.status, body: decoder.decode(bytes), type })
  const retryAfter = response.header('retry-after') ?? failure.retryAfterSeconds?.toString() ?? null
  const header = (name: string): string | null => (name === 'retry-after' ? retryAfter : response.header(name))
  const retryAfterSeconds = waitIn(header, current.deps.clock.nowMs())
  return vendorFailed(failure, current, { status: response.status, retryAfterSeconds })
}

async function readWhole(response: UpstreamResponse, current: Try): Promise<Attempt> {
  const { deps, abort, alive } = current
  return await received(await readWholeResponse(response, { ...responseDeps(current), responses: deps.responses, alive, abort }), current)
}

function responseDeps({ call, dialect, context, deps, schemaInPrompt }: Try) {
  const { rules, params } = call
  const { largeJson } = deps
  return { dialect, context, kind: rules.kind, isStream: params.isStream, isPlain: schemaInPrompt === undefined, largeJson }
}

async function received(response: ReceivedResponse, current: Try): Promise<Attempt> {
  const { call, deps } = current
  if (response === null) return failed('upstream_invalid_response')
  if ('kind' in response) return vendorFailed(response, current)
  if ('events' in response) return await readSource(receivedSource(response.events), current)
  if ('unread' in response) return beyondLimits('upstream_invalid_response', response.unread)
  if ('contentType' in response)
    return {
      isOk: true,
      response: { kind: 'whole', usage: response.usage, text: '', contentType: response.contentType, body: response.bytes },
    }
  if (lacksBytes(call, response.read.response)) return await responseWithBytes(response.read, current.channel, deps)
  const { read, bytes } = response
  const { response: clientResponse, isPassed, ...known } = read
  const body = isPassed ? bytes : JSON.stringify(clientResponse)
  return toClientForm({ kind: 'whole', ...known, contentType: 'application/json', body }, clientResponse, current)
}

/** A whole response as the client requested it: checked if the prompt describes a schema, and as a stream if the client requested one. */
function toClientForm(response: WholeResponse, json: Json, current: Try): Attempt {
  const { call, context, dialect, schemaInPrompt } = current
  const { rules, params } = call
  const field = dialect.fieldNames?.['response_format'] ?? 'response_format'
  const read =
    schemaInPrompt === undefined || !isObject(json) ? null : conformToSchema(json, { kind: rules.kind, schema: schemaInPrompt, field })
  if (read !== null && 'failed' in read) {
    const { failed: why } = vendorFailed(read.failed, current)
    return { isOk: false, failed: { ...why, spent: { usage: response.usage, text: response.text } } }
  }
  const clientResponse = read?.response ?? json
  const asItIs = read === null ? response : { ...response, body: JSON.stringify(clientResponse), items: read.items ?? response.items }
  if (!params.isStream) return { isOk: true, response: asItIs }
  // The client requested a stream and the response came whole: it is converted to a stream.
  const events = rules.asStream?.(clientResponse, {
    usage: response.isPartial === true ? null : response.usage,
    context,
    wantsUsage: params.wantsUsage,
  })
  if (events === undefined) return failed('upstream_invalid_response')
  return { isOk: true, response: events === null ? asItIs : { ...asItIs, contentType: streamHeaders['content-type'], body: events } }
}

type WholeResponse = Extract<AttemptResponse, { readonly kind: 'whole' }>

/** Some vendors send failures with a 2xx status. */
function vendorFailed(
  failure: Failure,
  { channel, upstreamKind }: Try,
  head: { readonly status: number; readonly retryAfterSeconds: number | null } = {
    status: 200,
    retryAfterSeconds: failure.retryAfterSeconds ?? null,
  },
): { readonly isOk: false; readonly failed: Extract<AttemptFailure, { readonly by: 'vendor' }> } {
  return {
    isOk: false,
    failed: { by: 'vendor', failure: channelFailure(failure, channel), upstreamKind, ...head, spent: spentOn(failure) },
  }
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

async function readStreamStart(response: UpstreamResponse, current: Try, reader: FrameReader): Promise<Attempt> {
  const { call, dialect, context } = current
  const source = sourceOf(response, current, reader)
  const { protocol = openAiProtocol, errorTeller } = call.rules
  const { streamError } = protocol
  const { wantsUsage } = call.params
  const view = viewOf(dialect, { context, wantsUsage, streamError, teller: errorTeller?.(context) })
  if (view === null) {
    source.abort()
    return failed('upstream_invalid_response')
  }
  const first = await firstSteps(source, view, current.alive)
  if (first === null || 'raw' in first) {
    source.close()
    if (first === null) return failed('upstream_invalid_response')
    return await received(await readBody(encoder.encode(first.data ?? ''), responseDeps(current)), current)
  }
  const failure = failureIn(first)
  if (failure !== null) {
    source.abort()
    return vendorFailed(withUsageOf(failure, reportedUsage(view.end())), current)
  }
  return { isOk: true, response: { kind: 'stream', view, first, source, frame: protocol.frame } }
}

/** The failure among the first events. One that is billed ends the stream behind what came before it, which is billed, too. */
function failureIn(first: readonly ViewStep[]): Failure | null {
  const at = first.findIndex((step) => step.failure !== null)
  const failure = first[at]?.failure ?? null
  const isDelivered = failure?.unread !== undefined && first.slice(0, at).some(({ text }) => text !== '')
  return isDelivered ? null : failure
}

/** The vendor streams although the client requested a whole response. */
function readCollected(response: UpstreamResponse, current: Try, reader: FrameReader): Promise<Attempt> {
  return readSource(sourceOf(response, current, reader), current)
}

async function readSource(source: StreamSource, current: Try): Promise<Attempt> {
  const { dialect, context, alive } = current
  const stream = dialect.stream?.(context)
  if (stream === undefined) {
    source.abort()
    return failed('upstream_invalid_response')
  }
  const collected = await collectStream(source, { stream, context, alive })
  if (collected === null) return failed('upstream_reset', new Error('the stream ended before its end marker'))
  if ('raw' in collected) return await received(await readBody(encoder.encode(collected.data ?? ''), responseDeps(current)), current)
  if ('message' in collected) return vendorFailed(collected, current)
  if (
    (current.schemaInPrompt === undefined && !current.call.params.isStream) ||
    collected.kind !== 'whole' ||
    typeof collected.body !== 'string'
  )
    return { isOk: true, response: collected }
  return toClientForm(collected, parseJson(collected.body) ?? null, current)
}

function sourceOf(response: UpstreamResponse, { deps, timeouts, abort }: Try, reader: FrameReader): StreamSource {
  return openStream({
    response,
    reader,
    deadlines: deps.deadlines,
    clock: deps.clock,
    responses: deps.responses,
    idleMs: timeouts.idleMs,
    onIdle: () => abort('timed_out'),
    onAbort: () => abort('not_wanted'),
  })
}

/** `null`: the dialect has no streams of this kind. */
function viewOf(dialect: Dialect, options: ViewOptions): StreamView | null {
  if (dialect.passthrough !== undefined) return passedView(dialect.passthrough, options)
  return dialect.stream === undefined ? null : translatedView(dialect.stream(options.context), options)
}
