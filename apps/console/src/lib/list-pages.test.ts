import { describe, expect, test } from 'bun:test'
import {
  loadSpan,
  nextPage,
  nextSpan,
  pageCountOf,
  pageLinks,
  type RowsWanted,
  rowsOf,
  rowsOfPage,
  shownPage,
  toListPage,
  withoutRow,
  withPatch,
} from './list-pages.ts'

const rows = (from: number, count: number) => Array.from({ length: count }, (_, index) => ({ id: from + index, name: 'n' }))

describe('appending', () => {
  test('a full page asks for the next, a short one ends the list', () => {
    expect(nextPage([toListPage(rows(1, 10), 1)])).toBe(1)
    expect(nextPage([toListPage(rows(1, 10), 1), toListPage(rows(11, 3), 1)])).toBeNull()
    expect(nextPage([])).toBeNull()
  })

  test('a deep link loads several pages at once', () => {
    expect(nextPage([toListPage(rows(1, 30), 3)])).toBe(3)
    expect(nextPage([toListPage(rows(1, 29), 3)])).toBeNull()
  })

  test('after a deletion the page that moved up is asked for again, and rows that came twice count once', () => {
    const pages = withoutRow([toListPage(rows(1, 10), 1), toListPage(rows(11, 10), 1)], 4)
    expect(rowsOf(pages)).toHaveLength(19)
    expect(nextPage(pages)).toBe(1)
    expect(rowsOf([...pages, toListPage(rows(12, 10), 1)])).toHaveLength(20)
  })

  test('a changed row stays where it is', () => {
    const pages = withPatch([toListPage(rows(1, 3), 1)], 2, { name: 'new' })
    expect(rowsOf(pages).map(({ name }) => name)).toEqual(['n', 'new', 'n'])
  })
})

describe('loading', () => {
  const { signal } = new AbortController()
  const calls: RowsWanted[] = []
  /** A list of 250 rows with ids from 1, by page and by row. */
  const load = async (wanted: RowsWanted) => {
    calls.push(wanted)
    const { p = 0, after, size = 10 } = wanted
    return rows(1, 250).slice(after ?? p * size, (after ?? p * size) + size)
  }
  const loaded = async (count: number, isArriving: boolean) => {
    calls.length = 0
    return await loadSpan({ load, isArriving }, { wanted: { p: 0 }, count }, signal)
  }

  test('asks for several pages in calls of a hundred rows, and for none beyond the end', async () => {
    expect((await loaded(3, true)).rows).toHaveLength(30)
    expect(calls).toEqual([{ p: 0, size: 30 }])
    expect((await loaded(12, true)).rows.map(({ id }) => id)).toEqual(rows(1, 120).map(({ id }) => id))
    expect(calls).toEqual([
      { p: 0, size: 100 },
      { after: 100, size: 100 },
    ])
    expect(await loaded(100, false)).toEqual({ rows: rows(1, 250), isFull: false })
    expect(calls.map(({ p }) => p)).toEqual([0, 1, 2])
  })

  test('goes on behind the last row where rows arrive, and by page elsewhere', () => {
    expect(nextSpan([toListPage(rows(1, 10), 1)], true)).toEqual({ wanted: { after: 10 }, count: 1 })
    expect(nextSpan([toListPage(rows(1, 10), 1)], false)).toEqual({ wanted: { p: 1 }, count: 1 })
    expect(nextSpan([toListPage(rows(1, 9), 1)], true)).toBeNull()
  })
})

describe('counting pages', () => {
  test.each([
    [0, false, 1],
    [3, false, 1],
    [10, true, 2],
    [10, false, 1],
    [20, true, 3],
    [23, false, 3],
  ])('%d rows, more: %p -> %d pages', (loaded, mayHaveMore, count) => expect(pageCountOf({ loaded, mayHaveMore })).toBe(count))

  test('a probe that found nothing stays on the last page with rows', () => {
    expect(shownPage(3, 20)).toBe(2)
    expect(shownPage(1, 0)).toBe(1)
    expect(shownPage(-4, 5)).toBe(1)
  })

  test('a page is a slice', () => expect(rowsOfPage(rows(1, 23), 3).map(({ id }) => id)).toEqual([21, 22, 23]))
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
