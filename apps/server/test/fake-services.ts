/** One request that reached a service outside. */
interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: string
}

export interface FakeService {
  readonly url: string
  readonly received: readonly ReceivedCall[]
  /** The next request is answered by this instead. */
  answerNext(answer: (call: ReceivedCall) => Response | Promise<Response>): void
  close(): Promise<void>
}

/** A real HTTP server on loopback that speaks one service's protocol. */
export function fakeService(answer: (call: ReceivedCall) => Response): FakeService {
  const received: ReceivedCall[] = []
  const next: Array<(call: ReceivedCall) => Response | Promise<Response>> = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url)
      const call = {
        method: request.method,
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: await request.text(),
      }
      received.push(call)
      return await (next.shift() ?? answer)(call)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    answerNext: (one) => void next.push(one),
    close: () => server.stop(true),
  }
}

/** Cloudflare's siteverify: tokens that begin with `good` pass, each once. */
export function fakeTurnstile(): FakeService {
  const used = new Set<string>()
  return fakeService(({ method, path, body }) => {
    if (method !== 'POST' || path !== '/turnstile/v0/siteverify') return new Response('not found', { status: 404 })
    const token = new URLSearchParams(body).get('response') ?? ''
    const isNew = !used.has(token)
    used.add(token)
    if (!token.startsWith('good')) return Response.json({ success: false, 'error-codes': ['invalid-input-response'] })
    return Response.json(
      isNew ? { success: true, 'error-codes': [], hostname: 'localhost' } : { success: false, 'error-codes': ['timeout-or-duplicate'] },
    )
  })
}
