import { expect, test } from 'bun:test'
import { inOrder } from './model-order.ts'

const row = (name: string, more: object = {}) => ({ name, context: 0, prices: {}, is_priced: true, ...more })
const rows = [
  row('a', { prices: { prompt: 3, completion: 1 }, context: 8_000 }),
  row('b', { is_priced: false, context: 128_000 }),
  row('c', { prices: { images: 1 } }),
  row('d', { prices: {} }),
]
const names = (sort: Parameters<typeof inOrder>[1]) => inOrder(rows, sort).map(({ name }) => name)

test('models are in the order of their price or context, and those without one are last', () => {
  expect(names(undefined)).toEqual(['a', 'b', 'c', 'd'])
  expect(names('price')).toEqual(['d', 'a', 'b', 'c'])
  expect(names('-price')).toEqual(['a', 'd', 'b', 'c'])
  expect(names('-context')).toEqual(['b', 'a', 'c', 'd'])
})
