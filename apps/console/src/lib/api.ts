import { type DataOf, type Endpoint, expectedAccountHeader, type InputOf } from '@sluice/contract'
import { anySignal } from './any-signal.ts'
import { gatewayAddress, isElsewhere } from './gateway-address.ts'
import { accountId, expireSession, isOfOtherAccount, noteOtherAccount } from './session.ts'
import { currentLocale, t } from './t.ts'
import { isolated } from './text.ts'
import { showToast } from './toasts.ts'

/** Why a call failed. `refused`: the server sent an error with a text; `expired`: the session has ended and the login page follows. */
export type Failure =
  | ({ readonly kind: 'refused'; readonly message: string; readonly field: string } & Partial<RefusalFacts>)
  | { readonly kind: 'expired' }
  | { readonly kind: 'http'; readonly status: number; readonly message: string }
  | { readonly kind: 'network'; readonly message: string }

/** What only some refusals have; empty = the refusal is about something else. */
interface RefusalFacts {
  /** What a login that has just begun is completed with. */
  readonly secondStep: string
  /** Fields that somebody else has changed since the form was filled. */
  readonly changedFields: string
}

/** Thrown by `call` only. It extends `Error`, as the query library expects. */
export class CallError extends Error {
  readonly failure: Failure

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.kind === 'expired' ? 'session expired' : failure.message, options)
    this.failure = failure
  }
}

interface CallOptions {
  readonly signal?: AbortSignal
  /** Timeout of the response. A channel test waits for its vendor. */
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 30_000

/** The status of a call from another account than the one the page was opened for. */
const otherAccountStatus = 412

/** Every call is a row of the contract, and its response has that row's type. */
export async function call<E extends Endpoint>(endpoint: E, input: InputOf<E>, options: CallOptions = {}): Promise<DataOf<E>> {
  return (await callEnvelope(endpoint, input, options)).data
}

interface ApiResponse<Data> {
  readonly data: Data
  /** The whole envelope, for members beside `data`. */
  readonly envelope: Readonly<Record<string, unknown>>
}

/** The only function that sends requests. */
export async function callEnvelope<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  options: CallOptions = {},
): Promise<ApiResponse<DataOf<E>>> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs)
  const response = await request(endpoint, input, anySignal([timeout, ...(options.signal ? [options.signal] : [])]))
  const envelope = await unwrap(response)
  // Holds: the server builds `data` from the same row; its tests check every row.
  return { data: (envelope['data'] ?? null) as DataOf<E>, envelope }
}

interface FileOptions {
  readonly signal: AbortSignal
  /** Called with each part as it arrives. */
  readonly onPart: (text: string) => void
}

/** A call that returns a file. It may take long, and its reader can abort it. */
export async function callFile<E extends Endpoint>(endpoint: E, input: InputOf<E>, { signal, onPart }: FileOptions): Promise<Blob> {
  const response = await request(endpoint, input, signal)
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || response.body === null) {
    await unwrap(response)
    throw new CallError({ kind: 'network', message: t('error.unreadable') })
  }
  const parts: Uint8Array<ArrayBuffer>[] = []
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value)
      onPart(decoder.decode(part.value, { stream: true }))
    }
  } catch (cause) {
    throw asCallError(cause)
  }
  const file = new Blob(parts, { type })
  // A refusal is an envelope, an object; a file in JSON is an array.
  if (type.startsWith('application/json') && (await file.slice(0, 1).text()) === '{') await unwrap(new Response(file))
  return file
}

async function request(endpoint: Endpoint, input: unknown, signal: AbortSignal): Promise<Response> {
  // A page never acts as an account that has logged in since. If the browser's cookie changes just now, the server compares the header.
  if (isOfOtherAccount()) throw new CallError({ kind: 'http', status: otherAccountStatus, message: t('error.412') })
  const { url, body } = requestOf(endpoint, input)
  const account = accountId()
  return await send(`${gatewayAddress}${url}`, {
    method: endpoint.method,
    headers: {
      'accept-language': currentLocale(),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...(account === null ? {} : { [expectedAccountHeader]: String(account) }),
    },
    body,
    credentials: isElsewhere ? 'include' : 'same-origin',
    signal,
  })
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (cause) {
    throw asCallError(cause)
  }
}

