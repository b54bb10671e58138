/**
 * A body that many answers send. What a slow client has not taken yet is a view of the same bytes, so that a thousand slow clients of a
 * long document cost its length once. The bytes must never change.
 */
export class SharedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** For readers of the `Response`: a blob is passed on without a copy, bytes are not. */
  readonly blob: Blob

  constructor(content: string | Uint8Array<ArrayBuffer>) {
    this.bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
    this.blob = new Blob([this.bytes])
  }
}

/** A response that the server sends from its shared body. */
export class SharedResponse extends Response {
  readonly shared: SharedBody

  constructor(shared: SharedBody, headers: Readonly<Record<string, string>>) {
    super(shared.blob, { headers })
    this.shared = shared
  }
}
