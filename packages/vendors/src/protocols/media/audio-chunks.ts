import type { Failure } from '../../core/failure.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { BytesResponse } from '../../core/response.ts'
import type { ChatStream } from '../../core/stream.ts'

/** What one event has. */
export interface AudioChunk {
  readonly bytes: Uint8Array | null
  /** The vendor says that the audio is whole. */
  readonly isLast: boolean
  readonly failure: Failure | null
}

/** A speech that comes in events although the client gets it whole. @param wholeOf what is sent for all bytes together */
export function audioInChunks(
  read: (event: JsonObject) => AudioChunk,
  wholeOf: (bytes: Uint8Array<ArrayBuffer>) => Pick<BytesResponse, 'bytes' | 'contentType'>,
): ChatStream {
  const parts: Uint8Array[] = []
  let complete = false
  return {
    event(data) {
      const json = parseJson(data)
      if (!isObject(json)) return { chunks: [], text: '', failure: null }
      const { bytes, isLast, failure } = read(json)
      if (bytes !== null && bytes.length > 0) parts.push(bytes)
      complete ||= isLast
      return { chunks: [], text: '', failure, isLast }
    },
    end: () => ({ complete, usage: null }),
    whole: () => (parts.length === 0 ? null : { ...wholeOf(joined(parts)), usage: null }),
  }
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
