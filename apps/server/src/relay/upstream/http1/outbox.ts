import { ByteQueue } from '@sluice/http1/byte-queue'
import { giveBack } from '@sluice/http1/give-back'
import type { Upload } from './connection.ts'

/** What is to be sent on a connection that both sides speak on, for as long as it lasts. */
export interface Outbox {
  /** Sent as fast as the other side takes it, and no faster. */
  readonly upload: Upload
  readonly waitingBytes: number
  /** The bytes belong to the outbox from then on. */
  add(bytes: Uint8Array): void
  /** Nothing is sent any more. */
  close(): void
}

/** The memory of what was sent is given back at once from here on. Smaller pieces may share theirs. */
const givenBackBytes = 64 * 1024

interface OutboxOptions {
  /** Called when everything that waited has been taken. */
  readonly drained: () => void
  /** Called where more or less waits than before. */
  readonly changed: () => void
}

export function createOutbox({ drained, changed }: OutboxOptions): Outbox {
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
        changed()
        if (next.buffer.byteLength >= givenBackBytes) giveBack(next)
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
