import { describe, expect, test } from 'bun:test'
import { createLongReads, Slices } from './slices.ts'

const nextTurn = (): Promise<unknown> => new Promise(setImmediate)
const kibi = 1024

/** A connection that writes down what it gets, in the order of all connections. */
function connection(name: string, reads = createLongReads(), order: string[] = []) {
  const got: Buffer[] = []
  const events: string[] = []
  const slices = new Slices(reads, {
    slice(bytes) {
      got.push(Buffer.from(bytes))
      order.push(name)
    },
    blocked: () => void events.push('blocked'),
    emptied: () => void events.push('emptied'),
  })
  return { slices, got, events }
}

describe('a long read', () => {
  const bytes = Buffer.from(Array.from({ length: 512 * kibi }, (_, at) => at % 251))

  test('is processed in slices over several turns of the event loop, while the socket is not read', async () => {
    const { slices, got, events } = connection('a')
    slices.push(bytes)
    expect(Buffer.concat(got).length).toBeLessThanOrEqual(160 * kibi)
    expect(events).toEqual(['blocked'])
    let turns = 0
    for (; !slices.isEmpty; turns += 1) await nextTurn()
    expect(turns).toBeGreaterThan(1)
    expect(Buffer.concat(got).equals(bytes)).toBe(true)
    expect(Math.max(...got.map(({ length }) => length))).toBeLessThanOrEqual(32 * kibi)
    expect(events).toEqual(['blocked', 'emptied'])
  })

  test('takes turns with those of other connections', async () => {
    const order: string[] = []
    const reads = createLongReads()
    const all = ['a', 'b', 'c'].map((name) => connection(name, reads, order))
    for (const { slices } of all) slices.push(bytes)
    while (all.some(({ slices }) => !slices.isEmpty)) await nextTurn()
    for (const { got } of all) expect(Buffer.concat(got).equals(bytes)).toBe(true)
    // Each has had a part before the first one has had everything.
    const firstEnd = order.lastIndexOf('a')
    expect(order.slice(0, firstEnd).filter((name) => name === 'c').length).toBeGreaterThan(3)
  })

  test('waits while its reader is paused, and is delivered before later data', async () => {
    const { slices, got } = connection('a')
    slices.pause()
    slices.push(bytes.subarray(0, 100 * kibi))
    const before = Buffer.concat(got).length
    for (let count = 0; count < 5; count += 1) await nextTurn()
    expect(Buffer.concat(got).length).toBe(before)
    slices.push(bytes.subarray(100 * kibi))
    slices.resume()
    while (!slices.isEmpty) await nextTurn()
    expect(Buffer.concat(got).equals(bytes)).toBe(true)
  })
})

test('a short read is processed at once', () => {
  const { slices, got, events } = connection('a')
  slices.push(Buffer.from('short'))
  expect([got.map(String), events]).toEqual([['short'], []])
})
