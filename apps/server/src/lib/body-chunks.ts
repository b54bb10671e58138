import { Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { Received } from '@sluice/http1/received'
import { AppError } from './app-error.ts'
import type { Deadlines } from './deadlines.ts'

export interface BodyLimits {
  readonly bodyBytesMax: number
  readonly bodyMs: number
}

const decoders: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  // Every decoder should support a window of 8 MiB (RFC 8878, 3.1.1.1.2); with a larger one the client would decide how much memory we use.
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })],
])

/** Bytes of a body after which garbage collection is requested: by itself the runtime lets hundreds of megabytes accumulate. */
const collectedBytes = 4 * 1024 * 1024

/** A body may always decompress to this size. Beyond it, one that grows by more than `growthMax` counts as a decompression bomb. */
const alwaysBytes = 1024 * 1024
const growthMax = 20

/**
 * The chunks of a request's body, decompressed if needed. Bytes are counted before and after decompression, so that neither a false length
 * nor a small compressed body exceeds the limit. The body must be complete within its time limit.
 * @throws AppError body_too_large, body_timeout, body_interrupted, unsupported_encoding, encoding_invalid
 */
export async function* bodyChunks(request: Received, limits: BodyLimits, deadlines: Deadlines): AsyncGenerator<Uint8Array> {
  const coding = codingOf(request)
  const received = receive(request, limits, deadlines)
  if (coding === null) return yield* received
  const createDecoder = decoders.get(coding)
  if (createDecoder === undefined) throw new AppError('unsupported_encoding', { params: { encoding: coding.slice(0, 40) } })
  yield* unpack(received, createDecoder(), limits.bodyBytesMax)
}

/** The body's content coding; `null` = none. */
export function codingOf({ headers }: Received): string | null {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  return coding === '' || coding === 'identity' ? null : coding
}

export function tooLarge(limit: number): AppError {
  return new AppError('body_too_large', { params: { limit } })
}

async function* receive(request: Received, { bodyBytesMax, bodyMs }: BodyLimits, deadlines: Deadlines): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length')) > bodyBytesMax) throw tooLarge(bodyBytesMax)
  const { body } = request
  if (body === null) return
  let isLate = false
  const stop = (): void => body.cancel()
  const deadline = deadlines.start(bodyMs, () => {
    isLate = true
    stop()
  })
  let length = 0
  let collectAt = collectedBytes
  try {
    for (;;) {
      const bytes = await body.read()
      if (isLate) throw new AppError('body_timeout')
      if (bytes === null) return
      length += bytes.length
      if (length > bodyBytesMax) throw tooLarge(bodyBytesMax)
      yield bytes
      if (length < collectAt) continue
      collectAt += collectedBytes
      Bun.gc(false)
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('body_interrupted', { cause })
  } finally {
    deadlines.cancel(deadline)
    // When the body is refused before its end, the rest is discarded.
    stop()
  }
}

async function* unpack(packed: AsyncGenerator<Uint8Array>, decoder: Transform, bytesMax: number): AsyncGenerator<Uint8Array> {
  let [packedBytes, length] = [0, 0]
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of packed) {
      packedBytes += chunk.length
      yield chunk
    }
  }
  const source = Readable.from(counted())
  source.on('error', (error) => decoder.destroy(error))
  try {
    for await (const chunk of source.pipe(decoder)) {
      length += chunk.length
      if (length > bytesMax || (length > alwaysBytes && length > packedBytes * growthMax)) throw tooLarge(bytesMax)
      yield chunk
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('encoding_invalid', { cause })
  } finally {
    source.destroy()
    decoder.destroy()
  }
}
