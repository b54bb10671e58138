import type { Settings } from '@sluice/contract'
import type { PlainResponse } from '@sluice/http1/response'
import { AppError } from '../../lib/app-error.ts'
import { nowSeconds } from '../../lib/clock.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import { queryOf } from '../../lib/request-url.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { RelayRequest } from '../model/incoming.ts'
import { asData, movingOn, streamBytes } from '../response/stream-bytes.ts'
import type { UpstreamResponse } from '../upstream/http1/client.ts'
import { decodeBody } from '../upstream/http1/decode-body.ts'
import { mayHaveKey } from '../upstream/run-step.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { type OpenDeps, type OpenedResult, openResult } from './open-result.ts'
import { resultTypeOf, usualTypes } from './result-type.ts'
import { sendFile } from './send-file.ts'
import type { TaskContents } from './task-contents.ts'
import type { TaskFiles } from './task-files.ts'
import type { TaskRow } from './task-queries.ts'
import { assertReadable, type StoredTaskResult, type TaskTexts, type TaskUpstream } from './task-texts.ts'

export interface ContentDeps extends OpenDeps {
  readonly texts: TaskTexts
  readonly contents: TaskContents
  readonly files: Pick<TaskFiles, 'find'>
  readonly settings: () => Pick<Settings, 'TaskResultDelivery'>
}

/** Headers of a response that say which part of the content it is. */
const passedHeaders = ['content-range', 'accept-ranges', 'etag', 'last-modified'] as const

const idleMs = 60_000

/** The content of one result of a completed task, or a range of it. @throws AppError */
export async function contentOf(
  row: TaskRow,
  pick: (results: readonly StoredTaskResult[]) => number,
  { incoming, deps }: { readonly incoming: RelayRequest; readonly deps: ContentDeps },
): Promise<PlainResponse> {
  if (row.state !== 'completed') throw new AppError('task_not_completed', { params: { state: row.state } })
  assertReadable(row, ['result'], deps.texts)
  const results = deps.texts.resultOf(row)?.results ?? []
  const place = pick(results)
  const result = results[place]
  if (result === undefined) throw new AppError('task_result_unknown')
  const headers = { ...relayHeaders(incoming.requestId, 1), ...asData, 'cache-control': 'private, max-age=300' }
  if (result.text !== undefined) return { status: 200, headers: { ...headers, 'content-type': usualTypes.text }, body: result.text }
  const type = result.contentType ?? usualTypes[result.variant]
  const kept = result.isKept === true ? await deps.contents.read(row.public_id, place) : null
  if (kept !== null) return partOf(kept, { ...headers, 'content-type': type }, incoming)
  const copy = await copyOf(row, place, { incoming, deps, headers })
  if (copy !== null) return copy
  assertReadable(row, ['upstream'], deps.texts)
  const upstream = deps.texts.upstreamOf(row)
  if (upstream === null || result.url === undefined) throw new AppError('task_result_unknown')
  if (row.expires_at > 0 && row.expires_at < nowSeconds(deps.clock)) throw new AppError('task_result_expired')
  const { url } = result
  if (mayBeSent(incoming, deps) && isPublicAddress(url) && !mayHaveKey(url, upstream.channel)) return redirectTo(url, headers)
  return await passOn(result, { upstream, incoming, deps, headers })
}

interface Sending {
  readonly incoming: RelayRequest
  readonly deps: ContentDeps
  readonly headers: Readonly<Record<string, string>>
}

/** Players of the console use signed links, and a page of this server may play nothing of others. */
function mayBeSent({ request }: RelayRequest, { settings }: Pick<ContentDeps, 'settings'>): boolean {
  return settings().TaskResultDelivery === 'redirect' && !queryOf(request.url).has('signature')
}

function redirectTo(location: string, headers: Readonly<Record<string, string>>): PlainResponse {
  return { status: 302, headers: { ...headers, 'cache-control': 'no-store', location }, body: '' }
}

