import { expect, test } from 'bun:test'
import { choiceFilter, numberFilter, readFilters, textFilter } from './filters.ts'

const schema = { name: textFilter, channel: numberFilter, status: choiceFilter([1, 2, 3]), order: choiceFilter(['', 'quota']) }

test('filters are read from an address', () => {
  expect(readFilters(schema, { name: ' gpt ', channel: '12', status: 2, order: 'quota', other: 'x' })).toEqual({
    name: 'gpt',
    channel: 12,
    status: 2,
    order: 'quota',
  })
})

test('what an address cannot mean is left out', () => {
  expect(readFilters(schema, { name: '  ', channel: '-1', status: 9, order: 'constructor' })).toEqual({})
  expect(readFilters(schema, { name: { a: 1 }, channel: '1e400', status: 'x', order: '' })).toEqual({})
  expect(readFilters(schema, { name: 'x'.repeat(300) }).name).toHaveLength(256)
  expect(readFilters(schema, { name: true })).toEqual({ name: 'true' })
})
