import type { ResponseStream } from '@sluice/http1/response'

/** Another form of a stream. */
export interface StreamConversion {
  /** What is sent for these bytes; empty: nothing yet. */
  take(bytes: Uint8Array): string
  /** What is sent at the end. */
  end(): string
}

const encoder = new TextEncoder()

/** Sends a stream in another form. */
export class ConvertedStream implements ResponseStream {
  readonly #out: ResponseStream
  readonly #conversion: StreamConversion

  constructor(out: ResponseStream, conversion: StreamConversion) {
    this.#out = out
    this.#conversion = conversion
  }

  get drained(): () => void {
    return this.#out.drained
  }

  set drained(call: () => void) {
    this.#out.drained = call
  }

  write(bytes: Uint8Array): boolean {
    const text = this.#conversion.take(bytes)
    return text === '' || this.#out.write(encoder.encode(text))
  }

  end(): void {
    const text = this.#conversion.end()
    if (text !== '') this.#out.write(encoder.encode(text))
    this.#out.end()
  }

  reset(): void {
    this.#out.reset()
  }
}
