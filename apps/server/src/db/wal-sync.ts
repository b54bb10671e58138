import { type FileHandle, open } from 'node:fs/promises'
import type { Reached } from '../lib/failpoints.ts'

/** Longest time from a commit of usage to its sync: a power failure loses at most this much. */
const usageSyncMs = 50

/** A sync that takes longer counts as a hanging disk. */
const stuckMs = 3_000

/** Syncs the write-ahead log to the disk without blocking the event loop. Closing the file drops no lock: SQLite locks another file. */
export interface WalSync {
  /** Notes a commit, and schedules a sync. */
  touch(): void
  /** Resolves when everything that was noted before the call is on the disk: at once if it is there already. */
  sync(): Promise<void>
  /** Whether a sync hangs, so that a power failure may lose recent commits. */
  isStuck(): boolean
  close(): Promise<void>
}

export function createWalSync(path: string, reached: Reached): WalSync {
  let handle: FileHandle | null = null
  let running: Promise<void> | null = null
  let next: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | null = null
  let isStuck = false
  /** Commits so far, and how many of them are on the disk. */
  let commits = 0
  let syncedCommits = 0

  /**
   * After a failed sync its data may be lost, and a second sync would succeed without reporting it. So the first failure ends the
   * process, and the next start reads what is in the file.
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
      const before = commits
      await handle.datasync()
      syncedCommits = before
      isStuck = false
    } catch (error) {
      queueMicrotask(() => {
        throw new Error('the database cannot be synced to disk', { cause: error })
      })
      await new Promise<never>(() => {})
    } finally {
      clearTimeout(patience)
    }
  }

  /** Resolves with a sync that starts after this call: one that already runs may have missed the newest write. */
  function sync(): Promise<void> {
    if (syncedCommits === commits) return Promise.resolve()
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
      commits += 1
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
