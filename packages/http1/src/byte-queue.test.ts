import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { ByteQueue } from './byte-queue.ts'

const lengths = fc.array(fc.oneof(fc.nat(3), fc.nat(5_000), fc.nat(70_000)), { maxLength: 60 })

/** Different bytes each time, so that a misplaced piece is noticed. */
function pieceOf(length: number, from: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (from + index * 7) & 0xff)
}

describe('a queue of bytes', () => {
  test('returns its bytes in order, however they are taken', () => {
    fc.assert(
      fc.property(lengths, fc.array(fc.nat(9_000), { maxLength: 60 }), (pushed, drops) => {
        const queue = new ByteQueue()
        const expected: Uint8Array[] = []
        const taken: Uint8Array[] = []
        for (const [index, length] of pushed.entries()) {
          const piece = pieceOf(length, index)
          expected.push(piece)
          queue.push(piece)
          const first = queue.first()
          const count = Math.min(drops[index] ?? 0, first?.length ?? 0)
          if (first !== null) taken.push(Uint8Array.from(first.subarray(0, count)))
          queue.drop(count)
        }
        for (let piece = queue.shift(); piece !== null && queue.byteLength > 1_000; piece = queue.shift()) taken.push(piece)
        const total = Buffer.concat(expected)
        const before = Buffer.concat(taken)
        expect(queue.byteLength).toBeLessThanOrEqual(total.length - before.length)
        expect(before.equals(total.subarray(0, before.length))).toBe(true)
      }),
      { verbose: true, numRuns: 100 },
    )
  })

  test('returns all bytes as one piece', () => {
    fc.assert(
      fc.property(lengths, (pushed) => {
        const queue = new ByteQueue()
        const pieces = pushed.map(pieceOf)
        for (const piece of pieces) queue.push(piece)
        expect(queue.byteLength).toBe(Buffer.concat(pieces).length)
        expect(Buffer.from(queue.takeAll()).equals(Buffer.concat(pieces))).toBe(true)
        expect([queue.byteLength, queue.first(), queue.takeAll().length]).toEqual([0, null, 0])
      }),
      { verbose: true, numRuns: 100 },
    )
  })

  test('has few pieces and little memory, however small the added pieces are', () => {
    const queue = new ByteQueue()
    const total = 1024 * 1024
    for (let index = 0; index < total; index += 1) queue.push(Uint8Array.of(index))
    const buffers = new Set<ArrayBufferLike>()
    let pieces = 0
    for (let piece = queue.shift(); piece !== null; piece = queue.shift()) {
      pieces += 1
      buffers.add(piece.buffer)
    }
    expect(pieces).toBeLessThan(100)
    expect([...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThan(total * 1.1)
  })

  test('wastes no block if small and large pieces alternate', () => {
    const queue = new ByteQueue()
    for (let index = 0; index < 1_000; index += 1) {
      queue.push(new Uint8Array(5_000))
      queue.push(Uint8Array.of(1))
    }
    const small = new Set<ArrayBufferLike>()
    for (let piece = queue.shift(); piece !== null; piece = queue.shift()) if (piece.length < 5_000) small.add(piece.buffer)
    expect(small.size).toBe(1)
  })

  test('does not copy a piece that arrives at an empty queue', () => {
    const queue = new ByteQueue()
    const piece = Uint8Array.of(1, 2, 3)
    queue.push(piece)
    expect(queue.takeAll()).toBe(piece)
  })
})
