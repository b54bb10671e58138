import { type FileHandle, open } from 'node:fs/promises'
import type { Reached } from '../lib/failpoints.ts'

/** Longest time that committed usage waits for the disk; what a power failure can lose. */
const usageSyncMs = 50

/** A sync that takes longer says that the disk hangs. */
const stuckMs = 3_000

/** Brings the write-ahead log to the disk without stopping the event loop. Closing this file drops no lock: SQLite locks another one. */
export interface WalSync {
  /** Something was committed: sync it soon. */
  touch(): void
  /** Resolves when everything written before the call is on the disk. */
  sync(): Promise<void>
  /** Whether the disk has not answered for so long that what is written may be lost with the power. */
  isStuck(): boolean
  close(): Promise<void>
}

export function createWalSync(path: string, reached: Reached): WalSync {
  let handle: FileHandle | null = null
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let isStuck = false

  /**
   * What a failed sync was to bring to the disk may be gone, and a second one that succeeds would not say so. So the first failure ends
   * the process: the next start believes what it finds in the file.
   */
  async function run(): Promise<void> {
    const patience = setTimeout(() => {
      isStuck = true
    }, stuckMs)
    patience.unref()
    try {
      handle ??= await open(path, 'r+')
      const hanging: unknown = reached('wal-sync')
      await hanging
      await handle.datasync()
      isStuck = false
    } catch (error) {
      queueMicrotask(() => {
        throw new Error('the database cannot be brought to the disk', { cause: error })
      })
      await new Promise<never>(() => {})
    } finally {
      clearTimeout(patience)
    }
  }

  /** A sync that starts after this call; one that already runs may have missed the newest write. */
  function sync(): Promise<void> {
    if (running === null) {
      running = run().finally(() => {
        running = null
      })
      return running
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = null
        return sync()
      })
    return next
  }

  return {
    touch() {
      if (timer !== null) return
      timer = setTimeout(() => {
        timer = null
        void sync()
      }, usageSyncMs)
      timer.unref()
    },
    sync,
    isStuck: () => isStuck,
    async close() {
      if (timer !== null) clearTimeout(timer)
      await sync()
      await handle?.close()
    },
  }
}
