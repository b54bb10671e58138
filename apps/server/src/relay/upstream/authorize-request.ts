import { fieldLines } from '@sluice/http1/fields'
import { authHeaders, withCredential } from '@sluice/vendors/core/auth'
import { addressAt } from '@sluice/vendors/core/join-url'
import type { Outgoing } from '@sluice/vendors/core/request'
import type { Clock } from '../../lib/clock.ts'
import type { Call } from '../model/call.ts'
import type { Channel } from '../model/channel.ts'
import { cryptoFunctions } from './crypto-functions.ts'
import { withOwnHeaders } from './own-headers.ts'

interface RequestToSign {
  readonly outgoing: Pick<Outgoing, 'path' | 'headers'>
  /** The body, if it is sent in another type than JSON. */
  readonly contentType: string | null
  /** The key, or what the vendor gave for it. */
  readonly credential: string
  /** What a signature covers. */
  readonly body: string | Uint8Array
  readonly clock: Clock
}

interface AuthorizedRequest {
  readonly url: string
  /** As lines. */
  readonly headers: string
}

/** The last headers of a channel with one `accept`. */
interface Kept {
  readonly headers: Outgoing['headers']
  readonly credential: string
  readonly lines: string
}

const jsonType = 'application/json'
const kept = new WeakMap<Channel, Map<string, Kept>>()

/**
 * The address and the headers of a request, with the channel's credential or signature. No client header is forwarded. The headers are the
 * same for most requests at a channel, so they are kept for as long as the channel is not changed.
 */
export function authorized(call: Call, channel: Channel, request: RequestToSign): AuthorizedRequest {
  const { outgoing, credential } = request
  const { vendor } = channel
  const url = withCredential(addressAt(channel.baseUrl, outgoing.path), vendor, credential)
  return 'signer' in vendor.auth ? signed(call, channel, { ...request, url }) : { url, headers: headerLines(call, channel, request) }
}

function headerLines(call: Call, channel: Channel, request: RequestToSign): string {
  const { outgoing, contentType, credential } = request
  const accept = acceptOf(call)
  if (contentType !== null) return fieldLines(headersOf(channel, request, accept))
  const known = kept.get(channel)
  const last = known?.get(accept)
  if (last?.headers === outgoing.headers && last.credential === credential) return last.lines
  const lines = fieldLines(headersOf(channel, request, accept))
  const now = { headers: outgoing.headers, credential, lines }
  if (known === undefined) kept.set(channel, new Map([[accept, now]]))
  else known.set(accept, now)
  return lines
}

function signed(call: Call, channel: Channel, request: RequestToSign & { readonly url: string }): AuthorizedRequest {
  const { url, body, clock } = request
  const { auth } = channel.vendor
  const headers = headersOf(channel, request, acceptOf(call))
  if (!('signer' in auth)) return { url, headers: fieldLines(headers) }
  const proof = auth.signer({ method: 'POST', url, headers, body }, { channel, crypto: cryptoFunctions, nowMs: clock.nowMs() })
  return { url: proof.url ?? url, headers: fieldLines({ ...headers, ...proof.headers }) }
}

function acceptOf({ rules, params }: Call): string {
  if (rules.plain !== undefined) return '*/*'
  return params.isStream ? 'text/event-stream' : jsonType
}

function headersOf(channel: Channel, { outgoing, contentType, credential }: RequestToSign, accept: string): Record<string, string> {
  const own = { 'content-type': jsonType, accept, 'accept-encoding': 'identity' }
  const type = contentType === null ? {} : { 'content-type': contentType }
  return withOwnHeaders({ ...own, ...outgoing.headers, ...authHeaders(channel.vendor, credential), ...type }, channel)
}
