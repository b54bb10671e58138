import { createHash, timingSafeEqual } from 'node:crypto'
import { exposition, expositionType, type Family } from './exposition.ts'

/** Answers `/metrics` for this Authorization header. */
export type MetricsPage = (authorization: string | null) => Promise<Response>

/** Serves the metrics to holders of the token. `null` if no token is configured: then the page does not exist. */
export function createMetricsPage(token: string, families: readonly Family[]): MetricsPage | null {
  if (token === '') return null
  const expected = digestOf(token)
  return async (authorization) => {
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
    // Digests have equal length and reveal nothing about the token, so the comparison takes constant time.
    if (!timingSafeEqual(digestOf(given), expected)) return refusal()
    return new Response(await exposition(families), { headers: { 'content-type': expositionType, 'cache-control': 'no-store' } })
  }
}

function refusal(): Response {
  const headers = { 'www-authenticate': 'Bearer realm="metrics"', 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return new Response('The figures are shown to whoever has the METRICS_TOKEN of this server.\n', { status: 401, headers })
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
