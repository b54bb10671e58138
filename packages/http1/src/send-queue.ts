import type { Wire } from './connection-deps.ts'

/** What goes out by a socket, kept in order where the socket does not take it. */
export class SendQueue {
  readonly #wire: Wire
  /** Called when something has to wait, and each time some of it has gone and some still waits. */
  readonly #waits: () => void
  #unsent: Uint8Array[] = []

  constructor(wire: Wire, waits: () => void) {
    this.#wire = wire
    this.#waits = waits
  }

  get isEmpty(): boolean {
    return this.#unsent.length === 0
  }

  get bytes(): number {
    return this.#unsent.reduce((sum, { length }) => sum + length, 0)
  }

  write(bytes: Uint8Array): void {
    if (this.#unsent.length > 0) {
      this.#unsent.push(bytes)
      return
    }
    const written = this.#wire.write(bytes)
    if (written >= bytes.length) return
    this.#unsent.push(written > 0 ? bytes.subarray(written) : bytes)
    this.#waits()
  }

  /** The socket takes more. */
  drain(): void {
    for (let first = this.#unsent[0]; first !== undefined; first = this.#unsent[0]) {
      const written = this.#wire.write(first)
      if (written < first.length) {
        if (written > 0) {
          this.#unsent[0] = first.subarray(written)
          this.#waits()
        }
        return
      }
      this.#unsent.shift()
    }
  }

  clear(): void {
    this.#unsent = []
  }
}
