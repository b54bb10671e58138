import { ByteQueue } from '@sluice/http1/byte-queue'
import type { BodySink, UpstreamResponse } from './http1/client.ts'

/** Reads a body up to a size. `isCut`: the rest was not read. @param heard called for every chunk */
export function readCapped(
  response: UpstreamResponse,
  bytesMax: number,
  heard: (bytes: Uint8Array) => void = ignored,
): Promise<CappedBody> {
  const sink = new CappedSink(response, bytesMax, heard)
  response.pipe(sink)
  return sink.body.promise
}

const ignored = (): void => {}

interface CappedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isCut: boolean
}

class CappedSink implements BodySink {
  readonly body = Promise.withResolvers<CappedBody>()
  readonly #response: UpstreamResponse
  readonly #bytesMax: number
  readonly #heard: (bytes: Uint8Array) => void
  readonly #came = new ByteQueue()

  constructor(response: UpstreamResponse, bytesMax: number, heard: (bytes: Uint8Array) => void) {
    this.#response = response
    this.#bytesMax = bytesMax
    this.#heard = heard
  }

  data(bytes: Uint8Array): void {
    this.#heard(bytes)
    this.#came.push(bytes)
    if (this.#came.byteLength <= this.#bytesMax) return
    this.body.resolve({ bytes: this.#whole().subarray(0, this.#bytesMax), isCut: true })
    this.#response.abort()
  }

  end(): void {
    this.body.resolve({ bytes: this.#whole(), isCut: false })
  }

  fail(error: unknown): void {
    this.body.reject(error)
  }

  #whole(): Uint8Array<ArrayBuffer> {
    // Holds: sockets and decoders return plain buffers.
    return this.#came.takeAll() as Uint8Array<ArrayBuffer>
  }
}
