import { ByteQueue } from './byte-queue.ts'
import type { Wire } from './connection-deps.ts'
import { chunkOf, putChunk } from './response.ts'
import { fitsScratch, putMessage, scratch } from './scratch.ts'

/** Sends bytes on a socket, and queues in order what the socket does not take. */
export class SendQueue {
  readonly #wire: Wire
  /** Called when bytes have to wait, and each time some were sent while others still wait. */
  readonly #onBlocked: () => void
  readonly #unsent = new ByteQueue()

  constructor(wire: Wire, onBlocked: () => void) {
    this.#wire = wire
    this.#onBlocked = onBlocked
  }

  get isEmpty(): boolean {
    return this.#unsent.byteLength === 0
  }

  get bytes(): number {
    return this.#unsent.byteLength
  }

  write(bytes: Uint8Array): void {
    if (!this.isEmpty) {
      this.#unsent.push(bytes)
      return
    }
    // A negative number means that the socket is closed; an event of its own reports that.
    const written = Math.max(0, this.#wire.write(bytes))
    if (written >= bytes.length) return
    this.#unsent.push(written > 0 ? bytes.subarray(written) : bytes)
    this.#onBlocked()
  }

  /** Sends a head in Latin-1 and its body. */
  writeMessage(head: string, body: string | Uint8Array): void {
    if (fitsScratch(head, body)) {
      this.#writeScratch(putMessage(head, body))
      return
    }
    this.write(Buffer.from(head, 'latin1'))
    this.write(typeof body === 'string' ? Buffer.from(body) : body)
  }

  /** Sends bytes as a chunk of a body. */
  writeChunk(bytes: Uint8Array): void {
    const length = putChunk(bytes)
    if (length === -1) this.write(chunkOf(bytes))
    else this.#writeScratch(length)
  }

  /** Sends the message at the front of `scratch`. */
  #writeScratch(length: number): void {
    const written = this.isEmpty ? Math.max(0, this.#wire.write(scratch, 0, length)) : 0
    if (written >= length) return
    const isFirst = this.isEmpty
    this.#unsent.push(Buffer.from(scratch.subarray(written, length)))
    if (isFirst) this.#onBlocked()
  }

  /** Called when the socket is writable: sends what waits. */
  drain(): void {
    for (let first = this.#unsent.first(); first !== null; first = this.#unsent.first()) {
      const written = Math.max(0, this.#wire.write(first))
      this.#unsent.drop(written)
      if (written > 0 && !this.isEmpty) this.#onBlocked()
      if (written < first.length) return
    }
  }

  clear(): void {
    this.#unsent.clear()
  }
}
