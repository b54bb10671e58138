import { expect, test } from 'bun:test'
import { inOrder } from './model-order.ts'

const row = (name: string, more: object = {}) => ({
  name,
  context: 0,
  prices: {},
  is_priced: true,
  released: '',
  first_byte: null,
  tokens_per_second: null,
  ...more,
})
const rows = [
  row('a', { prices: { prompt: 3, completion: 1 }, context: 8_000, released: '2025-08-07' }),
  row('b', { is_priced: false, context: 128_000, first_byte: 900, tokens_per_second: 37.5 }),
  row('c', { prices: { images: 1 }, released: '2025-12', first_byte: 80 }),
  row('d', { prices: {}, released: '2024-01-25', tokens_per_second: 110 }),
]
const names = (sort: Parameters<typeof inOrder>[1]) => inOrder(rows, sort).map(({ name }) => name)

test('models are in the order of their price, context, age or speed, and those without one are last', () => {
  expect(names(undefined)).toEqual(['a', 'b', 'c', 'd'])
  expect(names('price')).toEqual(['d', 'a', 'b', 'c'])
  expect(names('-price')).toEqual(['a', 'd', 'b', 'c'])
  expect(names('-context')).toEqual(['b', 'a', 'c', 'd'])
  expect(names('-released')).toEqual(['c', 'a', 'd', 'b'])
  expect(names('-throughput')).toEqual(['d', 'b', 'a', 'c'])
  expect(names('speed')).toEqual(['c', 'b', 'a', 'd'])
})
