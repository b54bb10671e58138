import { expect, test } from 'bun:test'
import { fileName } from './download.ts'

test('a file name keeps what file systems accept', () => {
  expect(fileName('春季 2026')).toBe('春季 2026')
  expect(fileName('a/b\\c:d*?"<>|\n')).toBe('a_b_c_d_______')
  expect(fileName('..')).toBe('file')
  expect(fileName(' .env ')).toBe('env')
})
