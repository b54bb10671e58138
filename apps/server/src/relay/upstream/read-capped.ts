import type { BudgetShare } from '@sluice/http1/byte-budget'
import { ByteQueue } from '@sluice/http1/byte-queue'
import { releaseBuffer } from '@sluice/http1/release-buffer'
import type { BodySink, UpstreamResponse } from './http1/client.ts'

interface ReadOptions {
  /** Called for every chunk. */
  readonly onChunk?: (bytes: Uint8Array) => void
  /** Counts the bytes in memory, once there are more than `countedBytes`. The caller ends it. */
  readonly openShare?: () => BudgetShare
}

/** Reads a body up to a size. `isCut`: the rest was not read; of a body of more than `queuedBytesMax` bytes, nothing is returned then. */
export function readCapped(response: UpstreamResponse, bytesMax: number, options: ReadOptions = {}): Promise<CappedBody> {
  const sink = new CappedSink(response, bytesMax, options)
  response.pipe(sink)
  return sink.body.promise
}

interface CappedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isCut: boolean
}

/** Longer bodies are copied, so that the buffers of the socket are freed early. */
const queuedBytesMax = 1024 * 1024
/** Size of the blocks that a body without a length is copied to. */
const blockBytes = 1024 * 1024
/** Shorter bodies are not counted. */
const countedBytes = 256 * 1024

const nothing = new Uint8Array()

class CappedSink implements BodySink {
  readonly body = Promise.withResolvers<CappedBody>()
  readonly #response: UpstreamResponse
  readonly #bytesMax: number
  readonly #options: ReadOptions
  readonly #queue = new ByteQueue()
  /** Hold a body that is longer than `queuedBytesMax`: one block of its length, or as many as needed. */
  #blocks: Array<Buffer<ArrayBuffer>> = []
  /** Bytes in the last block. */
  #used = 0
  #length = 0
  #share: BudgetShare | null = null

  constructor(response: UpstreamResponse, bytesMax: number, options: ReadOptions) {
    this.#response = response
    this.#bytesMax = bytesMax
    this.#options = options
  }

  data(bytes: Uint8Array): void {
    this.#options.onChunk?.(bytes)
    this.#add(bytes)
    if (this.#length > this.#bytesMax) {
      this.body.resolve({ bytes: this.#blocks.length === 0 ? this.#whole().subarray(0, this.#bytesMax) : nothing, isCut: true })
      this.#response.abort()
      this.#free()
    } else if (this.#length > countedBytes) this.#count()
  }

  end(): void {
    this.body.resolve({ bytes: this.#whole(), isCut: false })
  }

  fail(error: unknown): void {
    this.body.reject(error)
    this.#free()
  }

  #add(bytes: Uint8Array): void {
    this.#length += bytes.length
    if (this.#length <= queuedBytesMax) {
      this.#queue.push(bytes)
      return
    }
    for (let early = this.#queue.shift(); early !== null; early = this.#queue.shift()) this.#copy(early)
    this.#copy(bytes)
  }

  #copy(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const block = this.#lastBlock()
      const part = bytes.subarray(at, at + block.length - this.#used)
      block.set(part, this.#used)
      this.#used += part.length
      at += part.length
    }
  }

  #lastBlock(): Buffer {
    const last = this.#blocks.at(-1)
    if (last !== undefined && this.#used < last.length) return last
    const next = Buffer.allocUnsafeSlow((last === undefined ? this.#declaredBytes() : null) ?? blockBytes)
    this.#blocks.push(next)
    this.#used = 0
    return next
  }

  /** `null`: unknown, or too large. */
  #declaredBytes(): number | null {
    const length = Number(this.#response.header('content-length') ?? Number.NaN)
    return length <= this.#bytesMax ? length : null
  }

  /** Stops reading while the bodies of all connections exceed their budget. */
  #count(): void {
    this.#share ??= this.#options.openShare?.() ?? null
    const turn = this.#share?.grow(this.#length, this.#declaredBytes()) ?? null
    if (turn === null) return
    this.#response.pause()
    void turn.then(() => this.#response.resume())
  }

  #whole(): Uint8Array<ArrayBuffer> {
    const blocks = this.#blocks
    this.#blocks = []
    const [first, second] = blocks
    // Holds: sockets and decoders return plain buffers.
    if (first === undefined) return this.#queue.takeAll() as Uint8Array<ArrayBuffer>
    if (second === undefined) return first.subarray(0, this.#length)
    const all = Buffer.allocUnsafeSlow(this.#length)
    let at = 0
    for (const block of blocks) {
      all.set(block.subarray(0, this.#length - at), at)
      at += block.length
      releaseBuffer(block)
    }
    return all
  }

  #free(): void {
    for (const block of this.#blocks) releaseBuffer(block)
  }
}
