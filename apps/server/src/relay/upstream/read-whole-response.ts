import { setImmediate } from 'node:timers/promises'
import type { BudgetShare, ByteBudget } from '@sluice/http1/byte-budget'
import type { Dialect } from '@sluice/vendors/core/dialect'
import type { Failure } from '@sluice/vendors/core/failure'
import { untypedFailure } from '@sluice/vendors/core/failure-parts'
import { isObject, parseJson } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import type { Kind } from '@sluice/vendors/core/kind'
import { withMedia } from '@sluice/vendors/core/no-usage'
import type { Passthrough, ReadResponseParts } from '@sluice/vendors/core/passthrough'
import type { BytesResponse, ClientResponse, ResponseContext } from '@sluice/vendors/core/response'
import { ShallowReader } from '@sluice/vendors/core/shallow-json'
import type { Usage } from '@sluice/vendors/core/usage'
import { pivotOf } from '@sluice/vendors/protocols/pivot-of'
import { responseBytesMax } from '../../lib/body-memory.ts'
import { outlineOf } from '../../lib/json-outline.ts'
import { type LargeJson, largeBytes } from '../../lib/large-json.ts'
import type { Spent } from '../model/attempt-failure.ts'
import type { CancelReason } from '../model/call.ts'
import { failureOf } from '../wire/loose-events.ts'
import { eventsIn, isBlank, readerOf } from './event-body.ts'
import type { UpstreamResponse } from './http1/client.ts'
import { ResponseTooLong } from './open-stream.ts'
import { parseResponse } from './parse-response.ts'
import { mediaTypeOf } from './plain-responses.ts'
import { readCapped } from './read-capped.ts'

interface ResponseDeps {
  readonly dialect: Dialect
  readonly context: ResponseContext
  readonly kind: Kind
  /** The client requested a stream, so the response is converted to one. */
  readonly isStream: boolean
  /** Nothing in it has to be checked for the client. */
  readonly isPlain: boolean
  readonly largeJson: LargeJson
}

interface ReadDeps extends ResponseDeps {
  readonly responses: ByteBudget
  /** Called for every sign of life from the vendor. */
  readonly alive: () => void
  /** Closes the connection. */
  readonly abort: (reason: CancelReason) => void
}

/**
 * Longest response that is parsed as a whole if its bytes are passed on: for usage, the texts and numbers in it need not be read, unless the
 * vendor sends no usage and the text must be counted.
 */
const wholeBytesMax = 16 * 1024 * 1024

const nothingCounted: BudgetShare = { begin: () => null, grow: () => null, keep: () => undefined }

/** Receives and reads a whole response. `null`: it is none. @throws AnswerTooLong */
export async function readWholeResponse(response: UpstreamResponse, deps: ReadDeps): Promise<ReceivedResponse> {
  const { responses, largeJson, alive, abort } = deps
  let counted = nothingCounted
  const openShare = (): BudgetShare => {
    counted = responses.share(() => abort('not_wanted'))
    return counted
  }
  try {
    const isEvents = mediaTypeOf(response) === 'text/event-stream'
    const onChunk = (piece: Uint8Array) => (isEvents || isHeartbeat(piece)) && alive()
    const { bytes, isCut } = await readCapped(response, responseBytesMax, { onChunk, openShare })
    if (isCut) throw new ResponseTooLong()
    counted.keep(bytes.length)
    const parsed = fromBytes(response, bytes, deps)
    if (parsed !== undefined) return responseOf(parsed, bytes)
    if (readerOf(bytes, responseBytesMax) !== null) return readEvents(bytes, deps)
    // A response of usual size is read at once.
    if (bytes.length <= largeBytes) return await readBody(bytes, deps)
    const read = await readLarge(bytes, deps)
    largeJson.released(bytes.length)
    return responseOf(read, await repairedBytes(bytes, deps))
  } finally {
    counted.keep(0)
  }
}

/** The bytes of a response as the client gets them. */
async function repairedBytes(bytes: Uint8Array<ArrayBuffer>, { dialect, context }: ResponseDeps): Promise<Uint8Array<ArrayBuffer>> {
  const parts = dialect.passthrough?.repairBytes?.(bytes, context) ?? null
  if (parts === null) return bytes
  const pieces: Uint8Array[] = []
  let readBytes = 0
  for (const part of parts) {
    pieces.push(part.bytes)
    readBytes += part.readBytes
    if (readBytes < stepBytes) continue
    readBytes = 0
    await setImmediate()
  }
  return Buffer.concat(pieces)
}

