import type { Signer } from './signer.ts'

/**
 * How requests carry the channel's key, or the credential that is fetched with it: in a header, in a query parameter, or as a signature
 * over the request. Without a key, nothing is sent.
 */
export type Auth =
  /** @property header in lower case; `prefix` stands before the key */
  { readonly header: string; readonly prefix?: string } | { readonly query: string } | { readonly signer: Signer }

/** `Authorization: Bearer KEY`. */
export const bearer: Auth = { header: 'authorization', prefix: 'Bearer ' }
/** `Authorization: KEY`. */
export const bareKey: Auth = { header: 'authorization' }

const none: Readonly<Record<string, string>> = {}

/** The header with the credential; none if it is empty, or is not sent in a header. */
export function authHeaders({ auth }: { readonly auth: Auth }, credential: string): Readonly<Record<string, string>> {
  return credential === '' || !('header' in auth) ? none : { [auth.header]: `${auth.prefix ?? ''}${credential}` }
}

/** The address with the credential in its query, if the vendor wants it there. */
export function withCredential(url: string, { auth }: { readonly auth: Auth }, credential: string): string {
  if (credential === '' || !('query' in auth)) return url
  return `${url}${url.includes('?') ? '&' : '?'}${auth.query}=${encodeURIComponent(credential)}`
}
