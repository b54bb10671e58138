import type { ByteBudget } from '@sluice/http1/byte-budget'
import { giveBack } from '@sluice/http1/give-back'
import type { Signal } from '@sluice/http1/hang-up'
import { AppError } from './app-error.ts'
import { whenAborted } from './when-aborted.ts'

/** How soon a client whose body was refused for want of room may try again. */
const retryAfterSeconds = 5
/** First room of a body. */
const firstBytes = 4 * 1024
/** Once so much of a body has come whose length is known, room is made for all of it. */
const wholeRoomBytes = 1024 * 1024
/** Reads from here on are given back at once. */
const givenBackBytes = 64 * 1024

/** One large body in memory, counted among all that are. */
export interface BodyRoom {
  /** Reads all of the body, and waits where others have the room. @throws AppError bodies_waiting, and what reading throws */
  collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array>
  /** Nobody needs the body, or what was made of its bytes, any more. */
  close(): void
}

interface RoomOptions {
  readonly budget: ByteBudget
  /** As the client said it; `null`: it did not. */
  readonly length: number | null
  /** Says that the client has gone. */
  readonly signal: Signal
  /** Reads nothing more of it. */
  readonly cancel: () => void
}

export function openBodyRoom({ budget, length, signal, cancel }: RoomOptions): BodyRoom {
  const refused = Promise.withResolvers<never>()
  refused.promise.catch(() => undefined)
  let isRefused = false
  const share = budget.share(() => {
    isRefused = true
    refused.reject(new AppError('bodies_waiting', { retryAfterSeconds }))
    cancel()
  })
  const gone = (): void => refused.reject(new AppError('body_interrupted'))
  let room: Buffer<ArrayBuffer> = Buffer.alloc(0)
  let bytes = 0

  async function waitFor(turn: Promise<void> | null): Promise<void> {
    if (turn === null) return
    whenAborted(signal, gone)
    await Promise.race([turn, refused.promise])
    signal.removeEventListener('abort', gone)
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
    // What was read together with it belongs to the next request.
    if (chunk.length === chunk.buffer.byteLength && chunk.length >= givenBackBytes) giveBack(chunk)
  }

  return {
    async collect(chunks) {
      await waitFor(share.begin(length))
      for await (const chunk of chunks) {
        add(chunk)
        const turn = share.grow(bytes, length)
        if (turn !== null) await waitFor(turn)
      }
      if (isRefused) await refused.promise
      share.keep(bytes)
      return room.subarray(0, bytes)
    },
    close() {
      share.keep(0)
      giveBack(room)
    },
  }
}
