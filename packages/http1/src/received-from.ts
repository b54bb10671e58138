import { ClientAbort } from './client-abort.ts'
import type { IncomingRequest } from './incoming-request.ts'

/** Converts a `Request` that was made in this process into a received one. */
export function receivedFrom(request: Request): IncomingRequest {
  const { pathname, search } = new URL(request.url)
  const reader = request.body?.getReader()
  const read = async (): Promise<Uint8Array | null> => (await reader?.read())?.value ?? null
  return {
    method: request.method,
    url: pathname + search,
    headers: request.headers,
    signal: new ClientAbort(),
    bodyLength: 0,
    body:
      reader === undefined
        ? null
        : {
            read,
            async bytes() {
              const all: Uint8Array[] = []
              for (let next = await read(); next !== null; next = await read()) all.push(next)
              return Buffer.concat(all)
            },
            taken: () => null,
            cancel: () => void reader.cancel().catch(() => undefined),
          },
  }
}
