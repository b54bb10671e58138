import { type ByteBudget, createByteBudget } from '@sluice/http1/byte-budget'
import { Garbage } from '@sluice/http1/garbage'
import type { Clock } from './clock.ts'
import { createDeadlines } from './deadlines.ts'
import { createLargeJson, type LargeJson } from './large-json.ts'
import type { Spool } from './spool.ts'
import { createUnpacker, type Unpacker } from './unpack.ts'

/** What all bodies share. */
export interface BodyMemory {
  /** Memory limit of all bodies of requests. */
  readonly bodies: ByteBudget
  readonly unpacker: Unpacker
  readonly largeJson: LargeJson
  /** Counts the bytes of bodies that arrive in pieces. */
  readonly garbage: Garbage
  /** Memory limit of all whole responses of vendors, while they arrive and are parsed. */
  readonly responses: ByteBudget
  /** Memory limit of all images that are fetched for requests, until their requests have a response. */
  readonly imageBytes: ByteBudget
}

/** Bytes of bodies after which garbage collection is requested: so rarely that the pause, 20 ms, costs a request with images under 1 ms. */
const collectedBytes = 32 * 1024 * 1024
/** Largest whole response, and memory of all of them together; beyond it the one that lacks least goes on. */
export const responseBytesMax = 64 * 1024 * 1024

/** Most bytes of the images that are fetched for one request, and memory of those of all requests. */
export const imagesBytesMax = 32 * 1024 * 1024
const allImagesBytesMax = 2 * imagesBytesMax

/** What all connections may keep in memory. */
interface Memory {
  readonly bodyMemory: BodyMemory
  /** Memory for the long messages of all sessions, while they arrive and until they are sent. */
  readonly longMessages: ByteBudget
}

interface MemoryOptions {
  readonly bodyBytesMax: number
  readonly bodiesBytesMax: number
  /** The longest message of a session. */
  readonly messageBytesMax: number
  readonly clock: Clock
  readonly openSpool: () => Spool
}

export function createMemory({ bodyBytesMax, bodiesBytesMax, messageBytesMax, clock, openSpool }: MemoryOptions): Memory {
  const { monotonicMs } = clock
  const deadlines = createDeadlines(clock)
  return {
    bodyMemory: {
      bodies: createByteBudget({ bytesMax: bodiesBytesMax, longestBytes: bodyCopies * bodyBytesMax, monotonicMs, deadlines }),
      unpacker: createUnpacker(openSpool),
      largeJson: createLargeJson(),
      garbage: new Garbage(collectedBytes),
      responses: createByteBudget({ bytesMax: responseBytesMax, longestBytes: responseBytesMax, monotonicMs, deadlines }),
      imageBytes: createByteBudget({ bytesMax: allImagesBytesMax, longestBytes: imagesBytesMax, monotonicMs, deadlines }),
    },
    longMessages: createByteBudget({ bytesMax: messageBytesMax / 2, longestBytes: messageBytesMax, monotonicMs, deadlines }),
  }
}

/** A body is kept twice until a vendor responds: as its values, and as the text that is sent. */
export const bodyCopies = 2
