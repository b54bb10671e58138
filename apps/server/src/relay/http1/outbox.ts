import { ByteQueue } from '@sluice/http1/byte-queue'
import type { Upload } from './connection.ts'

/** What is to be sent on a connection that both sides speak on, for as long as it lasts. */
export interface Outbox {
  /** Sent as fast as the other side takes it, and no faster. */
  readonly upload: Upload
  readonly waitingBytes: number
  add(bytes: Uint8Array): void
  /** Nothing is sent any more. */
  close(): void
}

/** @param drained called when everything that waited has been taken */
export function createOutbox(drained: () => void): Outbox {
  const waiting = new ByteQueue()
  /** Of the piece that is being sent. */
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
      wake()
    },
    close() {
      isClosed = true
      waiting.clear()
      wake()
    },
  }
}
