import { expect, test } from 'bun:test'
import { fitLayout, moveColumn, toggleColumn } from './column-layout.ts'

const columns = [{ id: 'a' }, { id: 'b', isHiddenAtFirst: true }, { id: 'c' }]

test('nothing stored shows what the page wants', () => {
  expect(fitLayout(undefined, columns)).toEqual({ order: ['a', 'b', 'c'], hidden: ['b'] })
})

test('unknown columns are ignored, new ones keep their place', () => {
  expect(fitLayout({ order: ['c', 'x', 'a'], hidden: ['x'] }, columns)).toEqual({ order: ['c', 'a', 'b'], hidden: [] })
  expect(fitLayout({ order: 5, hidden: 'a' }, columns)).toEqual({ order: ['a', 'b', 'c'], hidden: [] })
})

test('one column always stays', () => {
  expect(fitLayout({ order: [], hidden: ['a', 'b', 'c'] }, columns).hidden).toEqual([])
  const two = toggleColumn(toggleColumn({ order: ['a', 'b'], hidden: [] }, 'a'), 'b')
  expect(two.hidden).toEqual(['a'])
  expect(toggleColumn(two, 'a').hidden).toEqual([])
})

test('columns move one place and stop at the ends', () => {
  const layout = { order: ['a', 'b', 'c'], hidden: [] }
  expect(moveColumn(layout, 'a', 1).order).toEqual(['b', 'a', 'c'])
  expect(moveColumn(layout, 'a', -1).order).toEqual(['a', 'b', 'c'])
  expect(moveColumn(layout, 'c', 1).order).toEqual(['a', 'b', 'c'])
})
