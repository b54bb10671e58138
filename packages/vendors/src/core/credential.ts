import type { Json } from './json.ts'
import { at, numberOf, type VendorQuery } from './vendor-query.ts'

/** A credential that a vendor gives for a channel's key. It is sent in the key's place. */
export interface Credential {
  readonly value: string
  readonly expiresInSeconds: number
}

export type CredentialQuery = VendorQuery<Credential>

/** What a header can carry as one token (RFC 6750, 2.1, and RFC 6749, A.12). */
const tokenShape = /^[\x21-\x7e]+$/

/** The credential in a response of OAuth; `null`: it has none that can be sent. */
export function credentialIn(response: Json): Credential | null {
  const value = at(response, 'access_token')
  if (typeof value !== 'string' || !tokenShape.test(value)) return null
  return { value, expiresInSeconds: numberOf(at(response, 'expires_in')) ?? 0 }
}
