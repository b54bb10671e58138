import type { PlainReply } from '@sluice/http1/reply'
import type { TaskResult } from '@sluice/vendors/tasks/task'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import type { Running } from '../../lib/running.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { RelayRequest } from '../model/incoming.ts'
import { asData, movingOn, streamBytes } from '../response/stream-bytes.ts'
import type { Credentials } from '../upstream/credentials.ts'
import type { UpstreamClient, UpstreamResponse } from '../upstream/http1/client.ts'
import { decodeBody } from '../upstream/http1/decode-body.ts'
import { mediaTypeOf } from '../upstream/plain-answers.ts'
import { keyedHeaders, mayHaveKey } from '../upstream/run-step.ts'
import { relayHeaders } from '../wire/error-reply.ts'
import type { TaskContents } from './task-contents.ts'
import type { TaskRow } from './task-queries.ts'
import type { StoredTaskResult, TaskTexts, TaskUpstream } from './task-texts.ts'

export interface ContentDeps {
  readonly client: UpstreamClient
  readonly credentials: Credentials
  readonly deadlines: Deadlines
  readonly clock: Clock
  readonly running: Running
  readonly texts: TaskTexts
  readonly contents: TaskContents
}

/** Types that are passed on. Everything else could be a page. */
const mediaTypes = /^(?:video|image|audio)\/[\w.+-]+$/
const plainTypes: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream', ''])

/** Content type by what the result is, where the vendor names none. */
const usualTypes: Readonly<Record<TaskResult['variant'], string>> = {
  video: 'video/mp4',
  thumbnail: 'image/webp',
  spritesheet: 'image/jpeg',
  image: 'image/png',
  audio: 'audio/mpeg',
  text: 'text/plain; charset=utf-8',
}

/** Headers of an answer that say which part of the content it is. */
const passedHeaders = ['content-range', 'accept-ranges', 'etag', 'last-modified'] as const

const redirectsMax = 5
const headMs = 60_000
const idleMs = 60_000

/** The content of one result of a completed task, or a range of it. @throws AppError */
export async function contentOf(
  row: TaskRow,
  pick: (results: readonly StoredTaskResult[]) => number,
  { incoming, deps }: { readonly incoming: RelayRequest; readonly deps: ContentDeps },
): Promise<PlainReply> {
  if (row.state !== 'completed') throw new AppError('task_not_completed', { params: { state: row.state } })
  const results = deps.texts.resultOf(row)?.results ?? []
  const place = pick(results)
  const result = results[place]
  if (result === undefined) throw new AppError('task_result_unknown')
  const headers = { ...relayHeaders(incoming.requestId, 1), ...asData, 'cache-control': 'private, max-age=300' }
  if (result.text !== undefined) return { status: 200, headers: { ...headers, 'content-type': usualTypes.text }, body: result.text }
  const type = result.contentType ?? usualTypes[result.variant]
  const kept = result.isKept === true ? await deps.contents.read(row.public_id, place) : null
  if (kept !== null) return partOf(kept, { ...headers, 'content-type': type }, incoming)
  const upstream = deps.texts.upstreamOf(row)
  if (upstream === null || result.url === undefined) throw new AppError('task_result_unknown')
  if (row.expires_at > 0 && row.expires_at < nowSeconds(deps.clock)) throw new AppError('task_result_expired')
  return await passOn(result, { upstream, incoming, deps, headers })
}

/** The range of a request that names one range of bytes (RFC 9110, 14.2); `null`: the whole. */
function rangeIn(header: string | null, length: number): { readonly start: number; readonly end: number } | null | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  const start = first === '' ? Math.max(0, length - Number(last)) : Number(first)
  const end = first === '' || last === '' ? length : Math.min(length, Number(last) + 1)
  return start >= end ? 'unsatisfiable' : { start, end }
}

