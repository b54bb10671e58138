import { fieldLines } from '@sluice/http1/fields'
import { hopHeader, hopsWith } from '../hops.ts'
import type { RequestText, Upload } from './connection.ts'

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** `null`: none. An upload is sent as fast as the other side takes it. */
  readonly body: string | Upload | null
  /**
   * The other side may close a kept connection just when it is used. Whether it has seen the request cannot be known then, and `true` sends it
   * once more over a new connection: where doing it twice harms less than an answer that fails.
   */
  readonly isRepeatable: boolean
  /** Called when it is sent once more. */
  readonly resent?: () => void
  /** Address of the proxy that it goes through, with its login; `null`: none. */
  readonly proxy: string | null
  /** The servers of this product that it has passed before this one. Missing: none. */
  readonly hops?: string
  /** It asks for another protocol. Where it gets it, the body is what is said from then on, and so is the body of the response. */
  readonly isUpgrade?: boolean
}

/** Where a request goes, as the wire names it. */
export interface Target {
  readonly origin: string
  /** What stands in the `Host` header. */
  readonly host: string
  readonly port: number
  readonly serverName: string | null
  readonly path: string
  /** Without port, as it is looked up. */
  readonly hostname: string
  /** Address of the proxy that leads there; `null`: none. */
  readonly proxy: string | null
  /** What connections are kept by: one through a proxy serves nobody who does not go through it. */
  readonly way: string
}

/** @throws TypeError where the address is none */
export function targetOf(address: string, proxy: string | null): Target {
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
    way: proxy === null ? origin : `${proxy} ${origin}`,
  }
}

/** All of a request but an upload. @throws TypeError where a header cannot be sent as it is */
export function requestText({ host, path }: Target, request: UpstreamRequest, ownHop: string | null): RequestText {
  const { method, headers, body, isUpgrade = false, hops = '' } = request
  const stays = isUpgrade ? 'Upgrade' : 'keep-alive'
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: Sluice\r\nconnection: ${stays}\r\n`
  if (body !== null && !isUpgrade) head += `content-length: ${typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength}\r\n`
  if (ownHop !== null) head += `${hopHeader}: ${hopsWith(hops, ownHop)}\r\n`
  head += `${fieldLines(headers)}\r\n`
  return { head, body: typeof body === 'string' ? body : '' }
}
