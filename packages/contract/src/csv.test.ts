import { expect, test } from 'bun:test'
import { csvLine } from './csv.ts'

test('quotes what needs quotes', () => {
  expect(csvLine(['a,b', 'say "x"', 'two\nlines', 5])).toBe('"a,b","say ""x""","two\nlines",5\r\n')
})

test('a cell never runs as a formula, and numbers stay numbers', () => {
  expect(csvLine(['=1+1', '+x', '@y', '-z', -3])).toBe("'=1+1,'+x,'@y,'-z,-3\r\n")
})
