/** A request as a client sent it. */
export interface Recorded {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Unpacked JSON, or `null`. */
  readonly body: unknown
  readonly status: number
  /** What an error said. */
  readonly error: string
}

/** A server in front of the gateway that keeps what clients send. */
export function startRecorder(gateway: string) {
  const kept: Recorded[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const bytes = new Uint8Array(await request.arrayBuffer())
      const { host: _host, connection: _connection, ...headers } = Object.fromEntries(request.headers)
      const response = await fetch(gateway + pathname + search, {
        method: request.method,
        headers,
        ...(bytes.length === 0 ? {} : { body: bytes }),
        decompress: false,
      })
      const error = response.ok ? '' : await response.clone().text()
      kept.push({ method: request.method, path: pathname + search, headers, body: read(bytes, headers), status: response.status, error })
      return response
    },
  })
  return { url: `http://localhost:${server.port}`, kept, close: () => server.stop(true) }
}

function read(bytes: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>): unknown {
  if (bytes.length === 0) return null
  const plain = headers['content-encoding'] === 'zstd' ? Bun.zstdDecompressSync(bytes) : bytes
  const text = new TextDecoder().decode(plain)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