/** The response from a copy of the result; `null`: there is none. */
async function copyOf({ public_id: id }: TaskRow, place: number, { incoming, deps, headers }: Sending): Promise<PlainResponse | null> {
  const copy = await deps.files.find(id, place)
  if (copy === null) return null
  if (copy.address !== null && mayBeSent(incoming, deps)) return redirectTo(copy.address, headers)
  const { request } = incoming
  const own = { ...headers, 'content-type': copy.contentType, 'accept-ranges': 'bytes' }
  const range = rangeIn(request.headers.get('range'), copy.bytes)
  if (range === 'unsatisfiable') return unsatisfiable(own, copy.bytes)
  const { start, end } = range ?? { start: 0, end: copy.bytes }
  const file = request.method === 'HEAD' ? null : await copy.read(start, end)
  if (file === null && request.method !== 'HEAD') return null
  const part = range === null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${copy.bytes}` }
  return {
    status: range === null ? 200 : 206,
    headers: { ...own, ...part },
    length: end - start,
    body: sendFile(file, incoming, deps.running),
  }
}

function unsatisfiable(headers: Readonly<Record<string, string>>, bytes: number): PlainResponse {
  return { status: 416, headers: { ...headers, 'content-range': `bytes */${bytes}` }, body: '' }
}

/** The range of a request that names one range of bytes (RFC 9110, 14.2); `null`: the whole. */
function rangeIn(header: string | null, length: number): { readonly start: number; readonly end: number } | null | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1)
  return start >= end ? 'unsatisfiable' : { start, end }
}

function partOf(bytes: Buffer, headers: Readonly<Record<string, string>>, { request }: RelayRequest): PlainResponse {
  const ranged = { ...headers, 'accept-ranges': 'bytes' }
  const range = rangeIn(request.headers.get('range'), bytes.length)
  if (range === null) return { status: 200, headers: ranged, body: bytes }
  if (range === 'unsatisfiable') return unsatisfiable(ranged, bytes.length)
  const { start, end } = range
  return {
    status: 206,
    headers: { ...ranged, 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` },
    body: bytes.subarray(start, end),
  }
}

interface Passing extends Sending {
  readonly upstream: TaskUpstream
}

async function passOn(result: StoredTaskResult, passing: Passing): Promise<PlainResponse> {
  const { deps, incoming, upstream } = passing
  const { request } = incoming
  const options = { channel: upstream.channel, range: request.headers.get('range') }
  const opened = watchedBy(incoming, await openResult(result.url ?? '', options, deps))
  try {
    return responseOf(opened, result, passing)
  } catch (error) {
    opened.watch.over()
    opened.response.abort()
    throw error
  }
}

/** The opened result, which is aborted also when the client leaves. */
function watchedBy({ request }: RelayRequest, { response, watch, abort }: OpenedResult): OpenedResult {
  whenAborted(request.signal, abort)
  const over = (): void => {
    request.signal.removeEventListener('abort', abort)
    watch.over()
  }
  return { response, abort, watch: { silence: watch.silence, over } }
}

/** @throws AppError */
function responseOf({ response, watch }: OpenedResult, result: StoredTaskResult, { deps, headers, incoming }: Passing): PlainResponse {
  const { status } = response
  if (status === 404 || status === 410 || status === 403) throw new AppError('task_result_gone')
  if (status !== 200 && status !== 206 && status !== 416) throw new AppError('upstream_failed', { params: { detail: `status ${status}` } })
  const responseHeaders: Record<string, string> = { ...headers, 'content-type': resultTypeOf(response, result) }
  for (const name of passedHeaders) {
    const value = response.header(name)
    if (value !== null) responseHeaders[name] = value
  }
  const length = lengthOf(response)
  if (incoming.request.method === 'HEAD') {
    watch.over()
    response.abort()
    return { status, headers: responseHeaders, ...length, body: (stream) => stream.end() }
  }
  const plain = decodeBody(response)
  if (plain === null) throw new AppError('upstream_invalid_response')
  const nextAt = (): number => deps.clock.monotonicMs() + idleMs
  watch.silence.at = nextAt()
  return { status, headers: responseHeaders, ...length, body: streamBytes(movingOn(plain, watch.silence, nextAt), watch.over) }
}

/** The length that a vendor names; of a compressed body it is not that of the content. */
function lengthOf(response: UpstreamResponse): { readonly length?: number } {
  const length = response.header('content-length') ?? ''
  const isAsSent = response.header('content-encoding') === null && response.header('transfer-encoding') === null
  return isAsSent && /^\d{1,15}$/.test(length) ? { length: Number(length) } : {}
}
