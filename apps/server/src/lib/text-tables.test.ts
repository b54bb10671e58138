import { expect, test } from 'bun:test'
import { createSharedValues } from './shared-values.ts'
import { createTextTables } from './text-tables.ts'

const rowsOf = (text: string): ReadonlyMap<string, string> => new Map(text.split(',').map((name) => [name, name.toUpperCase()]))

/** Reads texts and notes each. */
function tables(rowsMax: number) {
  const texts: string[] = []
  const tableOf = createTextTables(rowsMax)
  const table = (text: string) =>
    tableOf(text, (text) => {
      texts.push(text)
      return rowsOf(text)
    })
  return { texts, table }
}

test('a table is read when a value is first looked up, and once', () => {
  const { texts, table } = tables(10)
  const first = table('a,b')
  expect(texts).toEqual([])
  expect([first.get('a'), first.get('b'), first.get('c')]).toEqual(['A', 'B', undefined])
  expect(table('').get('a')).toBeUndefined()
  expect(texts).toEqual(['a,b'])
})

test('beyond the most rows the oldest tables are evicted and read again, with the same results', () => {
  const { texts, table } = tables(4)
  const [first, second, third] = [table('a,b'), table('c,d'), table('e,f,g,h,i,j')]
  expect([first.get('a'), second.get('c'), first.get('b')]).toEqual(['A', 'C', 'B'])
  expect(texts).toEqual(['a,b', 'c,d'])
  expect([third.get('j'), third.get('e')]).toEqual(['J', 'E'])
  expect([first.get('a'), second.get('d')]).toEqual(['A', 'D'])
  expect(texts).toEqual(['a,b', 'c,d', 'e,f,g,h,i,j', 'a,b', 'c,d'])
})

test('a shared value is made once for each text', () => {
  let count = 0
  const sharedOf = createSharedValues((text) => ({ text, number: ++count }))
  const held = [sharedOf('a'), sharedOf('b'), sharedOf(['a', ''].join('')), sharedOf('a')]
  expect(held.map(({ number }) => number)).toEqual([1, 2, 1, 1])
  expect(held[0]).toBe(held[3])
})
