import { fieldLines } from '@sluice/http1/fields'
import { hopHeader, hopsWith } from '../hops.ts'
import type { RequestText, Upload } from './connection.ts'

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  /** By name, or as lines as `fieldLines` writes them. */
  readonly headers: Readonly<Record<string, string>> | string
  /** `null`: none. An upload is sent as fast as the other side reads. */
  readonly body: string | Upload | null
  /**
   * The other side may close a kept-alive connection just when it is used; it is then unknown whether it received the request. `true`
   * resends it over a new connection: if running it twice does less harm than a failed response.
   */
  readonly isRepeatable: boolean
  /** Counts how often the request is resent. */
  readonly tally?: { resends: number }
  /** Address of the proxy, with its credentials; `null`: none. */
  readonly proxy: string | null
  /** A client or a vendor chose the address: it may not be one of a local network. Missing: it may. */
  readonly isPublicOnly?: boolean
  /** The Sluice servers that the request has passed before this one. Missing: none. */
  readonly hops?: string
  /** The request asks for a protocol upgrade. After it, the request body and the response body carry the new protocol. */
  readonly isUpgrade?: boolean
}

/** The target of a request. */
export interface Target {
  readonly origin: string
  /** The `Host` header. */
  readonly host: string
  readonly port: number
  readonly serverName: string | null
  readonly path: string
  /** Without port, for resolving. */
  readonly hostname: string
  /** Address of the proxy; `null`: none. */
  readonly proxy: string | null
  readonly isPublicOnly: boolean
  /** Key of the connection pool: connections are used only for requests through the same proxy and with the same rule for addresses. */
  readonly way: string
}

/** @throws TypeError for an invalid address */
export function targetOf(address: string, proxy: string | null, isPublicOnly: boolean): Target {
  const { protocol, origin, host, hostname, port, pathname, search } = new URL(address)
  const isSecure = protocol === 'https:'
  return {
    origin,
    host,
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    serverName: isSecure ? hostname.replace(/^\[|\]$/g, '') : null,
    path: pathname + search,
    hostname,
    proxy,
    isPublicOnly,
    way: `${isPublicOnly ? 'public ' : ''}${proxy === null ? origin : `${proxy} ${origin}`}`,
  }
}

/** The whole request except an upload. @throws TypeError if a header has invalid characters */
export function requestText({ host, path }: Target, request: UpstreamRequest, ownHop: string | null): RequestText {
  const { method, headers, body, isUpgrade = false, hops = '' } = request
  const stays = isUpgrade ? 'Upgrade' : 'keep-alive'
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: Sluice\r\nconnection: ${stays}\r\n`
  if (body !== null && !isUpgrade) head += `content-length: ${typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength}\r\n`
  if (ownHop !== null) head += `${hopHeader}: ${hopsWith(hops, ownHop)}\r\n`
  head += `${typeof headers === 'string' ? headers : fieldLines(headers)}\r\n`
  return { head, body: typeof body === 'string' ? body : '' }
}
