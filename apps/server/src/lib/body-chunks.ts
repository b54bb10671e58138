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
  // A window of 8 MiB is what every decoder has to know (RFC 8878, 3.1.1.1.2); a larger one would be memory that the client chooses.
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: 23 } })],
])

/** Bytes of a body after which the collector is asked to come by: by itself it lets hundreds of megabytes of read bytes lie. */
const collectedBytes = 4 * 1024 * 1024

/** A body may always grow to this size while it is unpacked. Beyond it, one that grows by more than `growthMax` is taken for a bomb. */
const alwaysBytes = 1024 * 1024
const growthMax = 20

/**
 * The body of a request as it comes, unpacked where it was packed. It is counted before and after that, so that neither a false length nor a
 * small packet lets more than the limit in, and it has to be complete in time.
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

/** How the body is packed; `null` = it is not. */
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
    // Where it was refused before its end, nothing more of it is kept.
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
