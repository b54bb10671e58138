import { authHeaders } from '@sluice/vendors/core/auth'
import { asText } from '@sluice/vendors/core/is-object'
import { addressAt } from '@sluice/vendors/core/join-url'
import type { JsonObject } from '@sluice/vendors/core/json'
import { listedItems } from '@sluice/vendors/protocols/responses/history'
import { AppError } from '../../lib/app-error.ts'
import { queryOf } from '../../lib/request-url.ts'
import { type ReadingDeps, reading } from '../ingress/read-with-permit.ts'
import type { Channel } from '../model/channel.ts'
import type { AttemptDeps } from '../upstream/current-attempt.ts'
import type { UpstreamResponse } from '../upstream/http1/client.ts'
import { decodeBody } from '../upstream/http1/decode-body.ts'
import { withOwnHeaders } from '../upstream/own-headers.ts'
import { readCapped } from '../upstream/read-capped.ts'
import { queryTimeoutMs } from '../upstream/timeouts.ts'
import { relayHeaders } from '../wire/error-response.ts'
import { withoutSecrets } from '../wire/without-secrets.ts'
import type { StoredResponses } from './stored-responses.ts'
import type { OwnResponse } from './stored-turns.ts'

/** A call on a response that its vendor stores. These calls are free. */
interface ResponseOperation {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The path after the response's own path. */
  readonly below: '' | '/input_items' | '/cancel'
  /** Query parameters that are forwarded; all others are dropped. */
  readonly query: readonly string[]
  /** The call deletes the response at the vendor. */
  readonly isEnd?: boolean
}

export interface ResponseDeps extends ReadingDeps, Pick<AttemptDeps, 'client' | 'deadlines' | 'limits'> {
  readonly storedResponses: Pick<StoredResponses, 'channelOf' | 'forget' | 'own'>
}

/** OpenAI API reference, "Responses", read 2026-11-21. */
export const retrieve = handler({ method: 'GET', below: '', query: ['include', 'include[]', 'include_obfuscation'] })
export const listInputItems = handler({
  method: 'GET',
  below: '/input_items',
  query: ['after', 'before', 'include', 'include[]', 'limit', 'order'],
})
export const cancel = handler({ method: 'POST', below: '/cancel', query: [] })
export const remove = handler({ method: 'DELETE', below: '', query: [], isEnd: true })

/** Largest response, as for a new response. */
const responseBytesMax = 64 * 1024 * 1024

function handler(operation: ResponseOperation) {
  return reading<ResponseDeps>(async ({ caller, incoming, deps, path: { id = '' } }) => {
    const { request, requestId, hops } = incoming
    const query = queryOf(request.url)
    // Vendors stream only background responses, which the relay does not offer.
    if (query.get('stream') === 'true') throw new AppError('parameter_not_offered', { params: { name: 'stream' } })
    const own = await deps.storedResponses.own(caller, id)
    if (own !== null) {
      if (operation.isEnd === true) await deps.storedResponses.forget(caller, id)
      return Response.json(ownResponse(own, operation, query), { headers: relayHeaders(requestId, 0) })
    }
    const channel = await deps.storedResponses.channelOf(caller, id)
    const { status, body } = await ask(deps, channel, { operation, id, query, hops })
    if (operation.isEnd === true && (status < 300 || status === 404)) await deps.storedResponses.forget(caller, id)
    return new Response(body, { status, headers: { ...relayHeaders(requestId, 1), 'content-type': 'application/json' } })
  })
}

/** What the vendor would return for a response that is stored here. @throws AppError */
function ownResponse({ response, turn }: OwnResponse, { below, isEnd }: ResponseOperation, query: URLSearchParams): JsonObject {
  const id = asText(response['id'])
  if (below === '/cancel') throw new AppError('parameter_not_offered', { params: { name: 'background' } })
  if (below === '/input_items') return pageOf(listedItems(turn.input, id), query)
  return isEnd === true ? { id, object: 'response', deleted: true } : response
}

/** Items of a page without `limit`, and at most. */
const pageSize = 20
const pageMax = 100

/** OpenAI API reference, "List input items", read 2026-11-21: newest first by default. */
function pageOf(items: readonly JsonObject[], query: URLSearchParams): JsonObject {
  const limit = Number(query.get('limit') ?? pageSize)
  if (!Number.isInteger(limit) || limit < 1 || limit > pageMax) throw new AppError('invalid_parameter', { params: { name: 'limit' } })
  const sorted = query.get('order') === 'asc' ? items : items.toReversed()
  const after = query.get('after')
  const from = after === null ? 0 : sorted.findIndex((item) => item['id'] === after) + 1
  const data = sorted.slice(from, from + limit)
  const idOf = (item: JsonObject | undefined) => item?.['id'] ?? null
  return { object: 'list', data, first_id: idOf(data[0]), last_id: idOf(data.at(-1)), has_more: from + limit < sorted.length }
}

/** The vendor's response. */
interface VendorResponse {
  readonly status: number
  readonly body: Uint8Array<ArrayBuffer> | string
}

interface Question {
  readonly operation: ResponseOperation
  readonly id: string
  readonly query: URLSearchParams
  readonly hops: string
}

/** @throws AppError if there was no response, or one that concerns the channel and not the request */
async function ask(
  { client, deadlines, limits }: ResponseDeps,
  channel: Channel,
  { operation, id, query, hops }: Question,
): Promise<VendorResponse> {
  const { vendor, key, baseUrl, settings } = channel
  const kept = new URLSearchParams([...query].filter(([name]) => operation.query.includes(name)))
  const own = `/v1/responses/${encodeURIComponent(id)}${operation.below}${kept.size === 0 ? '' : `?${kept}`}`
  const path = vendor.routes.pathFor?.(own, { kind: 'responses', model: '', channel, body: {} }) ?? own
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', ...vendor.routes.headers, ...authHeaders(vendor, key) }
  const { method } = operation
  const outbound = client.send({
    method,
    url: addressAt(baseUrl, path),
    headers: withOwnHeaders(headers, channel),
    body: method === 'POST' ? '' : null,
    isRepeatable: true,
    proxy: settings.proxy,
    hops,
  })
  let isLate = false
  const deadline = deadlines.start(queryTimeoutMs(channel, limits), () => {
    isLate = true
    outbound.abort()
  })
  try {
    const response = decodeBody(await outbound.response)
    if (response === null) throw new AppError('upstream_invalid_response')
    return await read(response, channel)
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError(isLate ? 'upstream_timeout' : 'upstream_unreachable', { cause })
  } finally {
    deadlines.cancel(deadline)
  }
}

/** Errors about the response are passed on; errors about the channel's key are not, because the client's own key is valid. */
async function read(response: UpstreamResponse, channel: Channel): Promise<VendorResponse> {
  const { status } = response
  if (status >= 300 && status < 400) {
    response.abort()
    throw new AppError('upstream_redirect')
  }
  const { bytes, isCut } = await readCapped(response, responseBytesMax)
  if (status < 300 && !isCut) return { status, body: bytes }
  if (status === 401 || status === 403) throw new AppError('channel_auth_failed')
  if (status === 429) throw new AppError('upstream_rate_limited')
  if (status >= 500 || isCut) throw new AppError('upstream_failed', { params: { detail: `status ${status}` } })
  const text = new TextDecoder().decode(bytes)
  return { status, body: withoutSecrets(text, channel) }
}
