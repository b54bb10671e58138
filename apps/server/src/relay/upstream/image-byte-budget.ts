import type { BudgetShare, ByteBudget } from '@sluice/http1/byte-budget'
import { imagesBytesMax } from '../../lib/body-memory.ts'

/** The memory of the images of one request, which arrive at once. */
export interface CountedImages {
  /** Counts the bytes of one image while they arrive. */
  open(): BudgetShare
  /** Aborted if the images are too large together, if they stall while those of other requests wait, and when they are released. */
  readonly signal: AbortSignal
  /** Whether they are too large together. */
  isTooLarge(): boolean
  /** All have arrived: their bytes count until `release`. */
  keep(): void
  release(): void
}

/** One share for all of them, so that the requests that wait never hold what each other lacks. */
export function countImages(budget: ByteBudget): CountedImages {
  const stopping = new AbortController()
  const share = budget.share(() => stopping.abort())
  const sizes: number[] = []
  let turn: Promise<void> | null = null
  const total = (): number => sizes.reduce((sum, bytes) => sum + bytes, 0)

  function grow(at: number, bytes: number): Promise<void> | null {
    sizes[at] = bytes
    if (total() > imagesBytesMax) stopping.abort()
    if (turn !== null || stopping.signal.aborted) return turn
    turn = share.grow(total(), null)?.then(goOn) ?? null
    return turn
  }

  function goOn(): void {
    turn = null
  }

  return {
    open() {
      const at = sizes.push(0) - 1
      return { begin: () => null, grow: (bytes) => grow(at, bytes), keep: () => undefined }
    },
    signal: stopping.signal,
    isTooLarge: () => total() > imagesBytesMax,
    keep: () => share.keep(total()),
    release() {
      stopping.abort()
      share.keep(0)
    },
  }
}
