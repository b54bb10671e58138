import type { FileStream } from '@sluice/contract'
import type { Signal } from '@sluice/http1/client-abort'
import type { PlainResponse, ResponseStream } from '@sluice/http1/response'

/** The response head of a file; its parts are sent by `streamedResponse`. */
export function fileHead({ name }: FileStream): Response {
  return new Response(null, {
    headers: {
      'content-type': `${name.endsWith('.json') ? 'application/json' : 'text/csv'}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    },
  })
}

interface SendOptions {
  /** Aborts when the client has gone: no further part is made then. */
  readonly signal: Signal
  readonly report: (error: unknown) => void
}

/** The framework buffers a whole response before it sends it, so a file bypasses the framework. */
export function streamedResponse({ status, headers }: Response, file: FileStream, options: SendOptions): PlainResponse {
  return { status, headers: Object.fromEntries(headers), body: (stream) => void send(stream, file, options) }
}

async function send(stream: ResponseStream, { parts }: FileStream, { signal, report }: SendOptions): Promise<void> {
  try {
    for await (const part of parts) {
      if (!stream.write(Buffer.from(part))) await drained(stream, signal)
      if (signal.aborted) break
    }
    if (signal.aborted) stream.reset()
    else stream.end()
  } catch (error) {
    report(error)
    // The file is incomplete, and the client must see that.
    stream.reset()
  }
}

function drained(stream: ResponseStream, signal: Signal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    stream.drained = done
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
