import { expect, test } from 'bun:test'
import { PairCache } from './pair-cache.ts'

test('a cache by two names has each pair, and is emptied when it is full', () => {
  const cache = new PairCache<number | null>(3)
  cache.set('a', 'bc', 1)
  cache.set('ab', 'c', 2)
  cache.set('a', 'c', null)
  expect([cache.get('a', 'bc'), cache.get('ab', 'c'), cache.get('a', 'c'), cache.get('b', 'c')]).toEqual([1, 2, null, undefined])
  cache.set('d', 'e', 4)
  expect([cache.get('a', 'bc'), cache.get('d', 'e')]).toEqual([undefined, 4])
  cache.clear()
  expect(cache.get('d', 'e')).toBeUndefined()
})
