import { lastChunk, type ResponseStream } from './response.ts'

/** A stream that discards everything, so that the maker of a response can finish after its client has gone. */
export function createDeadStream(): ResponseStream {
  return { drained: () => {}, write: () => true, end: () => {}, reset: () => {} }
}

/** The connection that a response is sent on. */
interface ResponseCarrier {
  /** Sends bytes as they are. @returns number of bytes that wait for the client */
  send(bytes: Uint8Array): number
  /** Sends them as a chunk. @returns the same */
  sendChunk(bytes: Uint8Array): number
  /** The response is complete. */
  responded(): void
  destroy(): void
}

interface OpenResponseOptions {
  readonly isChunked: boolean
  /** Bytes of the body, as the head says; `null`: it does not say. */
  readonly length: number | null
  /** Whether only the head is sent, as for HEAD. */
  readonly isBare: boolean
}

const zero = Buffer.from('0')

/** A response that is being sent. It drops the reference to its connection when it ends. */
export class OpenResponse implements ResponseStream {
  drained: () => void = () => {}
  #connection: ResponseCarrier | null
  readonly #isChunked: boolean
  /** Whether only the head is sent, as for HEAD. */
  readonly #isBare: boolean
  /** Bytes that the head has promised and that are not sent yet; `null`: it promised none. */
  #left: number | null

  constructor(connection: ResponseCarrier, { isChunked, length, isBare: isBareResponse }: OpenResponseOptions) {
    this.#connection = connection
    this.#isChunked = isChunked
    this.#isBare = isBareResponse
    this.#left = isBareResponse ? null : length
  }

  write(bytes: Uint8Array): boolean {
    if (this.#connection === null || this.#isBare || bytes.length === 0) return true
    if (this.#left !== null) {
      this.#left -= bytes.length
      if (this.#left < 0) {
        this.reset()
        return true
      }
    }
    return (this.#isChunked ? this.#connection.sendChunk(bytes) : this.#connection.send(bytes)) === 0
  }

  end(): void {
    const connection = this.#connection
    this.#connection = null
    if (connection === null) return
    if (this.#left !== null && this.#left > 0) {
      connection.destroy()
      return
    }
    if (this.#isChunked && !this.#isBare) connection.send(lastChunk)
    connection.responded()
  }

  /**
   * Sends a byte that does not change the response, to learn whether the client is still connected: a leading zero of the next chunk's size.
   * @returns `false` = this response has no such byte
   */
  probe(): boolean {
    if (!this.#isChunked || this.#isBare) return false
    this.#connection?.send(zero)
    return true
  }

  reset(): void {
    const connection = this.#connection
    this.#connection = null
    connection?.destroy()
  }
}
