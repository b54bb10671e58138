import type { Deadlines } from './time.ts'

/** What each share may keep without being counted: small messages and bodies neither wait nor cost anything here. */
const freeBytes = 256 * 1024
/** What a connection may bring before it can be told to wait: one read of its socket. */
const readBytes = 512 * 1024
/** While somebody waits, shares are looked at as often as this, in milliseconds. */
const checkMs = 1_000
/** While somebody waits, a share that has not grown for so long is refused, in milliseconds. */
const stalledMs = 5_000
/** The same for a share that is not complete so long after it began to be counted. */
const unfinishedMs = 30_000

/**
 * A bound on the bytes that all connections keep together. Beyond it, whoever receives waits. The share that has grown the longest may go on
 * to the largest size that is allowed, so that some share always gets complete.
 */
export interface ByteBudget {
  /** @param refused called at most once, where others wait and the share stalls or is not complete in time; it counts nothing from then on */
  share(refused: () => void): BudgetShare
  /** Bytes that are counted now. */
  readonly usedBytes: number
}

export interface BudgetShare {
  /** It keeps so many bytes and more are coming. @returns `null`: go on; otherwise: take no more bytes until it resolves, or for ever once refused */
  grow(bytes: number): Promise<void> | null
  /** It keeps so many bytes and no more are coming; 0 = it is over. */
  keep(bytes: number): void
}

interface BudgetOptions {
  readonly bytesMax: number
  /** The largest body or message that a single share may hold. */
  readonly longestBytes: number
  readonly monotonicMs: () => number
  readonly deadlines: Deadlines
}

interface Counted {
  bytes: number
  /** When it began to be counted, and when it grew last. */
  begunMs: number
  grownMs: number
  readonly refused: () => void
}

export function createByteBudget({ bytesMax, longestBytes, monotonicMs, deadlines }: BudgetOptions): ByteBudget {
  let used = 0
  let isChecking = false
  /** Those that get more bytes, the one first that began first. */
  const growing = new Set<Counted>()
  const waiting = new Map<Counted, () => void>()

  const isEldest = (share: Counted): boolean => growing.values().next().value === share
  const mayGrow = (share: Counted): boolean => used <= bytesMax || (isEldest(share) && used <= bytesMax + longestBytes)

  function resume(share: Counted): void {
    const go = waiting.get(share)
    waiting.delete(share)
    go?.()
  }

  /** Lets as many go on as what is free suffices for, each with one read. */
  function resumeSome(): void {
    if (waiting.size === 0) return
    const [eldest] = growing
    if (eldest !== undefined && mayGrow(eldest)) resume(eldest)
    for (let left = bytesMax - used; left >= 0 && waiting.size > 0; left -= readBytes) {
      const [first] = waiting.keys()
      if (first !== undefined) resume(first)
    }
  }

  function drop(share: Counted): void {
    used -= share.bytes
    share.bytes = 0
    growing.delete(share)
    waiting.delete(share)
  }

  function refuse(share: Counted): void {
    drop(share)
    share.refused()
  }

  function check(): void {
    isChecking = false
    if (waiting.size === 0) return
    const now = monotonicMs()
    for (const share of [...growing]) {
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
      // Very many that begin at once have each brought a read already.
      if (used > bytesMax + longestBytes + bytesMax) refuse(share)
    })
  }

  /** @returns whether it became more */
  function count(share: Counted, bytes: number): boolean {
    const counted = Math.max(0, bytes - freeBytes)
    const more = counted - share.bytes
    used += more
    share.bytes = counted
    return more > 0
  }

  return {
    get usedBytes() {
      return used
    },
    share(refused) {
      const share: Counted = { bytes: 0, begunMs: 0, grownMs: 0, refused }
      return {
        grow(bytes) {
          if (bytes <= freeBytes && share.bytes === 0) return null
          const isNew = !growing.has(share)
          if (!count(share, bytes)) return null
          share.grownMs = monotonicMs()
          if (isNew) {
            share.begunMs = share.grownMs
            growing.add(share)
          }
          return mayGrow(share) ? null : wait(share)
        },
        keep(bytes) {
          if (bytes <= freeBytes && share.bytes === 0) return
          growing.delete(share)
          waiting.delete(share)
          count(share, bytes)
          resumeSome()
        },
      }
    },
  }
}
