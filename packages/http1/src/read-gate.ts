/** Reasons why a socket is not read, as bits. */
export const heldBy = { reader: 1, backlog: 2, turn: 4, messages: 8, budget: 16 } as const

/** The socket that is paused. */
interface Readable {
  pause(): void
  resume(): void
}

/** Pauses a socket while at least one reason holds it. */
export class ReadGate {
  readonly #socket: Readable
  /** The present reasons, as bits. */
  #reasons = 0

  constructor(socket: Readable) {
    this.#socket = socket
  }

  hold(reason: number): void {
    if (this.#reasons === 0) this.#socket.pause()
    this.#reasons |= reason
  }

  release(reason: number): void {
    if ((this.#reasons & reason) === 0) return
    this.#reasons &= ~reason
    if (this.#reasons === 0) this.#socket.resume()
  }

  releaseAll(): void {
    this.release(this.#reasons)
  }
}
