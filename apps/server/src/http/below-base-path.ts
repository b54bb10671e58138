import type { FieldReader } from '@sluice/http1/fields'
import type { Arrived } from '@sluice/http1/http-server'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { readBasePath, withoutBasePath } from '../lib/base-path.ts'

/** A request whose target is relative to the base path. */
export interface RootedArrival extends Pick<Arrived, 'address' | 'upgrade'> {
  readonly request: IncomingRequest
}

/** Removes the base path from the target of a request, unless a proxy has. */
export function rootedArrival(arrived: Arrived, basePath: string): RootedArrival {
  const url = withoutBasePath(arrived.request.url, basePath)
  if (url === arrived.request.url) return arrived
  const { method, headers, signal, body, bodyLength } = arrived.request
  const upgrade: Arrived['upgrade'] = (...parts) => arrived.upgrade(...parts)
  return { request: { method, url, headers, signal, body, bodyLength }, address: arrived.address, upgrade }
}

interface PublishedPathRules {
  /** Whether the request came through a configured proxy. */
  readonly isTrusted: boolean
  /** `BASE_PATH`; empty = the root. */
  readonly basePath: string
}

/**
 * The path below which the browser reached the server; empty = the root. A trusted proxy may name the path that it has removed. That
 * never changes which path the request is for: proxies that set no such field forward the client's, which would then pass rules for paths.
 */
export function publishedPath(headers: FieldReader, { isTrusted, basePath }: PublishedPathRules): string {
  const prefix = (isTrusted ? headers.get('x-forwarded-prefix') : null)?.split(',')[0]?.trim() ?? ''
  return prefix === '' ? basePath : (readBasePath(prefix) ?? basePath)
}
