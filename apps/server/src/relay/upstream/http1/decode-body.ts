import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { BodySink, UpstreamResponse } from './client.ts'

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
])

/** Texts are packed to a tenth, rarely to a thirtieth. What is larger than this share of itself was made to be. */
const ratioMax = 100
/** Up to here any ratio is believed: small bodies that repeat themselves pack well. */
const anyRatioBytes = 1024 * 1024
/** Most bytes of one body, unpacked. */
const unpackedBytesMax = 64 * 1024 * 1024

/** The body unpacks to more than anybody would send. */
export class UnpackedTooLarge extends Error {}

/**
 * The response with its body as it was before the server compressed it. None is asked to, but some do.
 * @returns `null` where nobody here knows the coding
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

/** What waits to be unpacked stays with the other side. */
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
    fail: (error) => void decoder.destroy(error instanceof Error ? error : new Error('the body broke off', { cause: error })),
  })
}
