import { describe, expect, test } from 'bun:test'
import { safeStorage } from './storage.ts'
import { readViews, type SavedViews, viewOf, withName, withoutView, withStart, withView, writeViews } from './views.ts'

const none: SavedViews = { views: [], start: null }
const two = withView(withView(none, { name: 'failed', search: { type: 2 } }), { name: 'mine', search: { user: 'ann' } })

function memory() {
  return safeStorage(() => {
    throw new Error('this browser has no storage')
  })
}

describe('saved views', () => {
  test('are kept by list and account', () => {
    const storage = memory()
    writeViews(storage, { list: 'log', accountId: 1 }, two)
    writeViews(storage, { list: 'log', accountId: 2 }, withStart(two, 'mine'))
    expect(readViews(storage, 'log', 1)).toEqual(two)
    expect(readViews(storage, 'log', 2).start).toBe('mine')
    expect(readViews(storage, 'log', 3)).toEqual(none)
    expect(readViews(storage, 'token', 1)).toEqual(none)
  })

  test('that cannot be read are none', () => {
    const storage = memory()
    for (const stored of [[], 5, { 1: { views: 'x' } }, { 1: { views: [{ name: 5 }, null, { name: 'a', search: [] }], start: 'a' } }]) {
      storage.writeJson('ui-views:log', stored)
      expect(readViews(storage, 'log', 1)).toEqual(none)
    }
  })

  test('have the filters of the address, but neither its page nor its open row', () => {
    expect(viewOf({ type: 2, page: 3, row: 7, q: 'ann', token: undefined })).toEqual({ type: 2, q: 'ann' })
  })

  test('are replaced under the same name, and renamed to a free one only', () => {
    expect(withView(two, { name: 'mine', search: { user: 'bob' } }).views).toHaveLength(2)
    expect(withName(two, 'mine', 'failed')).toBeNull()
    expect(withName(withStart(two, 'mine'), 'mine', 'ours')).toEqual({
      views: [two.views[0] ?? { name: '', search: {} }, { name: 'ours', search: { user: 'ann' } }],
      start: 'ours',
    })
  })

  test('the list opens with the chosen one until it is unchosen or deleted', () => {
    expect(withStart(withStart(two, 'mine'), 'mine').start).toBeNull()
    expect(withoutView(withStart(two, 'mine'), 'mine')).toEqual({ views: two.views.slice(0, 1), start: null })
    expect(withoutView(withStart(two, 'mine'), 'failed').start).toBe('mine')
  })
})
