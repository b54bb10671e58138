import { createHash, timingSafeEqual } from 'node:crypto'
import { exposition, expositionType, type Family, mergeExpositions } from './exposition.ts'
import type { WorkerMetrics } from './worker-metrics.ts'

/** Serves `/metrics` for this Authorization header. */
export type MetricsPage = (authorization: string | null) => Promise<Response>

interface MetricsPageOptions {
  readonly token: string
  readonly families: readonly Family[]
  /** The other processes on the port; `null`: there is one. */
  readonly workers: WorkerMetrics | null
}

/** Serves the metrics to holders of the token. `null` if no token is configured: then the page does not exist. */
export function createMetricsPage({ token, families, workers }: MetricsPageOptions): MetricsPage | null {
  if (token === '') return null
  const own = (): Promise<string> => exposition(families, workers === null ? {} : { worker: workers.worker })
  workers?.respond(own)
  const all = async (): Promise<string> =>
    workers === null ? await own() : mergeExpositions(await Promise.all([own(), ...(await workers.collect())]))
  const expected = digestOf(token)
  return async (authorization) => {
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? ''
    // Digests have equal length and reveal nothing about the token, so the comparison takes constant time.
    if (!timingSafeEqual(digestOf(token), expected)) return refusal()
    return new Response(await all(), { headers: { 'content-type': expositionType, 'cache-control': 'no-store' } })
  }
}

function refusal(): Response {
  const headers = { 'www-authenticate': 'Bearer realm="metrics"', 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
  return new Response('The figures are shown to whoever has the METRICS_TOKEN of this server.\n', { status: 401, headers })
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
