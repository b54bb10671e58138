import { authHeaders } from '@sluice/vendors/core/auth'
import type { Outgoing } from '@sluice/vendors/core/request'
import type { ResponseContext } from '@sluice/vendors/core/response'
import type { Call } from '../model/call.ts'
import type { Channel } from '../model/channel.ts'
import type { Attempt } from '../model/upstream-response.ts'
import { authorized } from './authorize-request.ts'
import { cancellationOf, signsOfLife } from './cancellation.ts'
import { credentialFailure } from './credential-failure.ts'
import { type AttemptDeps, beyondLimits, failed, unread } from './current-attempt.ts'
import { decodeBody } from './http1/decode-body.ts'
import { bytesUpload } from './http1/text-upload.ts'
import { messagesMs, sendMessages } from './message-exchange.ts'
import { StreamIdle } from './open-stream.ts'
import { withOwnHeaders } from './own-headers.ts'
import { type Prepared, type PreparedRequest, prepared } from './prepare-request.ts'
import { readResponse } from './read-response.ts'
import { limitsFor, type Timeouts, timeoutsOf } from './timeouts.ts'
import { brokenAt, isLargeByOrder, unreadableBy } from './transport-codes.ts'
import { withoutQuery } from './without-query.ts'

/** Largest message of a WebSocket that responds to one request. */
const messageBytesMax = 4 * 1024 * 1024

/** Sends the call to a channel and waits for a whole response, for the first event of a stream, or for a failure. */
export function attempt(call: Call, channel: Channel, deps: AttemptDeps): Promise<Attempt> {
  if (channel.vendor.credential !== undefined) return attemptWithCredential(call, channel, deps)
  const ready = prepared(call, channel, deps)
  if (ready instanceof Promise)
    return ready.then((read) => exchangeIfConnected(call, channel, { ready: read, credential: channel.key, deps }))
  return ready === null ? Promise.resolve(withoutKind(call, channel)) : exchange(call, channel, { ready, credential: channel.key, deps })
}

function withoutKind({ rules }: Call, { id }: Channel): Attempt {
  return failed('upstream_invalid_response', new Error(`channel ${id} does not have ${rules.kind}`))
}

/** The client may have left while a credential or an image was fetched. */
function exchangeIfConnected(call: Call, channel: Channel, sender: Ready): Promise<Attempt> {
  const tried = call.isClientGone
    ? Promise.resolve(failed('upstream_unreachable', new Error('client disconnected')))
    : exchange(call, channel, sender)
  const { ready } = sender
  return 'refused' in ready || ready.release === undefined ? tried : tried.finally(ready.release)
}

/** A credential that was kept and is refused is fetched once more: the vendor may have revoked it. */
async function attemptWithCredential(call: Call, channel: Channel, deps: AttemptDeps): Promise<Attempt> {
  const pendingCredential = deps.credentials.of(channel)
  const credential = typeof pendingCredential === 'string' ? pendingCredential : await pendingCredential.catch(failedCredential)
  if (typeof credential !== 'string') return credential
  const ready = await prepared(call, channel, deps)
  if (ready === null) return withoutKind(call, channel)
  const tried = await exchangeIfConnected(call, channel, { ready, credential, deps })
  return isKeyRefused(tried) && deps.credentials.drop(channel, credential) ? await attemptWithCredential(call, channel, deps) : tried
}

const failedCredential = (cause: unknown): Attempt => ({ isOk: false, failed: credentialFailure(cause) })

const isKeyRefused = (tried: Attempt): boolean => !tried.isOk && tried.failed.by === 'vendor' && tried.failed.failure.kind === 'bad_key'

interface Sender {
  readonly credential: string
  readonly deps: AttemptDeps
}

interface Ready extends Sender {
  readonly ready: Prepared
}

interface Sendable extends Sender {
  readonly ready: PreparedRequest
}

/** Nothing is sent if the vendor's form cannot hold the request. */
function exchange(call: Call, channel: Channel, { ready, credential, deps }: Ready): Promise<Attempt> {
  if (!('refused' in ready)) return send(call, channel, { ready, credential, deps })
  call.address = ''
  call.rewrites = []
  return Promise.resolve({ isOk: false, failed: { by: 'form', code: 'parameter_not_offered', parameter: ready.refused } })
}

async function send(call: Call, channel: Channel, { ready, credential, deps }: Sendable): Promise<Attempt> {
  const { rules, params, requestId, created } = call
  const { dialect, outgoing, body, contentType } = ready
  const signedBody = typeof body === 'string' || body instanceof Uint8Array ? body : ''
  const { url, headers } = authorized(call, channel, { outgoing, contentType, credential, body: signedBody, clock: deps.clock })
  call.address = withoutQuery(url)
  call.rewrites = ready.rewrites
  const { proxy } = channel.settings
  const { hops, isRepeatable } = call
  const requestBody = body instanceof Uint8Array ? bytesUpload(body) : body
  const outbound =
    outgoing.messages === undefined
      ? deps.client.send({ method: 'POST', url, headers, isRepeatable, tally: call, proxy, hops, body: requestBody })
      : sendMessages({ url, headers: socketHeaders(channel, outgoing, credential), proxy, hops, outgoing }, { ...deps, messageBytesMax })
  const cancellation = cancellationOf(outbound)
  const { abort } = cancellation
  call.cancel = abort
  const { toolNames, unwrapTool, callsFunctions, echo, outputMax, stopWords, cutAt, oneCall, schemaInPrompt, upstreamKind } = outgoing
  const id = rules.idPrefix + requestId
  const { model, promptTokens } = params
  const responseHead = { id, created, model, promptTokens }
  const context: ResponseContext = { ...responseHead, toolNames, unwrapTool, callsFunctions, echo, outputMax, stopWords, cutAt, oneCall }
  const timeouts = timeoutsOf(call, channel, deps.limits)
  const firstByte = deps.deadlines.start(timeouts.firstByteMs + messagesMs(outgoing), () => abort('timed_out'))
  const alive = signsOfLife(firstByte, { clock: deps.clock, idleMs: timeouts.idleMs, totalMs: limitsFor(channel, deps.limits).totalMs })
  try {
    const response = decodeBody(await outbound.response)
    call.progressed?.()
    if (response === null) {
      abort('not_wanted')
      return failed('upstream_invalid_response')
    }
    return await readResponse(response, { call, channel, dialect, context, schemaInPrompt, upstreamKind, deps, timeouts, abort, alive })
  } catch (cause) {
    const unreadable = unreadableBy(cause)
    if (unreadable !== null && isLargeByOrder(unreadable, call)) return beyondLimits(unreadable, unread, cause)
    if (unreadable !== null) return failed(unreadable, cause)
    return cancellation.reason() === 'timed_out' ? exceeded(cause, timeouts) : failed(brokenAt(cause, outbound.isSent), cause)
  } finally {
    deps.deadlines.cancel(firstByte)
  }
}

/** The headers of a handshake: it has no body, and so no content type. */
function socketHeaders(channel: Channel, { headers }: Outgoing, credential: string): Readonly<Record<string, string>> {
  return withOwnHeaders({ ...headers, ...authHeaders(channel.vendor, credential) }, channel)
}

function exceeded(cause: unknown, { firstByteMs }: Timeouts): Attempt {
  const late = cause instanceof StreamIdle ? cause.exceeded : ({ setting: 'first_byte_seconds', ms: firstByteMs } as const)
  return { isOk: false, failed: { by: 'transport', code: 'upstream_timeout', cause, exceeded: late } }
}
