import type { ChannelFacts } from './channel-config.ts'
import type { CryptoFunctions } from './crypto-functions.ts'
import { isObject } from './is-object.ts'
import { baseOf, joinUrl, withoutVersion } from './join-url.ts'
import type { Json } from './json.ts'

/** The data of a channel that a query to its vendor needs. */
export interface QueryContext extends ChannelFacts {
  /** The vendor's fixed headers and the one that carries the key. */
  readonly headers: Readonly<Record<string, string>>
  /** The vendor's own path of the model list, if it differs from the dialect's. */
  readonly modelsPath: string | undefined
  /** Milliseconds since the epoch. */
  readonly nowMs: number
  readonly crypto: CryptoFunctions
  /** The headers of a request with its signature, where the vendor signs. @throws Error if the key has not the form of its vendor */
  readonly signed?: (request: VendorQueryRequest) => Readonly<Record<string, string>>
}

export interface VendorQueryRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Its headers name its content type. */
  readonly body?: string
}

/** `failed` is the vendor's own text or a sentence of ours. Untrusted: shown as text only. */
export type VendorQueryStep<Result> = { readonly request: VendorQueryRequest } | { readonly result: Result } | { readonly failed: string }

/**
 * A query to a vendor as a pure function of the responses so far: it returns the next request, the result, or why it failed.
 * The caller sends the requests, so that address checks and timeouts are in one place.
 */
export type VendorQuery<Result> = (context: QueryContext, responses: readonly Json[]) => VendorQueryStep<Result>

/** One GET with the usual headers, signed where the vendor signs, and how its response is read. */
export function askOnce<Result>(
  path: string | ((context: QueryContext) => string),
  read: (response: Json) => { readonly result: Result } | { readonly failed: string },
): VendorQuery<Result> {
  return (context, [response]) => {
    if (response !== undefined) return read(response)
    const url = typeof path === 'string' ? addressOf(context.baseUrl, path) : path(context)
    const request = { method: 'GET', url, headers: context.headers } as const
    return { request: { ...request, headers: context.signed?.(request) ?? context.headers } }
  }
}

/** Like `joinUrl`; a path without a version (`/dashboard`, `/user`) replaces the version at the end of the base. */
export function addressOf(baseUrl: string, path: string): string {
  return path.startsWith('/v1/') ? joinUrl(baseUrl, path) : withoutVersion(baseOf(baseUrl)) + path
}

/** A nested value of a response; `undefined` if a part of its path is missing. */
export function at(value: Json | undefined, ...names: readonly string[]): Json | undefined {
  return names.reduce<Json | undefined>((member, name) => (isObject(member) ? member[name] : undefined), value)
}

/** A number, or text that is one; otherwise `null`. */
export function numberOf(value: Json | undefined): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}
