import { noUsage } from '@sluice/vendors/core/no-usage'
import type { AttemptResponse, AudioLength, StreamSource, StreamView } from '../model/upstream-response.ts'
import { bytesFrame } from '../wire/stream-frames.ts'
import type { UpstreamResponse } from './http1/client.ts'
import { readCapped } from './read-capped.ts'

/** The media type of a response. Without a header it is bytes (RFC 9110, 8.3). */
export function mediaTypeOf(response: Pick<UpstreamResponse, 'header'>): string {
  return response.header('content-type')?.split(';')[0]?.trim().toLowerCase() || 'application/octet-stream'
}

/** Maximum bytes of a text response. */
const textBytesMax = 8 * 1024 * 1024

/** A whole text response; `null`: it is too long. */
export async function readText(response: UpstreamResponse): Promise<AttemptResponse | null> {
  const { bytes, isCut } = await readCapped(response, textBytesMax)
  if (isCut) return null
  return {
    kind: 'whole',
    contentType: `${mediaTypeOf(response)}; charset=utf-8`,
    body: bytes,
    usage: null,
    text: new TextDecoder().decode(bytes),
  }
}

/** A response of bytes that are passed on as they come; `null`: the body is empty. */
export async function beginBytes(
  response: UpstreamResponse,
  source: StreamSource,
  audioLength: (type: string) => AudioLength,
): Promise<AttemptResponse | null> {
  const first = await source.next()
  if (first === null) return null
  const view = bytesView(audioLength(mediaTypeOf(response)))
  return { kind: 'stream', view, first: first.map((event) => view.event(event)), source, frame: bytesFrame(mediaTypeOf(response)) }
}

const nothing = new Uint8Array()

/** Passes every byte on at once except the last, which is held until the settlement. The length of audio is its usage. */
function bytesView(length: AudioLength): StreamView {
  let last = nothing
  return {
    event({ raw }) {
      length.add(raw)
      if (raw.length === 0) return { out: null, text: '', failure: null, isTerminator: false }
      const out = last.length === 0 && raw.length === 1 ? null : Buffer.concat([last, raw.subarray(0, -1)])
      last = Uint8Array.from(raw.subarray(-1))
      return { out, text: '', failure: null, isTerminator: false }
    },
    end() {
      const audioMs = length.ms()
      return { isComplete: true, usage: audioMs === 0 ? null : { ...noUsage, audioMs }, tail: last }
    },
    error: () => null,
  }
}