function partOf(bytes: Buffer, headers: Readonly<Record<string, string>>, { request }: RelayRequest): PlainReply {
  const ranged = { ...headers, 'accept-ranges': 'bytes' }
  const range = rangeIn(request.headers.get('range'), bytes.length)
  if (range === null) return { status: 200, headers: ranged, body: bytes }
  if (range === 'unsatisfiable') return { status: 416, headers: { ...ranged, 'content-range': `bytes */${bytes.length}` }, body: '' }
  const { start, end } = range
  return {
    status: 206,
    headers: { ...ranged, 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` },
    body: bytes.subarray(start, end),
  }
}

interface Passing {
  readonly upstream: TaskUpstream
  readonly incoming: RelayRequest
  readonly deps: ContentDeps
  readonly headers: Readonly<Record<string, string>>
}

async function passOn(result: StoredTaskResult, passing: Passing): Promise<PlainReply> {
  const { deps, headers, incoming } = passing
  const { response, watch } = await open(result.url ?? '', passing)
  try {
    return replyOf(response, result, { deps, headers, watch, isForHead: incoming.request.method === 'HEAD' })
  } catch (error) {
    watch.over()
    response.abort()
    throw error
  }
}

/** Ends an exchange that is silent, whose client has left, or that a shutdown cuts. */
interface Watch {
  readonly silence: Deadline
  readonly over: () => void
}

/** Follows redirects, with the key only to hosts that may have it. @throws AppError */
async function open(
  address: string,
  { upstream, incoming, deps }: Passing,
): Promise<{ readonly response: UpstreamResponse; readonly watch: Watch }> {
  const { channel } = upstream
  const credential = await deps.credentials.of(channel)
  const range = incoming.request.headers.get('range')
  let url = address
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    if (!mayHaveKey(url, channel) && !isPublicAddress(url)) throw new AppError('task_result_gone')
    const own: Record<string, string> = { accept: '*/*', ...(range === null ? {} : { range }) }
    const outbound = deps.client.send({
      method: 'GET',
      url,
      headers: keyedHeaders(url, own, { channel, credential }),
      body: null,
      isRepeatable: true,
      proxy: channel.settings?.proxy ?? null,
    })
    const watch = watching(outbound.abort.bind(outbound), incoming, deps)
    let response: UpstreamResponse
    try {
      response = await outbound.response
    } catch (cause) {
      watch.over()
      throw new AppError('upstream_unreachable', { cause })
    }
    const location = response.header('location')
    if (response.status < 300 || response.status >= 400 || location === null) return { response, watch }
    watch.over()
    response.abort()
    url = URL.parse(location, url)?.href ?? ''
  }
  throw new AppError('upstream_redirect')
}

function watching(abort: () => void, { request }: RelayRequest, { deadlines, running }: ContentDeps): Watch {
  const silence = deadlines.start(headMs, abort)
  const done = running.begin(abort)
  whenAborted(request.signal, abort)
  let isOver = false
  return {
    silence,
    over() {
      if (isOver) return
      isOver = true
      deadlines.cancel(silence)
      request.signal.removeEventListener('abort', abort)
      done()
    },
  }
}

/** @throws AppError */
function replyOf(
  response: UpstreamResponse,
  { variant, contentType }: StoredTaskResult,
  { deps, headers, watch, isForHead }: Pick<Passing, 'deps' | 'headers'> & { readonly watch: Watch; readonly isForHead: boolean },
): PlainReply {
  const { status } = response
  if (status === 404 || status === 410 || status === 403) throw new AppError('task_result_gone')
  if (status !== 200 && status !== 206 && status !== 416) throw new AppError('upstream_failed', { params: { detail: `status ${status}` } })
  const type = mediaTypeOf(response)
  const isMedia = mediaTypes.test(type)
  if (!isMedia && !plainTypes.has(type) && status !== 416) throw new AppError('upstream_invalid_response')
  const given: Record<string, string> = { ...headers, 'content-type': isMedia ? type : (contentType ?? usualTypes[variant]) }
  for (const name of passedHeaders) {
    const value = response.header(name)
    if (value !== null) given[name] = value
  }
  const length = lengthOf(response)
  if (isForHead) {
    watch.over()
    response.abort()
    return { status, headers: given, ...length, body: (stream) => stream.end() }
  }
  const plain = decodeBody(response)
  if (plain === null) throw new AppError('upstream_invalid_response')
  const nextAt = (): number => deps.clock.monotonicMs() + idleMs
  watch.silence.at = nextAt()
  return { status, headers: given, ...length, body: streamBytes(movingOn(plain, watch.silence, nextAt), watch.over) }
}

/** The length that a vendor names; of a compressed body it is not that of the content. */
function lengthOf(response: UpstreamResponse): { readonly length?: number } {
  const length = response.header('content-length') ?? ''
  const isAsSent = response.header('content-encoding') === null && response.header('transfer-encoding') === null
  return isAsSent && /^\d{1,15}$/.test(length) ? { length: Number(length) } : {}
}
