import { lastChunk, type ReplyStream } from './reply.ts'

/** For an answer that nobody takes any more: whoever makes it may finish. */
export function createDeadStream(): ReplyStream {
  return { drained: () => {}, write: () => true, end: () => {}, reset: () => {} }
}

/** The connection that an answer goes out by. */
interface ReplyCarrier {
  /** Sends bytes as they are. @returns how many wait for the client */
  send(bytes: Uint8Array): number
  /** Sends them as a chunk. @returns the same */
  sendChunk(bytes: Uint8Array): number
  /** The answer is complete. */
  answered(): void
  destroy(): void
}

const zero = Buffer.from('0')

/** An answer that is being sent. It knows its connection only as long as it lasts. */
export class OpenReply implements ReplyStream {
  drained: () => void = () => {}
  #connection: ReplyCarrier | null
  readonly #isChunked: boolean
  /** Of an answer to HEAD only the head is sent. */
  readonly #isBare: boolean

  constructor(connection: ReplyCarrier, { isChunked, isBare: isBareReply }: { readonly isChunked: boolean; readonly isBare: boolean }) {
    this.#connection = connection
    this.#isChunked = isChunked
    this.#isBare = isBareReply
  }

  write(bytes: Uint8Array): boolean {
    if (this.#connection === null || this.#isBare || bytes.length === 0) return true
    return (this.#isChunked ? this.#connection.sendChunk(bytes) : this.#connection.send(bytes)) === 0
  }

  end(): void {
    const connection = this.#connection
    this.#connection = null
    if (connection === null) return
    if (this.#isChunked && !this.#isBare) connection.send(lastChunk)
    connection.answered()
  }

  /**
   * Sends what is no part of the answer, to learn whether the client is still there: a zero in front of the size of the next chunk.
   * @returns `false`: there is nothing that could be sent
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
