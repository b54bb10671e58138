import { systemClock } from '../lib/clock.ts'

/**
 * The write lock of a SQLite file, where another process may hold it: a database browser, `VACUUM`, a command of an operator. It passes,
 * so whoever needs the lock tries again after a pause. Nothing waits for it on the event loop.
 */
export interface ForeignLock {
  /** Called when a statement found the file locked. From then on the lock is watched until it is free. */
  noteBusy(): void
  /** Whether another process has held the lock for so long that nothing new may begin. */
  isHeld(): boolean
  close(): void
}

interface ForeignLockOptions {
  /** Takes the write lock and frees it. @throws an error that `isBusy` recognizes when another process holds it */
  readonly tryLock: () => Promise<void>
  /** For the log. */
  readonly report: (what: string, error: unknown) => void
}

/** How often a held lock is tried. */
const probeMs = 50
/** A lock that is held for less is no reason to refuse requests: commands of operators hold it for milliseconds. */
const patienceMs = 500
const pausesMs = [2, 5, 10, 25, 50, 100] as const

export function createForeignLock({ tryLock, report }: ForeignLockOptions): ForeignLock {
  /** When the lock was first found held; `null` = it is free as far as is known. */
  let sinceMs: number | null = null
  let isReported = false
  let isClosed = false

  const isHeld = (): boolean => sinceMs !== null && systemClock.monotonicMs() - sinceMs >= patienceMs

  /** Other errors are those of whoever writes next, who reports them. */
  async function isFree(): Promise<boolean> {
    return await tryLock().then(
      () => true,
      (error: unknown) => !isBusy(error),
    )
  }

  async function watch(): Promise<void> {
    do {
      await new Promise((resolve) => setTimeout(resolve, probeMs).unref())
      if (!isReported && isHeld()) {
        isReported = true
        report('database write lock held by another process: new requests are refused until it is free', null)
      }
    } while (!isClosed && !(await isFree()))
    if (isReported && !isClosed) report('database write lock free again', null)
    sinceMs = null
    isReported = false
  }

  return {
    noteBusy() {
      if (sinceMs !== null || isClosed) return
      sinceMs = systemClock.monotonicMs()
      void watch()
    },
    isHeld,
    close() {
      isClosed = true
    },
  }
}

/** Errors that pass when another connection ends its transaction: https://www.sqlite.org/rescode.html */
const busyCodes = /^SQLITE_(?:BUSY|LOCKED|PROTOCOL|IOERR_BLOCKED)/

/** Whether a statement did nothing because another connection held a lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && busyCodes.test(error.code)
}

/** The pause before the next try. */
export async function pauseWhileBusy(tries: number): Promise<void> {
  const delayMs = pausesMs[Math.min(tries, pausesMs.length - 1)]
  await new Promise((resolve) => setTimeout(resolve, delayMs))
}
