import { expect, test } from 'bun:test'
import { Copy } from 'lucide-react'
import { actionGroups } from './action-groups.ts'
import type { RowAction } from './actions.ts'
import { tableOf } from './export-rows.ts'
import { nextSort } from './table-head.tsx'
import { sortRows } from './use-sorted-rows.ts'

test('a header sorts up, then down, then not at all; another header starts anew', () => {
  expect(nextSort('name', null)).toEqual({ id: 'name', desc: false })
  expect(nextSort('name', { id: 'name', desc: false })).toEqual({ id: 'name', desc: true })
  expect(nextSort('name', { id: 'name', desc: true })).toBeNull()
  expect(nextSort('name', { id: 'used', desc: true })).toEqual({ id: 'name', desc: false })
})

test('a menu keeps groups together and dangerous actions at its end', () => {
  const action = (id: string, more: Partial<RowAction> = {}): RowAction => ({ id, label: id, icon: Copy, act: () => {}, ...more })
  const groups = actionGroups([action('delete', { isDangerous: true }), action('a'), action('x', { group: 'For' }), action('b')])
  expect(groups.map(({ name, actions }) => [name, actions.map(({ id }) => id)])).toEqual([
    [null, ['a', 'b']],
    ['For', ['x']],
    [null, ['delete']],
  ])
})

test('a file has the columns that say something in one, by their own value or the one they sort by', () => {
  const rows = [
    { name: 'a', size: 1 },
    { name: 'b', size: null },
  ]
  const columns = [
    { id: 'name', header: 'Name', cell: () => null, sortValue: (row: { readonly name: string }) => row.name },
    { id: 'size', header: 'Size', cell: () => null, sortValue: (row: { readonly size: number | null }) => row.size },
    { id: 'both', header: 'Both', cell: () => null, csv: (row: { readonly name: string }) => `${row.name}!` },
    { id: 'key', header: 'Key', cell: () => null },
  ]
  expect(tableOf(columns, rows)).toEqual([
    ['Name', 'Size', 'Both'],
    ['a', 1, 'a!'],
    ['b', '', 'b!'],
  ])
})

const up = { desc: false, locale: 'en' }
const down = { desc: true, locale: 'en' }

test('rows are sorted by value: equal ones keep their order, those without one are last', () => {
  const rows = [
    ['a', 2],
    ['b', null],
    ['c', 1],
    ['d', 2],
    ['e', null],
  ] as const
  const sorted = (direction: typeof up) => sortRows(rows, ([, value]) => value, direction).map(([name]) => name)
  expect(sorted(up)).toEqual(['c', 'a', 'd', 'b', 'e'])
  expect(sorted(down)).toEqual(['a', 'd', 'c', 'b', 'e'])
})

test('texts are sorted as the language does, with numbers in them by value', () => {
  const sorted = (texts: readonly string[], locale: string) => sortRows(texts, (text) => text, { desc: false, locale })
  expect(sorted(['key 10', 'Key 9', 'ä', 'b', 'a'], 'en')).toEqual(['a', 'ä', 'b', 'Key 9', 'key 10'])
  expect(sorted(['重庆', '北京', '安徽'], 'zh')).toEqual(['安徽', '北京', '重庆'])
})
