import type { ResponseStream } from '@sluice/http1/response'
import type { Running } from '../../lib/running.ts'
import { whenAborted } from '../../lib/when-aborted.ts'
import type { RelayRequest } from '../model/incoming.ts'

/** Sends a file while it is read, no faster than the client takes it. `null`: only the head is wanted. */
export function sendFile(
  file: AsyncIterable<Uint8Array> | null,
  { request }: RelayRequest,
  running: Pick<Running, 'begin'>,
): (stream: ResponseStream) => void {
  return (stream) => {
    if (file === null) {
      stream.end()
      return
    }
    let isOver = false
    let wake = (): void => undefined
    const stop = (): void => {
      isOver = true
      wake()
    }
    const drained = (): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve
        stream.drained = resolve
        if (isOver) resolve()
      })
    const done = running.begin(stop)
    whenAborted(request.signal, stop)
    void send(file, stream, { isOver: () => isOver, drained })
      .catch(() => stream.reset())
      .finally(() => {
        request.signal.removeEventListener('abort', stop)
        done()
      })
  }
}

interface SendState {
  /** Nobody wants more. */
  readonly isOver: () => boolean
  readonly drained: () => Promise<void>
}

/** What ends early is shorter than its head says, and is broken off by the stream. */
async function send(file: AsyncIterable<Uint8Array>, stream: ResponseStream, { isOver, drained }: SendState): Promise<void> {
  for await (const part of file) {
    if (isOver()) break
    if (!stream.write(part)) await drained()
  }
  stream.end()
}
