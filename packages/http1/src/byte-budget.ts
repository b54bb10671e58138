import type { Deadlines } from './time.ts'
import { nowhere, UnorderedSet, type UnorderedSetItem } from './unordered-set.ts'

/** Bytes of each share that are not counted: small messages and bodies never wait. */
const freeBytes = 256 * 1024
/** Most bytes that a connection delivers before it can be paused: one read of its socket. */
const readBytes = 512 * 1024
/** While a share waits, all shares are checked this often, in milliseconds. */
const checkMs = 1_000
/** While a share waits, others that have not grown for this long are refused, in milliseconds. */
const stalledMs = 5_000
/** While a share waits, others that are incomplete this long after they began to be counted are refused, in milliseconds. */
const unfinishedMs = 30_000

/**
 * Limits the bytes that all connections hold in memory. Beyond the limit, receiving shares wait. When incomplete shares have used it up,
 * one at a time continues, the one with the fewest bytes left, so that some share always completes and short ones do not wait for long
 * ones.
 */
export interface ByteBudget {
  /** @param refused called at most once, if the share stalls or is too slow while others wait; its bytes do not count from then on */
  share(refused: () => void): BudgetShare
  /** Bytes that are counted now. */
  readonly usedBytes: number
}

export interface BudgetShare {
  /** Announces the length of the share. @returns as `grow` does */
  begin(wholeBytes: number | null): Promise<void> | null
  /**
   * Counts `bytes` that the share holds, while more are coming up to `wholeBytes`, if that is known.
   * @returns `null` = continue; otherwise take no bytes until the promise resolves, which it never does once the share is refused
   */
  grow(bytes: number, wholeBytes: number | null): Promise<void> | null
  /** Counts `bytes` of a complete share; 0 = the share has ended. */
  keep(bytes: number): void
}

interface BudgetOptions {
  readonly bytesMax: number
  /** The largest body or message that a single share may hold. */
  readonly longestBytes: number
  readonly monotonicMs: () => number
  readonly deadlines: Deadlines
}

interface Counted extends UnorderedSetItem {
  bytes: number
  /** Bytes still missing. */
  leftBytes: number
  /** When it began to be counted, and when it grew last. */
  begunMs: number
  grownMs: number
  readonly refused: () => void
}

export function createByteBudget({ bytesMax, longestBytes, monotonicMs, deadlines }: BudgetOptions): ByteBudget {
  let used = 0
  /** The used bytes that belong to complete shares. */
  let held = 0
  let isChecking = false
  /** Shares that are receiving bytes. */
  const growing = new UnorderedSet<Counted>()
  const waiting = new Map<Counted, () => void>()
  /** The share that may continue although the budget is used up. */
  let favoured: Counted | null = null

  function shortest(first: Counted | null): Counted | null {
    let result = first
    for (const share of waiting.keys()) if (result === null || share.leftBytes < result.leftBytes) result = share
    return result
  }

  function mayGrow(share: Counted): boolean {
    if (used <= bytesMax) return true
    favoured ??= shortest(share)
    return favoured === share && held <= bytesMax
  }

  function resume(share: Counted): void {
    const go = waiting.get(share)
    waiting.delete(share)
    go?.()
  }

  /** Resumes as many shares as the free bytes suffice for, with one read each. */
  function resumeSome(): void {
    if (waiting.size === 0) return
    favoured ??= shortest(null)
    if (favoured !== null && held <= bytesMax) resume(favoured)
    for (let left = bytesMax - used; left >= 0; left -= readBytes) {
      const next = shortest(null)
      if (next === null) return
      resume(next)
    }
  }

  /** The share receives no more bytes. */
  function stop(share: Counted): void {
    if (growing.delete(share)) held += share.bytes
    waiting.delete(share)
    if (favoured === share) favoured = null
  }

  function refuse(share: Counted): void {
    stop(share)
    count(share, 0)
    share.refused()
  }

  function check(): void {
    isChecking = false
    if (waiting.size === 0) return
    const now = monotonicMs()
    for (const share of growing.all()) {
      const isStalled = !waiting.has(share) && now - share.grownMs >= stalledMs
      if (isStalled || now - share.begunMs >= unfinishedMs) refuse(share)
    }
    resumeSome()
    startCheck()
  }

  function startCheck(): void {
    if (isChecking || waiting.size === 0) return
    isChecking = true
    deadlines.start(checkMs, check)
  }

  function wait(share: Counted): Promise<void> {
    return new Promise((resolve) => {
      waiting.set(share, resolve)
      startCheck()
      // Many shares that begin at the same time have each delivered one read already.
      if (used - (favoured?.bytes ?? 0) > 2 * bytesMax) refuse(share)
    })
  }

  /** @returns whether the count increased */
  function count(share: Counted, bytes: number): boolean {
    const counted = Math.max(0, bytes - freeBytes)
    const more = counted - share.bytes
    used += more
    if (!growing.has(share)) held += more
    share.bytes = counted
    return more > 0
  }

  return {
    get usedBytes() {
      return used
    },
    share(refused) {
      const share: Counted = { bytes: 0, leftBytes: 0, begunMs: 0, grownMs: 0, refused, place: nowhere }
      function goOn(leftBytes: number): Promise<void> | null {
        share.grownMs = monotonicMs()
        share.leftBytes = leftBytes
        if (!growing.has(share)) {
          share.begunMs = share.grownMs
          growing.add(share)
          held -= share.bytes
        }
        return mayGrow(share) ? null : wait(share)
      }
      return {
        begin: (wholeBytes) => (used <= bytesMax ? null : goOn(wholeBytes ?? longestBytes)),
        grow(bytes, wholeBytes) {
          if (bytes <= freeBytes && share.bytes === 0) return null
          return count(share, bytes) ? goOn((wholeBytes ?? longestBytes) - bytes) : null
        },
        keep(bytes) {
          if (bytes <= freeBytes && share.bytes === 0 && !growing.has(share)) return
          stop(share)
          count(share, bytes)
          resumeSome()
        },
      }
    },
  }
}
