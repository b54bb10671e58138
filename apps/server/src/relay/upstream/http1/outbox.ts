import { ByteQueue } from '@sluice/http1/byte-queue'
import { releaseBuffer } from '@sluice/http1/release-buffer'
import type { Upload } from './connection.ts'

/** Outgoing bytes of a connection on which both sides send for as long as it lasts. */
export interface Outbox {
  /** Sends as fast as the other side reads. */
  readonly upload: Upload
  readonly waitingBytes: number
  /** Takes ownership of the bytes. */
  add(bytes: Uint8Array): void
  /** Stops sending. */
  close(): void
}

/** Sent chunks of at least this size are freed at once; smaller ones may share a buffer. */
const freedBytesMin = 64 * 1024

interface OutboxOptions {
  /** Called when everything queued was sent. */
  readonly drained: () => void
  /** Called when the queue grows or shrinks. */
  readonly changed: () => void
}

export function createOutbox({ drained, changed }: OutboxOptions): Outbox {
  const waiting = new ByteQueue()
  /** Bytes of the chunk being sent. */
  let sendingBytes = 0
  let isClosed = false
  let wake = (): void => {}

  async function* chunks(): AsyncGenerator<Uint8Array> {
    while (!isClosed) {
      const next = waiting.shift()
      if (next !== null) {
        sendingBytes = next.length
        yield next
        sendingBytes = 0
        changed()
        if (next.buffer.byteLength >= freedBytesMin) releaseBuffer(next)
        continue
      }
      drained()
      if (waiting.byteLength > 0) continue
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    upload: { byteLength: Number.POSITIVE_INFINITY, chunks },
    get waitingBytes() {
      return waiting.byteLength + sendingBytes
    },
    add(bytes) {
      if (isClosed) return
      waiting.push(bytes)
      changed()
      wake()
    },
    close() {
      isClosed = true
      waiting.clear()
      changed()
      wake()
    },
  }
}
