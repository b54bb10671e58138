/** What is sent upstream. */
export interface UpstreamRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
}

/** The only place that calls upstream. Redirects are not followed: they would carry our key to another host. */
export function sendUpstream(url: string, request: UpstreamRequest): Promise<Response> {
  return fetch(url, {
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    redirect: 'manual',
    // Deadlines are the relay's own, because a stream may rightly run longer than any fixed time.
    timeout: false,
  } as BunFetchRequestInit)
}
