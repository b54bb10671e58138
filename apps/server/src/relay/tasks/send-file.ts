import type { ReplyStream } from '@sluice/http1/reply'
import type { Running } from '../../lib/running.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { RelayRequest } from '../model/incoming.ts'

/** Sends a file while it is read, no faster than the client takes it. `null`: only the head is wanted. */
export function sendFile(
  file: ReadableStream<Uint8Array> | null,
  { request }: RelayRequest,
  running: Pick<Running, 'begin'>,
): (stream: ReplyStream) => void {
  return (stream) => {
    if (file === null) return stream.end()
    const reader = file.getReader()
    const stop = (): void => void reader.cancel().catch(() => undefined)
    const done = running.begin(stop)
    whenAborted(request.signal, stop)
    void send(reader, stream)
      .catch(() => stream.reset())
      .finally(() => {
        request.signal.removeEventListener('abort', stop)
        done()
      })
  }
}

/** What ends early is shorter than its head says, and is broken off by the stream. */
async function send(reader: ReturnType<ReadableStream<Uint8Array>['getReader']>, stream: ReplyStream): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return stream.end()
    if (!stream.write(value))
      await new Promise<void>((resolve) => {
        stream.drained = resolve
        void reader.closed.then(resolve, resolve)
      })
  }
}
