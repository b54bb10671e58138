import { describe, expect, test } from 'bun:test'
import {
  clampPage,
  firstRows,
  lastPage,
  pageCountOf,
  pageLinks,
  rowsOfPage,
  toLoaded,
  withMore,
  withNew,
  withoutRow,
  withPatch,
} from './list-rows.ts'

const rows = (from: number, count: number) => Array.from({ length: count }, (_, index) => ({ id: from + index, name: 'n' }))

describe('loading', () => {
  test('a page is one call, wherever it is', () => {
    expect(firstRows({ page: 1, size: 10, loaded: 0 })).toEqual({ p: 0, size: 10 })
    expect(firstRows({ page: 1000, size: 50, loaded: 0 })).toEqual({ p: 999, size: 50 })
  })

  test('loading again takes one call as well, for as many rows as a call can return', () => {
    expect(firstRows({ page: 1, size: 10, loaded: 34 })).toEqual({ p: 0, size: 40 })
    expect(firstRows({ page: 1, size: 50, loaded: 300 })).toEqual({ p: 0, size: 100 })
    expect(firstRows({ page: 7, size: 10, loaded: 30 })).toEqual({ p: 6, size: 10 })
  })

  test('a full page may have more behind it, a short one ends the list', () => {
    expect(toLoaded(rows(1, 10), { p: 0, size: 10 }).mayHaveMore).toBe(true)
    expect(toLoaded(rows(1, 3), { after: 9, size: 10 }).mayHaveMore).toBe(false)
  })

  test('rows that are returned twice are kept once', () => {
    const all = withMore(toLoaded(rows(1, 10), { size: 10 }), toLoaded(rows(9, 4), { size: 10 }))
    expect(all).toEqual({ rows: rows(1, 12), mayHaveMore: false })
  })

  test('a deleted row disappears, a changed row keeps its place', () => {
    const loaded = toLoaded(rows(1, 3), { size: 10 })
    expect(withoutRow(loaded, 2).rows.map(({ id }) => id)).toEqual([1, 3])
    expect(withPatch(loaded, 2, { name: 'new' }).rows.map(({ name }) => name)).toEqual(['n', 'new', 'n'])
  })
})

describe('counting pages', () => {
  test.each([
    [1, 0, false, 1],
    [1, 3, false, 1],
    [1, 10, true, 2],
    [1, 10, false, 1],
    [1, 23, false, 3],
    [7, 10, true, 8],
    [7, 4, false, 7],
  ])('from page %d on %d rows, more: %p -> %d pages', (first, loaded, mayHaveMore, count) =>
    expect(pageCountOf({ first, size: 10, loaded }, mayHaveMore)).toBe(count),
  )

  test('a page without rows is never shown', () => {
    expect(clampPage(3, { first: 1, size: 10, loaded: 20 })).toBe(2)
    expect(clampPage(1, { first: 1, size: 10, loaded: 0 })).toBe(1)
    expect(clampPage(2, { first: 5, size: 10, loaded: 20 })).toBe(5)
    expect(lastPage({ first: 5, size: 10, loaded: 20 })).toBe(6)
  })

  test('a page is a slice of the loaded rows', () => {
    expect(rowsOfPage(rows(1, 23), 3, { first: 1, size: 10 }).map(({ id }) => id)).toEqual([21, 22, 23])
    expect(rowsOfPage(rows(61, 13), 8, { first: 7, size: 10 }).map(({ id }) => id)).toEqual([71, 72, 73])
  })
})

describe('page links', () => {
  test.each([
    [1, 1, [1]],
    [1, 3, [1, 2, 3]],
    [1, 9, [1, 2, null, 9]],
    [5, 9, [1, null, 4, 5, 6, null, 9]],
    [3, 9, [1, 2, 3, 4, null, 9]],
    [4, 9, [1, 2, 3, 4, 5, null, 9]],
    [9, 9, [1, null, 8, 9]],
  ])('page %d of %d', (current, count, links) => expect(pageLinks(current, count)).toEqual(links))
})

describe('new rows', () => {
  const newest = (one: { readonly id: number }, other: { readonly id: number }) => one.id > other.id
  const ids = ({ rows: all }: { readonly rows: readonly { readonly id: number }[] }) => all.map(({ id }) => id)
  const loaded = { rows: rows(10, 3).reverse(), mayHaveMore: true }

  test('stand where the server has them, each once', () => {
    const more = withNew(loaded, { rows: [...rows(20, 2), ...rows(12, 1)], isBefore: newest, most: 9 })
    expect(ids(more)).toEqual([21, 20, 12, 11, 10])
  })

  test('that belong to a later page are left to it, unless everything is loaded', () => {
    expect(withNew(loaded, { rows: rows(5, 1), isBefore: newest, most: 9 })).toBe(loaded)
    expect(ids(withNew({ ...loaded, mayHaveMore: false }, { rows: rows(5, 1), isBefore: newest, most: 9 }))).toEqual([12, 11, 10, 5])
  })

  test('displace the last ones, which can be loaded again', () => {
    const more = withNew({ ...loaded, mayHaveMore: false }, { rows: rows(20, 2), isBefore: newest, most: 4 })
    expect([ids(more), more.mayHaveMore]).toEqual([[21, 20, 12, 11], true])
  })
})