/** Reads a whole response of usual size. Nearly every one is read at once. */
export function readBody(bytes: Uint8Array<ArrayBuffer>, deps: ResponseDeps): ReceivedResponse | Promise<ReceivedResponse> {
  const json = parseJson(decoder.decode(bytes))
  if (json === undefined || deps.dialect.passthrough?.repairBytes !== undefined) return readSlowly(bytes, json, deps)
  return responseOf(readResponse(json, deps) ?? untypedFailure(json), bytes)
}

async function readSlowly(bytes: Uint8Array<ArrayBuffer>, json: Json | undefined, deps: ResponseDeps): Promise<ReceivedResponse> {
  const read = json === undefined ? await readBeyond(bytes, deps) : readResponse(json, deps)
  return responseOf(read ?? untypedFailure(json), await repairedBytes(bytes, deps))
}

/** Events in the place of a whole response, whatever their content type is: they are joined where they are not translated. */
function readEvents(bytes: Uint8Array<ArrayBuffer>, deps: ResponseDeps): ReceivedResponse {
  const { dialect, context } = deps
  if (dialect.stream !== undefined || bytes.length > wholeBytesMax) return { events: bytes }
  const { passthrough } = dialect
  if (passthrough?.joined === undefined) return null
  const events: JsonObject[] = []
  for (const event of eventsIn(bytes)) {
    if (event.data === null) continue
    const failure = failureOf(event, (data) => passthrough.event(data).failure)
    if (failure !== null) return failure
    const json = parseJson(event.data)
    if (isObject(json)) events.push(json)
  }
  const whole = passthrough.joined(events)
  const read = whole === null ? null : withRepairs(seenIn(whole, passthrough), passthrough, context)
  return responseOf(read === null || 'kind' in read ? read : { ...read, isPassed: false }, bytes)
}

/** JSON, also with a prefix of its application. */
const jsonType = /^(?:application|text)\/(?:[\w.-]+\+)?json$/

/** A response in another type than JSON, of which the dialect makes one in JSON; `undefined`: it is JSON, or the dialect has no such responses. */
function fromBytes(
  response: UpstreamResponse,
  bytes: Uint8Array,
  { dialect, context, kind }: ResponseDeps,
): ReadResponse | Failure | null | undefined {
  const type = mediaTypeOf(response)
  if (dialect.fromBytes === undefined || jsonType.test(type)) return undefined
  const clientResponse = dialect.fromBytes(bytes, type, context)
  return clientResponse === null ? null : translated(clientResponse, kind)
}

function responseOf(read: Read, bytes: Uint8Array<ArrayBuffer>): ReceivedResponse {
  return read === null || 'kind' in read || 'bytes' in read || 'unread' in read ? read : { read, bytes }
}

async function readLarge(bytes: Uint8Array, deps: ResponseDeps): Promise<Read> {
  const { dialect, isStream, largeJson } = deps
  const isPassed = !isStream && dialect.passthrough !== undefined
  const outlined = isPassed ? readOutline(bytes, deps) : null
  if (outlined !== null) return outlined
  const json = isPassed && bytes.length > wholeBytesMax ? undefined : await parseResponse(bytes, largeJson)
  if (json === undefined) return await readBeyond(bytes, deps)
  const read = readResponse(json, deps)
  // It is written in another step.
  await setImmediate()
  return read
}

/** Bytes that are read in one step. */
const stepBytes = 1024 * 1024

/**
 * Reads the shallow parts of a response that exceeds the parsing limits: its usage, at least. The vendor bills it, and its client may have
 * requested it so: many token probabilities, deeply nested arguments. It is passed on if nothing in it has to be changed. `null`: it is not JSON.
 */
async function readBeyond(bytes: Uint8Array, deps: ResponseDeps): Promise<Read> {
  const reader = new ShallowReader(bytes)
  while (reader.advance(stepBytes)) await setImmediate()
  if (reader.isGivenUp) return { unread: { usage: null, text: '', isUnread: true } }
  const json = reader.value
  const read = json === undefined ? null : readResponse(json, deps)
  if (read === null || 'kind' in read || 'unread' in read) return read
  if ('bytes' in read) return { unread: { usage: read.usage, text: '', isUnread: true } }
  const isSendable = read.isPassed && !deps.isStream && deps.isPlain && !reader.isTooDeep
  if (isSendable) return { ...read, isTextCut: true }
  return { unread: { usage: read.isPartial === true ? null : read.usage, text: read.text, isUnread: true } }
}

