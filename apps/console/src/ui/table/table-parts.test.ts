import { expect, test } from 'bun:test'
import { Copy } from 'lucide-react'
import { actionGroups } from './action-groups.ts'
import type { RowAction } from './actions.ts'
import { isSameRow } from './row-props.ts'
import { nextSort } from './table-head.tsx'
import { inOrder, sortRows } from './use-sorted-rows.ts'

test('a header sorts up, then down, then not at all; another header starts anew', () => {
  expect(nextSort('name', null)).toEqual({ id: 'name', desc: false })
  expect(nextSort('name', { id: 'name', desc: false })).toEqual({ id: 'name', desc: true })
  expect(nextSort('name', { id: 'name', desc: true })).toBeNull()
  expect(nextSort('name', { id: 'used', desc: true })).toEqual({ id: 'name', desc: false })
})

const action = (id: string, more: Partial<RowAction> = {}): RowAction => ({ id, label: id, icon: Copy, act: () => {}, ...more })

test('a menu keeps groups together and dangerous actions at its end', () => {
  const groups = actionGroups([action('delete', { isDangerous: true }), action('a'), action('x', { group: 'For' }), action('b')])
  expect(groups.map(({ name, actions }) => [name, actions.map(({ id }) => id)])).toEqual([
    [null, ['a', 'b']],
    ['For', ['x']],
    [null, ['delete']],
  ])
})

test('a row renders again when it or the look of its actions changes, and not when the same actions are created anew', () => {
  const row = { id: 1 }
  const edit = (id: string): RowAction => ({ id: 'edit', label: 'edit', icon: Copy, link: { to: '/token/edit/$id', params: { id } } })
  const propsOf = () => ({ row, actions: [action('copy'), edit('1')] })
  expect(isSameRow(propsOf(), propsOf())).toBe(true)
  expect(isSameRow(propsOf(), { ...propsOf(), row: { id: 1 } })).toBe(false)
  for (const actions of [[action('copy')], [action('copy', { isBusy: true }), edit('1')], [action('copy'), edit('2')]])
    expect(isSameRow(propsOf(), { row, actions })).toBe(false)
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

test('rows keep the order of their ids while a cell is edited, without those that are gone, and new ones are last', () => {
  const rows = [4, 1, 3].map((id) => ({ id }))
  expect(inOrder(rows, [3, 2, 1]).map(({ id }) => id)).toEqual([3, 1, 4])
})

test('texts are sorted as the language does, with numbers in them by value', () => {
  const sorted = (texts: readonly string[], locale: string) => sortRows(texts, (text) => text, { desc: false, locale })
  expect(sorted(['key 10', 'Key 9', 'ä', 'b', 'a'], 'en')).toEqual(['a', 'ä', 'b', 'Key 9', 'key 10'])
  expect(sorted(['重庆', '北京', '安徽'], 'zh')).toEqual(['安徽', '北京', '重庆'])
})
