import { parseJsonText } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { createServiceBreaker } from './service-breaker.ts'
import { unreachable } from './unreachable.ts'

/** A request to an external service. */
export interface OutsideCall {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
  /** Missing: a few seconds. */
  readonly timeoutMs?: number
  /** Only the status counts: the body of the reply is not waited for. */
  readonly isStatusEnough?: boolean
}

/** Sends calls to one service and reads the JSON replies. */
export interface Service {
  /** The name for error messages. */
  readonly name: string
  /** The object in the reply. @throws AppError outside_unreachable, outside_private, outside_invalid */
  json(call: OutsideCall): Promise<Readonly<Record<string, unknown>>>
  /** The objects in the list that is the reply; `null` = it is no list, as in a refusal. @throws AppError outside_unreachable, outside_invalid */
  list(call: OutsideCall): Promise<ReadonlyArray<Readonly<Record<string, unknown>>> | null>
}

/** The addresses of an origin. Rejects if one is forbidden. */
export type AddressesOf = (origin: string) => Promise<readonly string[]>

/** A reply. */
export interface OutsideAnswer {
  readonly status: number
  readonly text: string
  /** Its content type; empty = none. */
  readonly type: string
}

/** Sends a call and reads the reply. Redirects are returned as replies. @throws if none comes in time */
export type SendCall = (call: OutsideCall) => Promise<OutsideAnswer>

/** Short, because users wait for the reply. */
export const timeoutMs = 5_000
/** Replies have only a few fields. */
export const bytesMax = 256 * 1024

interface ServiceDeps {
  readonly clock: Clock
  readonly name: string
  /** Sends calls to URLs that an administrator entered, with an address check. Missing: the URL is a constant. */
  readonly send?: SendCall
}

/** The only place that calls services other than vendors. Redirects are not followed: they would send our secrets to another host. */
export function createService({ clock, name, send = sendCall }: ServiceDeps): Service {
  const breaker = createServiceBreaker(clock, name)
  const invalid = (cause: unknown): AppError => new AppError('outside_invalid', { params: { service: name }, cause })

  async function ask(call: OutsideCall): Promise<string> {
    try {
      const { status, text } = await send({ ...call, headers: { accept: 'application/json', ...call.headers } })
      // A 4xx reply has the reason in its body; a 5xx reply has nothing useful.
      if (status >= 500) throw new Error(`status ${status}`)
      if (status >= 300 && status < 400) throw new Error('a redirect, which is not followed')
      return text
    } catch (cause) {
      throw unreachable(name, cause)
    }
  }

  async function read(call: OutsideCall): Promise<unknown> {
    const text = await breaker.run(() => ask(call))
    try {
      return parseJsonText(text)
    } catch (cause) {
      throw invalid(cause)
    }
  }

  return {
    name,
    async json(call) {
      const parsed = await read(call)
      if (isObject(parsed)) return { ...parsed }
      throw invalid(new Error('no JSON object'))
    },
    async list(call) {
      const parsed = await read(call)
      return Array.isArray(parsed) ? parsed.filter(isObject).map((entry) => ({ ...entry })) : null
    },
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sends a call to an address that is a constant or the operator's. Redirects are returned as replies. @throws if no reply comes in time */
export async function sendCall({
  url,
  method = 'GET',
  headers = {},
  body,
  timeoutMs: ms = timeoutMs,
}: OutsideCall): Promise<OutsideAnswer> {
  const response = await fetch(url, {
    method,
    headers: { 'user-agent': 'Sluice', ...headers },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(ms),
  })
  return { status: response.status, text: await readText(response), type: response.headers.get('content-type') ?? '' }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  // An error that leaves the loop cancels the body, which closes the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > bytesMax) throw new Error(`an answer of more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Posts JSON to an address of the operator. `null`: none is given */
export function postTo({ endpoint, headers }: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> }) {
  const all = { ...headers, 'content-type': 'application/json' }
  return endpoint === '' ? null : (body: string) => post(endpoint, all, body)
}

/** Posts a body and returns the status of the reply; its body is ignored. @throws if none comes in time */
async function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  await response.body?.cancel()
  return response.status
}

/** A string field of a reply; an empty string for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
