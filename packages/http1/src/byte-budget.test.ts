import { describe, expect, test } from 'bun:test'
import { createByteBudget } from './byte-budget.ts'

const kibi = 1024
const mebi = 1024 * kibi

/** A budget of 4 MiB for shares of at most 8 MiB, and a clock that the test sets. */
function open() {
  let nowMs = 0
  const due = new Map<object, { readonly atMs: number; readonly act: () => void }>()
  const budget = createByteBudget({
    bytesMax: 4 * mebi,
    longestBytes: 8 * mebi,
    monotonicMs: () => nowMs,
    deadlines: {
      start(afterMs, act) {
        const deadline = { at: nowMs + afterMs }
        due.set(deadline, { atMs: deadline.at, act })
        return deadline
      },
      cancel: (deadline) => void due.delete(deadline),
    },
  })
  const refused: string[] = []
  return {
    budget,
    refused,
    share: (name: string) => budget.share(() => void refused.push(name)),
    pass(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += 250
        for (const [deadline, { atMs, act }] of [...due]) {
          if (atMs > nowMs) continue
          due.delete(deadline)
          act()
        }
      }
    },
  }
}

/** @returns a function that returns whether the promise has resolved */
function watch(turn: Promise<void> | null): () => Promise<boolean> {
  let isOver = turn === null
  void turn?.then(() => {
    isOver = true
  })
  return async () => {
    await new Promise(setImmediate)
    return isOver
  }
}

describe('a budget of bytes', () => {
  test('does not count the bytes that each share may always keep', () => {
    const { budget, share } = open()
    for (let count = 0; count < 1_000; count += 1) expect(share(`${count}`).grow(256 * kibi, null)).toBeNull()
    expect(budget.usedBytes).toBe(0)
  })

  test('lets one share continue when it is used up, and after it the one with the fewest bytes left', async () => {
    const { share, refused } = open()
    const [first, second, third] = [share('first'), share('second'), share('third')]
    expect(first.grow(3 * mebi, 8 * mebi)).toBeNull()
    expect(first.grow(5 * mebi, 8 * mebi)).toBeNull()
    const secondGoes = watch(second.grow(3 * mebi, 8 * mebi))
    const thirdGoes = watch(third.grow(2 * mebi, 4 * mebi))
    expect(first.grow(7 * mebi, 8 * mebi)).toBeNull()
    first.keep(8 * mebi)
    expect([await secondGoes(), await thirdGoes()]).toEqual([false, false])
    first.keep(0)
    expect([await secondGoes(), await thirdGoes()]).toEqual([false, true])
    expect(third.grow(4 * mebi, 4 * mebi)).toBeNull()
    third.keep(0)
    expect(await secondGoes()).toBe(true)
    expect(refused).toEqual([])
  })

  test('is never exceeded by more than the longest share and one read of each', async () => {
    const { budget, share, pass } = open()
    const shares = Array.from({ length: 100 }, (_, index) => ({ share: share(`${index}`), bytes: 0, goes: true }))
    for (let round = 0; round < 60; round += 1) {
      for (const one of shares) {
        if (!one.goes || one.bytes >= 8 * mebi) continue
        one.bytes += 512 * kibi
        const turn = one.share.grow(one.bytes, 8 * mebi)
        one.goes = turn === null
        void turn?.then(() => {
          one.goes = true
        })
      }
      await new Promise(setImmediate)
      expect(budget.usedBytes).toBeLessThanOrEqual((4 + 8 + 4 + 1) * mebi)
    }
    pass(60_000)
    for (const one of shares) one.share.keep(0)
    expect(budget.usedBytes).toBe(0)
  })

  test('refuses a share that stalls while others wait, and gives its bytes to them', async () => {
    const { budget, share, pass, refused } = open()
    void share('stalled').grow(5 * mebi, 8 * mebi)
    pass(4_000)
    expect(refused).toEqual([])
    const waits = share('waits')
    const goes = watch(waits.grow(1 * mebi, 8 * mebi))
    pass(1_250)
    expect([await goes(), refused]).toEqual([true, ['stalled']])
    waits.keep(0)
    expect(budget.usedBytes).toBe(0)
  })

  test('refuses no share while none waits', () => {
    const { share, pass, refused } = open()
    void share('alone').grow(5 * mebi, 8 * mebi)
    pass(60_000)
    expect(refused).toEqual([])
  })

  test('refuses a share that is incomplete 30 seconds after it began, as long as others wait', async () => {
    const { share, pass, refused } = open()
    const drips = share('drips')
    void drips.grow(5 * mebi, 8 * mebi)
    const goes = watch(share('waits').grow(1 * mebi, 8 * mebi))
    for (let seconds = 1; seconds < 29; seconds += 1) {
      pass(1_000)
      void drips.grow(5 * mebi + seconds, 8 * mebi)
    }
    expect([await goes(), refused]).toEqual([false, []])
    pass(3_000)
    expect(refused).toEqual(['drips', 'waits'])
  })

  test('lets a long share wait before its first byte, and drops one that ends meanwhile', async () => {
    const { share, refused } = open()
    const first = share('first')
    expect(first.begin(8 * mebi)).toBeNull()
    void first.grow(6 * mebi, 8 * mebi)
    const [second, third] = [share('second'), share('third')]
    expect(await watch(second.begin(1 * mebi))()).toBe(false)
    const thirdGoes = watch(third.begin(8 * mebi))
    second.keep(0)
    first.keep(0)
    expect([await thirdGoes(), refused]).toEqual([true, []])
  })

  test('counts bytes that wait to be sent, and refuses no share because of them', async () => {
    const { share, pass, refused } = open()
    const outgoing = share('sent')
    outgoing.keep(7 * mebi)
    const goes = watch(share('waits').grow(1 * mebi, 8 * mebi))
    pass(4_000)
    expect([await goes(), refused]).toEqual([false, []])
    outgoing.keep(100)
    expect(await goes()).toBe(true)
  })
})
