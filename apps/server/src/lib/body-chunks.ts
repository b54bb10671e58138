import type { Garbage } from '@sluice/http1/garbage'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { AppError } from './app-error.ts'
import type { Deadlines } from './deadlines.ts'
import { tooLarge, type Unpacker } from './unpack.ts'

export interface BodyLimits {
  readonly bodyBytesMax: number
  readonly bodyMs: number
}

export interface BodyChunksDeps {
  readonly deadlines: Deadlines
  readonly unpacker: Unpacker
  /** Counts the used bytes of all bodies: with a count of each, many connections would leave as many times the garbage. */
  readonly garbage: Garbage
}

/**
 * The chunks of a request's body, decompressed if needed. Bytes are counted before and after decompression, so that neither a false length
 * nor a small compressed body exceeds the limit. The body must be complete within its time limit.
 * @throws AppError body_too_large, body_timeout, body_interrupted, and what `unpack` throws
 */
export function bodyChunks(
  request: IncomingRequest,
  limits: BodyLimits,
  { deadlines, unpacker, garbage }: BodyChunksDeps,
): AsyncGenerator<Uint8Array> {
  const coding = codingOf(request)
  const received = receive(request, limits, { deadlines, garbage })
  return coding === null ? received : unpacker.unpack(received, coding, limits.bodyBytesMax)
}

/** The body's content coding; `null` = none. */
export function codingOf({ headers }: IncomingRequest): string | null {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  return coding === '' || coding === 'identity' ? null : coding
}

async function* receive(
  request: IncomingRequest,
  { bodyBytesMax, bodyMs }: BodyLimits,
  { deadlines, garbage }: Omit<BodyChunksDeps, 'unpacker'>,
): AsyncGenerator<Uint8Array> {
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
  try {
    for (;;) {
      const bytes = await body.read()
      if (isLate) throw new AppError('body_timeout')
      if (bytes === null) return
      length += bytes.length
      if (length > bodyBytesMax) throw tooLarge(bodyBytesMax)
      const { byteLength } = bytes
      yield bytes
      garbage.add(byteLength)
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError('body_interrupted', { cause })
  } finally {
    deadlines.cancel(deadline)
    // When the body is refused before its end, the rest is discarded.
    stop()
  }
}
