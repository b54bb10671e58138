import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { createServiceBreaker } from './service-breaker.ts'

/** A request to one outside service. */
export interface OutsideCall {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
}

/** Sends calls to one service and reads its JSON. */
export interface Service {
  /** What it is called in messages. */
  readonly name: string
  /** The members of the answer's object. @throws AppError outside_unreachable, outside_invalid */
  json(call: OutsideCall): Promise<Readonly<Record<string, unknown>>>
}

/** The addresses at which an origin may be reached. Rejects where it may not be. */
export type AddressesOf = (origin: string) => Promise<readonly string[]>

/** What came back. */
export interface OutsideAnswer {
  readonly status: number
  readonly text: string
}

/** Sends a call and reads the answer. Redirects are answers like any other. @throws where none comes in time */
export type SendCall = (call: OutsideCall) => Promise<OutsideAnswer>

/** People wait for the answer. */
export const timeoutMs = 5_000
/** Answers are a few fields. */
export const bytesMax = 256 * 1024

interface ServiceDeps {
  readonly clock: Clock
  readonly name: string
  /** How calls go to addresses that somebody has typed into a form. Missing: the service is where it always is. */
  readonly send?: SendCall
}

/** The only place that calls a service other than upstream. Redirects are not followed: they would carry our secrets elsewhere. */
export function createService({ clock, name, send = sendByFetch }: ServiceDeps): Service {
  const breaker = createServiceBreaker(clock, name)
  const unreachable = (cause: unknown): AppError => new AppError('outside_unreachable', { params: { service: name }, cause })
  const invalid = (cause: unknown): AppError => new AppError('outside_invalid', { params: { service: name }, cause })

  async function ask(call: OutsideCall): Promise<string> {
    try {
      const { status, text } = await send({ ...call, headers: { accept: 'application/json', ...call.headers } })
      // A service that refuses says so in its body; one that is broken says nothing of use.
      if (status >= 500) throw new Error(`status ${status}`)
      if (status >= 300 && status < 400) throw new Error('a redirect, which is not followed')
      return text
    } catch (cause) {
      throw unreachable(cause)
    }
  }

  return {
    name,
    async json(call) {
      const text = await breaker.run(() => ask(call))
      try {
        const parsed: unknown = JSON.parse(text)
        if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed }
      } catch (cause) {
        throw invalid(cause)
      }
      throw invalid(new Error('no JSON object'))
    },
  }
}

async function sendByFetch({ url, method = 'GET', headers = {}, body }: OutsideCall): Promise<OutsideAnswer> {
  const response = await fetch(url, {
    method,
    headers: { 'user-agent': 'Sluice', ...headers },
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  return { status: response.status, text: await readText(response) }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  // Leaving the loop by the error cancels the body, which closes the connection.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > bytesMax) throw new Error(`an answer of more than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

/** Sends a body somewhere and tells the status of the answer; the rest of it is nobody's business. @throws where none comes in time */
export async function post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  await response.body?.cancel()
  return response.status
}

/** A member of an answer as text; anything else is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