/** How long the gateway may take to accept a task request: it waits for a vendor. */
const relayTimeoutMs = 180_000

interface RelayCall {
  /** Of a token, without its prefix. */
  readonly key: string
  readonly body: FormData | object
}

/**
 * Calls the gateway as a client does, with the key of a token. A refusal names the parameter that it is about; it never ends the session
 * of the page.
 */
export async function callRelay(path: string, relayCall: RelayCall): Promise<Readonly<Record<string, unknown>>> {
  const response = await sendToRelay(path, { ...relayCall, signal: AbortSignal.timeout(relayTimeoutMs) })
  const envelope = await readBody(response)
  if (envelope === null) throw new CallError({ kind: 'network', message: t('error.unreadable') })
  if (response.ok && (envelope['code'] ?? 'success') === 'success') return envelope
  throw relayRefusal(envelope)
}

/** The bytes of a response of the gateway, while they arrive. */
export interface RelayStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Whether it consists of events; otherwise it is one document, or a file. */
  readonly isStream: boolean
  /** By which the log names the request; empty = unknown. */
  readonly requestId: string
}

/** Calls the gateway as a client does, for a response that is read while it arrives. Aborting the signal ends the request. */
export async function streamRelay(path: string, relayCall: RelayCall & { readonly signal: AbortSignal }): Promise<RelayStream> {
  const response = await sendToRelay(path, relayCall)
  if (!response.ok) throw relayRefusal((await readBody(response)) ?? {})
  if (response.body === null) throw new CallError({ kind: 'network', message: t('error.unreadable') })
  const isStream = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
  return { body: response.body, isStream, requestId: response.headers.get('x-request-id') ?? '' }
}

async function sendToRelay(path: string, { key, body, signal }: RelayCall & { readonly signal: AbortSignal }): Promise<Response> {
  const isForm = body instanceof FormData
  return await send(`${gatewayAddress}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer sk-${key}`,
      'accept-language': currentLocale(),
      ...(isForm ? {} : { 'content-type': 'application/json' }),
    },
    body: isForm ? body : JSON.stringify(body),
    credentials: 'omit',
    signal,
  })
}

function relayRefusal(envelope: Readonly<Record<string, unknown>>): CallError {
  // Holds: any value can be read by string keys once it is known to be an object; each member is checked before use.
  const { message, param, code } = (typeof envelope['error'] === 'object' ? (envelope['error'] ?? {}) : envelope) as Record<string, unknown>
  const text = typeof message === 'string' && message !== '' ? message : t('error.noReason')
  // The key is no parameter, but a page of ours chooses it by its token.
  const isAboutKey = typeof code === 'string' && code.startsWith('token_')
  return new CallError({ kind: 'refused', message: text, field: typeof param === 'string' ? param : isAboutKey ? 'token' : '' })
}

function asCallError(cause: unknown): Error {
  // A call that the page itself aborted is not reported; the query library recognizes it by this name.
  if (cause instanceof DOMException && cause.name === 'AbortError') return cause
  return new CallError({ kind: 'network', message: cause instanceof Error ? cause.message : String(cause) }, { cause })
}

async function unwrap(response: Response): Promise<Readonly<Record<string, unknown>>> {
  if (response.status === 401) {
    expireSession()
    throw new CallError({ kind: 'expired' })
  }
  if (response.status === otherAccountStatus) noteOtherAccount()
  const body = await readBody(response)
  const message = typeof body?.['message'] === 'string' ? body['message'] : ''
  if (!response.ok) throw new CallError({ kind: 'http', status: response.status, message: message || `HTTP ${response.status}` })
  if (body === null) throw new CallError({ kind: 'network', message: t('error.unreadable') })
  if (body['success'] !== true) {
    const facts: RefusalFacts = { secondStep: textIn(body['second_step']), changedFields: textIn(body['changed_fields']) }
    throw new CallError({ kind: 'refused', message: message || t('error.noReason'), field: textIn(body['field']), ...facts })
  }
  return body
}

/** A text beside a refusal, such as the member of the input that it is about; empty = the server sent none. */
function textIn(member: unknown): string {
  return typeof member === 'string' ? member : ''
}

/** What the login that was refused is completed with, such as `code,passkey`; empty = it failed. */
export function secondStepOf(error: unknown): string {
  return error instanceof CallError && error.failure.kind === 'refused' ? (error.failure.secondStep ?? '') : ''
}

