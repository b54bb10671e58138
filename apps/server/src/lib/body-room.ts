import type { ByteBudget } from '@sluice/http1/byte-budget'
import type { Signal } from '@sluice/http1/client-abort'
import { giveBackWhole, releaseBuffer } from '@sluice/http1/release-buffer'
import { AppError } from './app-error.ts'
import { bodyCopies } from './body-memory.ts'
import { whenAborted } from './when-aborted.ts'

/** `Retry-After` for a client whose body was refused because the byte budget is used up. */
const retryAfterSeconds = 5
/** First reservation of a body. */
const firstBytes = 4 * 1024
/** Once this much of a body of known length has arrived, its whole length is reserved. */
const wholeRoomBytes = 1024 * 1024

/** One large body in memory, counted in the budget of all bodies. */
export interface BodyRoom {
  /** Reads the whole body, and waits while other bodies use up the budget. @throws AppError body_capacity_exceeded, and what reading throws */
  collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array>
  /** Counts a body by what its value takes in memory. */
  keep(valueBytes: number): void
  /** Ends the reservation: neither the body nor anything that shares its bytes is used any more. */
  close(): void
}

interface RoomOptions {
  readonly budget: ByteBudget
  /** The declared length; `null` = none. */
  readonly length: number | null
  /** Aborts when the client disconnects. */
  readonly signal: Signal
  /** Stops reading the body. */
  readonly cancel: () => void
}

export function openBodyRoom({ budget, length, signal, cancel }: RoomOptions): BodyRoom {
  const refused = Promise.withResolvers<never>()
  refused.promise.catch(() => undefined)
  let isRefused = false
  const share = budget.share(() => {
    isRefused = true
    refused.reject(new AppError('body_capacity_exceeded', { retryAfterSeconds }))
    cancel()
  })
  const onAbort = (): void => refused.reject(new AppError('body_interrupted'))
  let room: Buffer<ArrayBuffer> = Buffer.alloc(0)
  let bytes = 0

  async function waitFor(turn: Promise<void> | null): Promise<void> {
    if (turn === null) return
    whenAborted(signal, onAbort)
    await Promise.race([turn, refused.promise])
    signal.removeEventListener('abort', onAbort)
  }

  function grow(end: number): void {
    const usual = Math.max(firstBytes, end * 2)
    room = Buffer.from(room.buffer.transfer(length === null || end < wholeRoomBytes ? usual : Math.max(length, end)))
  }

  function add(chunk: Uint8Array): void {
    const end = bytes + chunk.length
    if (end > room.length) grow(end)
    room.set(chunk, bytes)
    bytes = end
    giveBackWhole(chunk)
  }

  return {
    async collect(chunks) {
      await waitFor(share.begin(length === null ? null : length * bodyCopies))
      for await (const chunk of chunks) {
        add(chunk)
        const turn = share.grow(bytes * bodyCopies, length === null ? null : length * bodyCopies)
        if (turn !== null) await waitFor(turn)
      }
      if (isRefused) await refused.promise
      share.keep(bytes * bodyCopies)
      return room.subarray(0, bytes)
    },
    keep: (valueBytes) => share.keep(valueBytes * bodyCopies),
    close() {
      share.keep(0)
      releaseBuffer(room)
    },
  }
}
