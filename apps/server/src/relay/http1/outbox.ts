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

export function createOutbox(): Outbox {
  const waiting: Uint8Array[] = []
  let waitingBytes = 0
  let isClosed = false
  let wake = (): void => {}

  async function* chunks(): AsyncGenerator<Uint8Array> {
    while (!isClosed) {
      const next = waiting.shift()
      if (next === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      yield next
      waitingBytes -= next.length
    }
  }

  return {
    upload: { byteLength: Number.POSITIVE_INFINITY, chunks },
    get waitingBytes() {
      return waitingBytes
    },
    add(bytes) {
      if (isClosed) return
      waiting.push(bytes)
      waitingBytes += bytes.length
      wake()
    },
    close() {
      isClosed = true
      wake()
    },
  }
}
