import { edenGC, fullGC, heapStats } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import { ShortLivedMap } from './short-lived-map.ts'

describe('a map of short-lived values', () => {
  test('has what was set and not deleted, in the order of setting', () => {
    const map = new ShortLivedMap<number>()
    for (const [index, key] of ['b', 'a', '__proto__', 'c'].entries()) map.set(key, index)
    map.set('a', 7)
    expect([map.delete('b'), map.delete('b'), map.size]).toEqual([true, false, 3])
    expect(map.keys()).toEqual(['a', '__proto__', 'c'])
    expect(map.entries().map(([, value]) => value)).toEqual([7, 2, 3])
    expect([map.get('a'), map.get('__proto__'), map.get('b'), map.get('toString')]).toEqual([7, 2, undefined, undefined])
  })

  test('keeps nothing that was deleted alive', () => {
    const map = new ShortLivedMap<{ readonly id: string }>()
    const live: string[] = []
    const rounds = (count: number): number => {
      for (let round = 0; round < count; round += 1) {
        for (let index = 0; index < 2_000; index += 1) {
          const id = crypto.randomUUID()
          map.set(id, { id })
          live.push(id)
          const oldest = live.length > 64 ? live.shift() : undefined
          if (oldest !== undefined) map.delete(oldest)
        }
        edenGC()
      }
      return heapStats().objectCount
    }
    rounds(3)
    fullGC()
    const before = rounds(1)
    expect(rounds(20) - before).toBeLessThan(20 * 400)
  })
})
