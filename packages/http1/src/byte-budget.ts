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
 * A bound on the bytes that all connections keep together. Beyond it, whoever receives waits. Where shares that are not complete have used it
 * up, one at a time may go on, the one that lacks the fewest bytes, so that some share always gets complete and short ones do not wait for
 * long ones.
 */
export interface ByteBudget {
  /** @param refused called at most once, where others wait and the share stalls or is not complete in time; it counts nothing from then on */
  share(refused: () => void): BudgetShare
  /** Bytes that are counted now. */
  readonly usedBytes: number
}

export interface BudgetShare {
  /** It will be as long as that. @returns as `grow` does */
  begin(wholeBytes: number | null): Promise<void> | null
  /**
   * It keeps so many bytes and more are coming, until it has `wholeBytes` as far as that is known.
   * @returns `null`: go on; otherwise: take no more bytes until it resolves, which it never does once the share is refused
   */
  grow(bytes: number, wholeBytes: number | null): Promise<void> | null
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
  /** Bytes that it lacks. */
  leftBytes: number
  /** When it began to be counted, and when it grew last. */
  begunMs: number
  grownMs: number
  readonly refused: () => void
}

export function createByteBudget({ bytesMax, longestBytes, monotonicMs, deadlines }: BudgetOptions): ByteBudget {
  let used = 0
  /** Those bytes of them that belong to shares which are complete. */
  let held = 0
  let isChecking = false
  /** Those that get more bytes. */
  const growing = new Set<Counted>()
  const waiting = new Map<Counted, () => void>()
  /** The one that may go on although all is used. */
  let favoured: Counted | null = null

  function shortest(first: Counted | null): Counted | null {
    let found = first
    for (const share of waiting.keys()) if (found === null || share.leftBytes < found.leftBytes) found = share
    return found
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

  /** Lets as many go on as what is free suffices for, each with one read. */
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

  /** It gets no more bytes. */
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
      if (used - (favoured?.bytes ?? 0) > 2 * bytesMax) refuse(share)
    })
  }

  /** @returns whether it became more */
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
      const share: Counted = { bytes: 0, leftBytes: 0, begunMs: 0, grownMs: 0, refused }
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
