import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { AppError } from './app-error.ts'
import { type BodyLimits, bodyChunks, codingOf } from './body-chunks.ts'
import type { BodyMemory } from './body-memory.ts'
import { type BodyRoom, openBodyRoom } from './body-room.ts'
import type { Deadlines } from './deadlines.ts'
import { inTime } from './in-time.ts'
import { type LargeJson, largeBytes } from './large-json.ts'
import { parseBody } from './parse-json.ts'
import { tooLarge } from './unpack.ts'

/** A body that was read and parsed. */
export interface ReadBody {
  readonly value: unknown
  /** It is so long that it is read in steps, between which others are served. */
  readonly isLarge: boolean
  /** Call it when the value is not used any more: its bytes count in the budget until then. */
  readonly close: () => void
}

export interface ReadBodyDeps extends BodyMemory {
  readonly deadlines: Deadlines
}

const nothing = (): void => {}

/**
 * Reads a JSON body and counts its bytes as they arrive, so that neither a false or missing length nor compression exceeds the limit. The
 * value can be serialized as JSON without a change of meaning. A body that has arrived is read at once.
 * @throws AppError invalid_text, invalid_json, body_capacity_exceeded, and what `bodyChunks` throws
 */
export function readJson(request: IncomingRequest, limits: BodyLimits, deps: ReadBodyDeps): ReadBody | Promise<ReadBody> {
  const { body, headers } = request
  if (body === null) return readBytes(new Uint8Array())
  const declared = headers.get('content-length')
  const length = declared === null || codingOf(request) !== null ? null : Number(declared)
  if (length !== null && length > limits.bodyBytesMax) throw tooLarge(limits.bodyBytesMax)
  // The HTTP parser holds a client to its declared length, so only bodies without one are counted while they come.
  if (length === null || length > uncountedBytes) return readCounted(request, length, { limits, ...deps })
  const bytes = body.taken()
  if (bytes !== null) return readBytes(bytes)
  const whole = body.bytes().catch((cause: unknown) => {
    throw new AppError('body_interrupted', { cause })
  })
  const error = (): AppError => new AppError('body_timeout')
  return inTime(whole, { deadlines: deps.deadlines, ms: limits.bodyMs, error }).then(readBytes)
}

async function readCounted(
  request: IncomingRequest,
  length: number | null,
  { limits, ...deps }: ReadBodyDeps & { readonly limits: BodyLimits },
): Promise<ReadBody> {
  const room = openBodyRoom({ budget: deps.bodies, length, signal: request.signal, cancel: () => request.body?.cancel() })
  try {
    const bytes = await room.collect(bodyChunks(request, limits, deps))
    if (bytes.length <= largeBytes) return { value: parseBody(bytes), isLarge: false, close: room.close }
    return await readLarge(bytes, room, deps.largeJson)
  } catch (error) {
    room.close()
    throw error
  }
}

/** Bodies up to this length are read in one piece, and their bytes are not counted. */
const uncountedBytes = 256 * 1024

function readBytes(bytes: Uint8Array): ReadBody {
  return { value: parseBody(bytes), isLarge: false, close: nothing }
}

async function readLarge(bytes: Uint8Array, room: BodyRoom, largeJson: LargeJson): Promise<ReadBody> {
  const { length } = bytes
  const { value, valueBytes } = await largeJson.parse(bytes)
  room.keep(valueBytes)
  return {
    value,
    isLarge: true,
    close() {
      room.close()
      largeJson.released(length)
    },
  }
}
