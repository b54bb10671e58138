import type { Clock } from '../../lib/clock.ts'
import type { Deadline, Deadlines } from '../../lib/deadlines.ts'
import { inTime } from '../../lib/in-time.ts'
import type { FileStore } from './file-store.ts'

/** Timeout for one response of the place where copies are kept. */
export const responseMs = 30_000
/** Timeout for what it does with a part, and with the whole file at its end: a store gets all of it then. */
export const writeMs = 10 * 60_000

export interface Timing {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly deadlines: Deadlines
}

/** Wraps a store so that calls fail when it does not respond in time. */
export function timedFiles(store: FileStore, { clock, deadlines }: Timing): FileStore {
  const responded = <Result>(work: Promise<Result>, late?: (result: Result) => void): Promise<Result> =>
    inTime(work, { deadlines, ms: responseMs, error: silent }, late)

  /** While its vendor is waited for, the store need not respond. */
  async function* timed(parts: AsyncIterable<Uint8Array>, deadline: Deadline): AsyncGenerator<Uint8Array> {
    const restart = (): void => {
      deadline.at = clock.monotonicMs() + writeMs
    }
    for await (const part of parts) {
      restart()
      yield part
      deadline.at = Number.POSITIVE_INFINITY
    }
    restart()
  }

  return {
    async write(name, parts) {
      const late = Promise.withResolvers<never>()
      const deadline = deadlines.start(writeMs, () => late.reject(silent()))
      try {
        await Promise.race([store.write(name, timed(parts, deadline)), late.promise])
      } finally {
        deadlines.cancel(deadline)
      }
    },
    async read(name, start, end) {
      const file = await responded(store.read(name, start, end), (opened) => {
        if (opened !== null) void opened.cancel().catch(ignored)
      })
      return file === null ? null : timedStream(file, responded)
    },
    remove: (name) => responded(store.remove(name)),
    fileBytesMax: store.fileBytesMax,
    room: () => responded(store.room()),
    addressOf: (name) => store.addressOf(name),
  }
}

/** Nothing is read before it is wanted, so that a file that nobody reads opens nothing. */
const unread = { highWaterMark: 0 } as const

function timedStream(
  file: ReadableStream<Uint8Array>,
  responded: <Result>(work: Promise<Result>) => Promise<Result>,
): ReadableStream<Uint8Array> {
  const reader = file.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await responded(reader.read())
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          // Closes the file or the connection. It is not waited for, because a store that is silent may not end that either.
          void reader.cancel(error).catch(ignored)
          throw error
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    unread,
  )
}

const silent = (): Error => new Error('the result store timed out')

/** The file is given up: how that ends concerns nobody. */
const ignored = (): void => undefined
