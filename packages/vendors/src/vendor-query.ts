import { isObject } from './is-object.ts'
import { baseOf, joinUrl } from './join-url.ts'
import type { Json } from './json.ts'

/** What is known of a channel when its vendor is asked for something that is no chat: a balance, a list of models. */
export interface QueryContext {
  /** The channel's own address, or else the vendor's. */
  readonly baseUrl: string
  readonly key: string
  /** The vendor's fixed headers and the one that carries the key. */
  readonly headers: Readonly<Record<string, string>>
  /** The vendor's own path of the model list, where it differs from the dialect's. */
  readonly modelsPath: string | undefined
  /** Milliseconds since the epoch. */
  readonly nowMs: number
}

export interface VendorQueryRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** `failed` is the vendor's own text or a plain sentence: untrusted, shown as text only. */
export type VendorQueryStep<Found> = { readonly request: VendorQueryRequest } | { readonly found: Found } | { readonly failed: string }

/**
 * A question to a vendor as a pure function of the answers so far: the next request, what was found, or why it was not.
 * Whoever runs it sends the requests, so that guards and time limits stand in one place.
 */
export type VendorQuery<Found> = (asked: QueryContext, answers: readonly Json[]) => VendorQueryStep<Found>

/** One GET with the usual headers, and how its answer is read. */
export function askOnce<Found>(
  path: string | ((asked: QueryContext) => string),
  read: (answer: Json) => { readonly found: Found } | { readonly failed: string },
): VendorQuery<Found> {
  return (asked, [answer]) => {
    if (answer !== undefined) return read(answer)
    const url = typeof path === 'string' ? addressOf(asked.baseUrl, path) : path(asked)
    return { request: { method: 'GET', url, headers: asked.headers } }
  }
}

/** Like `joinUrl`; what stands beside the versions of an interface (`/dashboard`, `/user`) stands beside `/v1` of the base too. */
export function addressOf(baseUrl: string, path: string): string {
  return path.startsWith('/v1/') ? joinUrl(baseUrl, path) : baseOf(baseUrl).replace(/\/v\d+[a-z0-9]*$/i, '') + path
}

/** A value deep in an answer; `undefined` where the way there breaks off. */
export function at(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value)
}

/** A number, also where it came as text. */
export function numberOf(value: Json | undefined): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}
