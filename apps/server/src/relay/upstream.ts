/** The only place that calls upstream. Redirects are not followed: they would carry our key to another host. */
export function sendUpstream(
  url: string,
  request: { readonly headers: Record<string, string>; readonly body: string; readonly signal: AbortSignal },
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    redirect: 'manual',
    // Deadlines are the relay's own, because a stream may rightly run longer than any fixed time.
    timeout: false,
  } as BunFetchRequestInit)
}
