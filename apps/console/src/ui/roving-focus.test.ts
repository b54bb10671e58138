import { expect, test } from 'bun:test'
import { cellAfterKey, indexAfterKey, indexOfWord } from './roving-focus.ts'

test('arrow keys move through the items and around the ends', () => {
  expect([0, 1, 2].map((at) => indexAfterKey('ArrowDown', at, 3))).toEqual([1, 2, 0])
  expect([0, 1, 2].map((at) => indexAfterKey('ArrowUp', at, 3))).toEqual([2, 0, 1])
  expect([indexAfterKey('Home', 2, 3), indexAfterKey('End', 0, 3), indexAfterKey('a', 0, 3)]).toEqual([0, 2, null])
  // No item has the focus yet.
  expect([indexAfterKey('ArrowDown', -1, 3), indexAfterKey('ArrowUp', -1, 3)]).toEqual([0, 2])
  expect(indexAfterKey('ArrowDown', -1, 0)).toBeNull()
})

test('letters find the item that begins with them', () => {
  const names = ['Edit', 'Delete', 'Duplicate', 'Enable']
  expect(indexOfWord('du', names, 0)).toBe(2)
  expect(indexOfWord('DU', names, 0)).toBe(2)
  expect(indexOfWord('x', names, 0)).toBeNull()
  expect(indexOfWord('x', [], -1)).toBeNull()
})

test('the same letter again goes to the next item that begins with it', () => {
  const names = ['Edit', 'Delete', 'Duplicate', 'Enable']
  expect(indexOfWord('d', names, 0)).toBe(1)
  expect(indexOfWord('dd', names, 1)).toBe(2)
  expect(indexOfWord('ddd', names, 2)).toBe(1)
  expect(indexOfWord('e', names, -1)).toBe(0)
})

test('arrow keys move through a grid by rows and columns, also into shorter rows', () => {
  // 0 1 2 / 3 / 4 5 6
  const rows = [3, 1, 3]
  expect(cellAfterKey('ArrowRight', 2, rows)).toBe(3)
  expect(cellAfterKey('ArrowLeft', 0, rows)).toBe(6)
  expect(cellAfterKey('ArrowDown', 2, rows)).toBe(3)
  expect(cellAfterKey('ArrowDown', 3, rows)).toBe(4)
  expect(cellAfterKey('ArrowDown', 5, rows)).toBe(1)
  expect(cellAfterKey('ArrowUp', 1, rows)).toBe(5)
  expect([cellAfterKey('Home', 1, rows), cellAfterKey('ArrowDown', -1, [])]).toEqual([null, null])
})
