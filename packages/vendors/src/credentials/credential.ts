import type { VendorQuery } from '../vendor-query.ts'

/** A credential that a vendor gives for a channel's key. It is sent in the key's place. */
export interface Credential {
  readonly value: string
  readonly expiresInSeconds: number
}

export type CredentialQuery = VendorQuery<Credential>
