import { edenGC, fullGC, heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { nowhere, UnorderedSet, type UnorderedSetItem } from './unordered-set.ts'

const itemsOf = (names: string): Array<UnorderedSetItem & { name: string }> => [...names].map((name) => ({ name, place: nowhere }))

describe('a bag', () => {
  test('has what was added and not deleted, whatever the order', () => {
    const bag = new UnorderedSet<UnorderedSetItem & { name: string }>()
    const [a, b, c, d] = itemsOf('abcd')
    if (!(a && b && c && d)) throw new Error('four items')
    for (const item of [a, b, c]) bag.add(item)
    bag.delete(a)
    bag.delete(a)
    bag.delete(d)
    expect([bag.size, bag.has(a), bag.has(b), bag.has(c), bag.has(d)]).toEqual([2, false, true, true, false])
    bag.add(a)
    bag.delete(c)
    const names = bag.all().map(({ name }) => name)
    expect(names.sort()).toEqual(['a', 'b'])
    expect(bag.filter(({ name }) => name === 'b')).toEqual([b])
  })

  test('may change while a copy of it is read', () => {
    const bag = new UnorderedSet<UnorderedSetItem & { name: string }>()
    for (const item of itemsOf('abcdef')) bag.add(item)
    const seen: string[] = []
    for (const item of bag.all()) {
      seen.push(item.name)
      bag.delete(item)
    }
    expect([seen.join(''), bag.size]).toEqual(['abcdef', 0])
  })

  test('keeps nothing that was deleted alive', () => {
    const bag = new UnorderedSet<UnorderedSetItem & { name: string }>()
    const live: Array<UnorderedSetItem & { name: string }> = []
    const rounds = (count: number): number => {
      for (let round = 0; round < count; round += 1) {
        for (let index = 0; index < 2_000; index += 1) {
          const item = { name: 'one', place: nowhere }
          bag.add(item)
          live.push(item)
          const oldest = live.length > 64 ? live.shift() : undefined
          if (oldest !== undefined) bag.delete(oldest)
        }
        edenGC()
      }
      return heapStats().objectCount
    }
    rounds(3)
    fullGC()
    const before = rounds(1)
    // Each collection takes over the 64 that live and no others. A set kept 640 more of each round alive.
    expect(rounds(20) - before).toBeLessThan(20 * 200)
  })
})
