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
  /** Only the status counts: the body of the response is not waited for. */
  readonly isStatusEnough?: boolean
}

/** Sends calls to one service and reads the JSON responses. */
export interface Service {
  /** The name for error messages. */
  readonly name: string
  /** The object in the response. @throws AppError service_unreachable, service_address_private, service_response_invalid */
  json(call: OutsideCall): Promise<Readonly<Record<string, unknown>>>
  /** The objects in the list that is the response; `null` = it is no list, as in a refusal. @throws AppError `service_*` */
  list(call: OutsideCall): Promise<ReadonlyArray<Readonly<Record<string, unknown>>> | null>
}

/** The addresses of an origin. Rejects if one is forbidden. */
export type AddressesOf = (origin: string) => Promise<readonly string[]>

/** A response. */
export interface OutsideResponse {
  readonly status: number
  readonly text: string
  /** Its content type; empty = none. */
  readonly type: string
}

/** Sends a call and reads the response. Redirects are returned as responses. @throws if none comes in time */
export type SendCall = (call: OutsideCall) => Promise<OutsideResponse>

/** Short, because users wait for the response. */
export const timeoutMs = 5_000
/** Responses have only a few fields. */
export const bytesMax = 256 * 1024

interface ServiceDeps {
  readonly clock: Clock
  readonly name: string
  readonly send: SendCall
}

/** The only place that calls services other than vendors. Redirects are not followed: they would send our secrets to another host. */
export function createService({ clock, name, send }: ServiceDeps): Service {
  const breaker = createServiceBreaker(clock, name)
  const invalid = (cause: unknown): AppError => new AppError('service_response_invalid', { params: { service: name }, cause })

  async function ask(call: OutsideCall): Promise<string> {
    try {
      const { status, text } = await send({ ...call, headers: { accept: 'application/json', ...call.headers } })
      // A 4xx response has the reason in its body; a 5xx response has nothing useful.
      if (status >= 500) throw new Error(`status ${status}`)
      if (status >= 300 && status < 400) throw new Error('redirects are not followed')
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
      throw invalid(new Error('not a JSON object'))
    },
    async list(call) {
      const parsed = await read(call)
      return Array.isArray(parsed) ? parsed.filter(isObject).map((entry) => ({ ...entry })) : null
    },
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Posts JSON to an address of the operator, and returns the status. `null`: no address is set */
export function postTo(
  { endpoint, headers }: { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> },
  send: SendCall,
) {
  const all = { ...headers, 'content-type': 'application/json' }
  if (endpoint === '') return null
  return async (body: string): Promise<number> => (await send({ url: endpoint, method: 'POST', headers: all, body })).status
}

/** A string field of a response; an empty string for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
