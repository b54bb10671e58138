import { createHash, timingSafeEqual } from 'node:crypto'
import { exposition, expositionType, type Family } from './exposition.ts'

/** What `/metrics` answers to whoever shows this header. */
export type MetricsPage = (authorization: string | null) => Promise<Response>

/** The figures, for who has the token. `null` where none is configured: then there is no such page. */
export function createMetricsPage(token: string, families: readonly Family[]): MetricsPage | null {
  if (token === '') return null
  const expected = digestOf(token)
  return async (authorization) => {
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
    // Digests have one length and tell nothing of what they were made of, so the comparison takes the same time for every guess.
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
