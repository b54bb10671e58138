import { expect, test } from 'bun:test'
import { createLru } from './lru.ts'

test('a full map evicts the least recently used entry, and reports it', () => {
  const evicted: number[] = []
  const lru = createLru<string, { readonly n: number }>(2, ({ n }) => void evicted.push(n))
  lru.set('a', { n: 1 })
  lru.set('b', { n: 2 })
  expect(lru.get('a')).toEqual({ n: 1 })
  lru.set('c', { n: 3 })
  expect([lru.get('a')?.n, lru.get('b'), lru.get('c')?.n]).toEqual([1, undefined, 3])
  lru.set('a', { n: 4 })
  lru.delete('c')
  lru.clear()
  expect(evicted).toEqual([2, 1, 3, 4])
})
