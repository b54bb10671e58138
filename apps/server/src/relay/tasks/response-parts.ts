import type { UpstreamResponse } from '../upstream/http1/client.ts'

/** The body of a response in parts; while one is being used, no more is read. @throws what broke the body off */
export async function* partsOf(response: UpstreamResponse): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = []
  let end: { readonly error?: unknown } | null = null
  let wake = (): void => undefined
  response.pipe({
    data(bytes) {
      // The memory of the bytes is used again.
      parts.push(Uint8Array.from(bytes))
      response.pause()
      wake()
    },
    end() {
      end = {}
      wake()
    },
    fail(error) {
      end = { error }
      wake()
    },
  })
  for (;;) {
    const part = parts.shift()
    if (part !== undefined) yield part
    else if (end !== null) return finished(end)
    else {
      const next = new Promise<void>((resolve) => {
        wake = resolve
      })
      response.resume()
      await next
    }
  }
}

function finished(end: { readonly error?: unknown }): void {
  if ('error' in end) throw end.error
}
