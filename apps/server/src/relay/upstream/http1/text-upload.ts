import type { Upload } from './connection.ts'
import type { UpstreamRequest } from './request-text.ts'

/** Longer texts are encoded piece by piece while they are sent, so that they are not in memory a second time. */
const longTextLength = 256 * 1024
const pieceLength = 64 * 1024
/** A character of UTF-16 takes at most three bytes of UTF-8. */
const bytesPerCharacter = 3

const encoder = new TextEncoder()

export function withLongText(request: UpstreamRequest): UpstreamRequest {
  const { body } = request
  return typeof body === 'string' && body.length > longTextLength ? { ...request, body: textUpload(body) } : request
}

/** A text as an upload in UTF-8. */
export function textUpload(text: string): Upload {
  return {
    byteLength: Buffer.byteLength(text),
    async *chunks() {
      const room = new Uint8Array(pieceLength * bytesPerCharacter)
      for (let at = 0; at < text.length; ) {
        const end = pieceEnd(text, at)
        const { written } = encoder.encodeInto(text.slice(at, end), room)
        at = end
        yield room.subarray(0, written)
      }
    },
  }
}

/** Bytes in memory as an upload. */
export function bytesUpload(bytes: Uint8Array): Upload {
  return {
    byteLength: bytes.length,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += pieceLength) yield bytes.subarray(at, at + pieceLength)
    },
  }
}

/** The end of the next piece: not between the two halves of a character. */
function pieceEnd(text: string, at: number): number {
  const end = Math.min(at + pieceLength, text.length)
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}