/** Reads a response without its long texts and lists of numbers. `null`: it has to be read as a whole. */
function readOutline(bytes: Uint8Array, deps: ResponseDeps): ReadResponse | Failure | null {
  const outline = outlineOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const json = outline === null ? undefined : parseJson(outline.json)
  const read = json === undefined ? null : readResponse(json, deps)
  if (read === null || 'kind' in read) return read
  if ('bytes' in read || 'unread' in read) return null
  const isCounted = read.isPartial !== true && (read.usage !== null || read.text === '')
  return read.isPassed && isCounted && read.items === undefined ? { ...read, isTextCut: true } : null
}

const decoder = new TextDecoder()

interface ReadResponse extends Omit<ReadResponseParts, 'media'> {
  /** See `AnswerEnd`. */
  readonly isPartial?: true
  /** In OpenAI's format, which all dialects are translated to. */
  readonly response: Json
  /** The response came in the client's dialect. */
  readonly isPassed: boolean
  /** `text` is without long texts. */
  readonly isTextCut?: true
}

/** A response that the vendor bills and that cannot be sent, because it is beyond the limits of parsing. */
interface Unread {
  readonly unread: Spent
}

/** `null`: the bytes are not a response. */
type Read = ReadResponse | BytesResponse | Unread | Failure | null

export type ReceivedResponse = WholeResponse | ReceivedEvents | BytesResponse | Unread | Failure | null

/** The events of a stream, which the dialect translates. */
interface ReceivedEvents {
  readonly events: Uint8Array
}

interface WholeResponse {
  readonly read: ReadResponse
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** `null`: the JSON is not a response. */
function readResponse(json: Json, { dialect, context, kind }: ResponseDeps): Read {
  if (dialect.passthrough !== undefined) return readPassed(json, dialect.passthrough, context)
  const parsed = dialect.response?.(json, context) ?? null
  return parsed === null || 'kind' in parsed || 'bytes' in parsed ? parsed : translated(parsed, kind)
}

/** A response in the client's own protocol, in the form that the client wants. */
function readPassed(json: Json, passthrough: Passthrough, context: ResponseContext): Read {
  const listed = Array.isArray(json) ? fromList(json, passthrough, context) : null
  const seen = seenIn(listed ?? json, passthrough)
  if (seen === null || 'kind' in seen) return seen
  const read = listed === null ? seen : { ...seen, isPassed: false }
  const text = isObject(read.response) ? (passthrough.asText?.(read.response, read.usage, context) ?? null) : null
  return text ?? withRepairs(read, passthrough, context)
}

/** A list: a response without what is around it, or the events of a stream. `null`: the kind has neither. */
function fromList(list: readonly Json[], passthrough: Passthrough, context: ResponseContext): JsonObject | null {
  return passthrough.fromList?.(list, context) ?? passthrough.joined?.(list.filter(isObject)) ?? null
}

/** A response that the dialect translated. */
function translated({ response: clientResponse, usage, isPartial, items }: ClientResponse, kind: Kind): ReadResponse | Failure | null {
  const seen = seenIn(clientResponse, pivotOf(kind), usage)
  if (seen === null || 'kind' in seen) return seen
  const known = isPartial === true ? { isPartial } : {}
  return { ...seen, ...known, isPassed: false, ...(items === undefined ? {} : { items }) }
}

/** @param reportedUsage the usage, where it is not in the response */
function seenIn(clientResponse: Json, passthrough: Passthrough, reportedUsage?: Usage | null): ReadResponse | Failure | null {
  const seen = passthrough.response(clientResponse)
  if (seen === null || 'kind' in seen) return seen
  const { usage, media = null, text, storedId, items } = seen
  return {
    ...withMedia(reportedUsage === undefined ? usage : reportedUsage, media),
    text,
    storedId,
    items,
    response: clientResponse,
    isPassed: true,
  }
}

/** Adds fields that the vendor left out and clients need. */
function withRepairs(
  read: ReadResponse | Failure | null,
  { repairResponse }: Passthrough,
  context: ResponseContext,
): ReadResponse | Failure | null {
  if (read === null || 'kind' in read || !isObject(read.response)) return read
  const clientResponse = repairResponse?.(read.response, context) ?? null
  return clientResponse === null ? read : { ...read, response: clientResponse, isPassed: false }
}

/** Some vendors send empty lines while they compute a whole response. */
const isHeartbeat = (bytes: Uint8Array): boolean => bytes.length <= blankBytesMax && isBlank(bytes)

/** A longer piece is not treated as a sign of life. */
const blankBytesMax = 64
