import { expect, test } from 'bun:test'
import { fileName, toCsv } from './download.ts'

test('quotes what needs quotes', () => {
  expect(toCsv([['a,b', 'say "x"', 'two\nlines', 5]])).toBe('"a,b","say ""x""","two\nlines",5\r\n')
})

test('a cell never runs as a formula, and numbers stay numbers', () => {
  expect(toCsv([['=1+1', '+x', '@y', '-z', -3]])).toBe("'=1+1,'+x,'@y,'-z,-3\r\n")
})

test('a file name keeps what file systems accept', () => {
  expect(fileName('春季 2026')).toBe('春季 2026')
  expect(fileName('a/b\\c:d*?"<>|\n')).toBe('a_b_c_d_______')
  expect(fileName('..')).toBe('file')
  expect(fileName(' .env ')).toBe('env')
})
