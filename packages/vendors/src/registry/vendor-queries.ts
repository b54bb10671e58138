import { authHeaders } from '../core/auth.ts'
import type { ChannelFacts } from '../core/channel-config.ts'
import type { CryptoFunctions } from '../core/crypto-functions.ts'
import type { Dialect } from '../core/dialect.ts'
import type { Kind } from '../core/kind.ts'
import type { Vendor } from '../core/vendor.ts'
import type { QueryContext, VendorQuery, VendorQueryRequest } from '../core/vendor-query.ts'
import { dialectOf } from './dialect-of.ts'

/** The query that lists a vendor's models; `null` = it has no such list. */
export function modelQuery(vendor: Vendor): VendorQuery<readonly string[]> | null {
  return vendor.models.ask ?? dialectOf(vendor, 'chat')?.askModels ?? null
}

/** How a channel is queried for the token count of a request; `undefined` = it cannot be, or its calls go to another address or are signed. */
export function tokenQuery(channel: ChannelFacts & { readonly vendor: Vendor }, kind: Kind, model: string): Dialect['askTokens'] {
  const { vendor } = channel
  const path = vendor.routes.pathFor?.(messagesPath, { kind, model, channel, body: {} }) ?? messagesPath
  return path !== messagesPath || 'signer' in vendor.auth ? undefined : dialectOf(vendor, kind, model)?.askTokens
}

const messagesPath = '/v1/messages'

interface Asker {
  readonly facts: ChannelFacts
  /** What is sent in the place of the key, if the vendor gives such a credential; otherwise the key. */
  readonly credential: string
  readonly nowMs: number
  readonly crypto: CryptoFunctions
}

/** The context of a vendor query for a channel. */
export function queryContextOf(vendor: Pick<Vendor, 'auth' | 'routes'>, { facts, credential, nowMs, crypto }: Asker): QueryContext {
  const headers = { ...vendor.routes.headers, ...authHeaders(vendor, credential) }
  const signed = ({ method, url, headers: own, body = '' }: VendorQueryRequest): Readonly<Record<string, string>> => {
    const sign = 'signer' in vendor.auth ? vendor.auth.signer : null
    return { ...own, ...sign?.({ method, url, headers: own, body }, { channel: facts, crypto, nowMs }).headers }
  }
  return { ...facts, nowMs, crypto, headers, signed, modelsPath: vendor.routes.paths?.models }
}
