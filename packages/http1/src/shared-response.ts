import { fieldLine } from './fields.ts'
import type { WholeParts } from './response-bytes.ts'

/**
 * A body that many responses send. What a slow client has not taken yet is a view of the same bytes, so that a thousand slow clients of a
 * long document cost its length once. The bytes must never change.
 */
export class SharedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  #blob: Blob | null = null

  constructor(content: string | Uint8Array<ArrayBuffer>) {
    this.bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  }

  /** For readers of the `Response`: a blob is passed on without a copy, bytes are not. It has its own copy, made at the first response. */
  get blob(): Blob {
    this.#blob ??= new Blob([this.bytes])
    return this.#blob
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

/** What is sent of a response. Asking for the body of a blob makes a stream, which a shared body does not need. */
export async function partsOf(response: Response): Promise<WholeParts> {
  const { status, headers } = response
  let fields = ''
  for (const [name, value] of headers) if (name !== 'connection' && name !== 'content-length') fields += fieldLine(name, value)
  const body = response instanceof SharedResponse ? response.shared.bytes : response.body === null ? '' : await response.bytes()
  return { status, fields, body, mayStay: headers.get('connection') !== 'close' }
}