/** The fields because of which an update was refused: somebody else has changed them since the form was filled. */
export function changedElsewhere(error: unknown): readonly string[] {
  const names = error instanceof CallError && error.failure.kind === 'refused' ? (error.failure.changedFields ?? '') : ''
  return names === '' ? [] : names.split(',')
}

async function readBody(response: Response): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const body: unknown = await response.json()
    // Holds: any object can be read by string keys; each value is checked before use.
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Fills each `:name` of the path; the rest of the input is the query of a GET or DELETE, else the JSON body and the row's query. */
export function requestOf(
  { method, path, inQuery }: Pick<Endpoint, 'method' | 'path' | 'inQuery'>,
  input: unknown,
): { readonly url: string; readonly body: string | null } {
  const rest = new Map(Object.entries(typeof input === 'object' && input !== null ? input : {}))
  const [pattern = '', flag] = path.split('?')
  const filled = pattern.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value ?? ''))
  })
  const hasBody = method === 'POST' || method === 'PUT'
  const query = new URLSearchParams(flag === undefined ? {} : { [flag]: 'true' })
  for (const [name, value] of [...rest]) {
    if (hasBody && !inQuery.includes(name)) continue
    if (value !== undefined && value !== null) query.set(name, String(value))
    rest.delete(name)
  }
  return { url: withQuery(filled, query), body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : null }
}

function withQuery(path: string, query: URLSearchParams): string {
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Whether a call was refused because another account has logged in; the page itself says so. */
export function isForOtherAccount(error: unknown): boolean {
  return error instanceof CallError && error.failure.kind === 'http' && error.failure.status === otherAccountStatus
}

/** Whether a call may have been carried out although it failed: its response was lost, or a proxy gave up waiting for it. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof CallError)) return false
  const { failure } = error
  return failure.kind === 'network' || (failure.kind === 'http' && [502, 503, 504].includes(failure.status))
}

/** Whether the connection of a call was lost, and not only given up. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof CallError && error.failure.kind === 'network' && !(error.cause instanceof DOMException)

/** The server's clock in Unix seconds; `null`: a page of another site cannot see it. */
export async function serverSeconds(): Promise<number | null> {
  const { headers } = await send(`${gatewayAddress}/api/status`, { cache: 'no-store' })
  return Date.parse(headers.get('date') ?? '') / 1000 || null
}

/** Whether the server has read a call and does not carry it out. */
export const isRefused = (error: unknown): boolean => error instanceof CallError && error.failure.kind === 'refused'

/** Members by which calls name the row that they act on. */
const rowNames: readonly string[] = ['id', 'username']

/** Whether the row that a call acted on no longer exists: no repetition can succeed. */
export const isGone = (error: unknown): boolean =>
  error instanceof CallError && error.failure.kind === 'refused' && rowNames.includes(error.failure.field)

/** The message for a failed call, and its kind (specification, section 8); `null` = none. */
export function explain(error: unknown): { readonly kind: 'error' | 'info'; readonly text: string } | null {
  if (!(error instanceof CallError)) return error instanceof DOMException ? null : { kind: 'error', text: plainError(error) }
  const { failure } = error
  switch (failure.kind) {
    case 'expired':
      return null
    case 'refused':
      // It may name what a user has named.
      return { kind: 'error', text: isolated(failure.message) }
    case 'network':
      return { kind: 'error', text: t('error.other', { message: failure.message }) }
    case 'http':
      return explainStatus(failure.status, failure.message)
  }
}

function explainStatus(status: number, message: string): { readonly kind: 'error' | 'info'; readonly text: string } {
  if (status === 429) return { kind: 'error', text: t('error.429') }
  if (status === otherAccountStatus) return { kind: 'error', text: t('error.412') }
  if (status === 500) return { kind: 'error', text: t('error.500') }
  if (status === 405) return { kind: 'info', text: t('error.405') }
  return { kind: 'error', text: t('error.other', { message }) }
}

function plainError(error: unknown): string {
  return t('error.other', { message: error instanceof Error ? error.message : String(error) })
}

export function toastError(error: unknown): void {
  const explained = explain(error)
  if (explained !== null) showToast(explained.kind, explained.text)
}
