import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { BodySink, UpstreamResponse } from './client.ts'

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  // Every decoder should support a window of 8 MiB (RFC 8878, 3.1.1.1.2); with a larger one the vendor would decide how much memory we use.
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })],
])

/** Maximum compression ratio. Text compresses to a tenth, rarely to a thirtieth; a higher ratio is taken for a decompression bomb. */
const ratioMax = 100
/** Up to this size any ratio is accepted: small repetitive bodies compress well. */
const anyRatioBytes = 1024 * 1024
/** Maximum decompressed bytes of one body. */
const unpackedBytesMax = 64 * 1024 * 1024

/** The decompressed body exceeds the limits. */
export class UnpackedTooLarge extends Error {}

/**
 * The response with a decompressed body. Requests do not ask for compression, but some servers compress anyway.
 * @returns `null` if the content coding is not supported
 */
export function decodeBody(response: UpstreamResponse): UpstreamResponse | null {
  const coding = response.header('content-encoding')?.toLowerCase() ?? 'identity'
  if (coding === 'identity') return response
  const createDecoder = decoders.get(coding)
  if (createDecoder === undefined) return null
  const decoder = createDecoder()
  return {
    status: response.status,
    header: (name) => response.header(name),
    pipe: (sink) => unpack(response, decoder, sink),
    pause() {
      decoder.pause()
      response.pause()
    },
    resume() {
      decoder.resume()
      if (!decoder.writableNeedDrain) response.resume()
    },
    abort() {
      decoder.destroy()
      response.abort()
    },
  }
}

/** Applies backpressure: while the decoder is full, the response is paused. */
function unpack(response: UpstreamResponse, decoder: Transform, sink: BodySink): void {
  let packed = 0
  let unpacked = 0

  function take(bytes: Buffer): void {
    unpacked += bytes.length
    const isTooLarge = unpacked > unpackedBytesMax || (unpacked > anyRatioBytes && unpacked > packed * ratioMax)
    if (isTooLarge) decoder.destroy(new UnpackedTooLarge())
    else sink.data(bytes)
  }

  decoder.on('data', take).on('end', () => sink.end())
  decoder.on('drain', () => {
    if (!decoder.isPaused()) response.resume()
  })
  decoder.on('error', (error) => {
    sink.fail(error)
    response.abort()
  })
  response.pipe({
    data(bytes) {
      packed += bytes.length
      if (!decoder.write(bytes)) response.pause()
    },
    end: () => void decoder.end(),
    fail: (error) => void decoder.destroy(error instanceof Error ? error : new Error('the body was interrupted', { cause: error })),
  })
}
